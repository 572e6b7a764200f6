#include "blas/sweep/options.hpp"

#include <algorithm>
#include <random>

namespace kiln::blas::testing {

Options options_of(Routine routine) {
  Options has;
  const bool level_1 = routine < Routine::gemv, level_3 = routine >= Routine::gemm;
  has.order = !level_1;
  has.x = !level_3 && routine != Routine::rotg && routine != Routine::rotmg;
  switch (routine) {
    case Routine::swap:
    case Routine::copy:
    case Routine::dot:
    case Routine::dotc:
    case Routine::rot:
    case Routine::rotm:
      has.y = true;
      break;
    case Routine::axpy:
      has.y = has.alpha = true;
      break;
    case Routine::scal:
      has.alpha = true;
      break;
    case Routine::gemv:
    case Routine::gbmv:
      has.trans_a = has.m = has.y = has.alpha = has.beta = true;
      has.band = routine == Routine::gbmv;
      break;
    case Routine::symv:
    case Routine::hemv:
    case Routine::spmv:
    case Routine::hpmv:
    case Routine::sbmv:
    case Routine::hbmv:
      has.uplo = has.y = has.alpha = has.beta = true;
      has.k = routine == Routine::sbmv || routine == Routine::hbmv;
      break;
    case Routine::trmv:
    case Routine::trsv:
    case Routine::tpmv:
    case Routine::tpsv:
    case Routine::tbmv:
    case Routine::tbsv:
      has.uplo = has.trans_a = has.diag = true;
      has.k = routine == Routine::tbmv || routine == Routine::tbsv;
      break;
    case Routine::ger:
    case Routine::gerc:
      has.m = has.y = has.alpha = true;
      break;
    case Routine::syr2:
    case Routine::her2:
    case Routine::spr2:
    case Routine::hpr2:
      has.uplo = has.y = has.alpha = true;
      break;
    case Routine::syr:
    case Routine::her:
    case Routine::spr:
    case Routine::hpr:
      has.uplo = has.alpha = true;
      break;
    case Routine::gemm:
      has.trans_a = has.trans_b = has.m = has.k = has.alpha = has.beta = true;
      break;
    case Routine::symm:
    case Routine::hemm:
      has.side = has.uplo = has.m = has.alpha = has.beta = true;
      break;
    case Routine::trmm:
    case Routine::trsm:
      has.side = has.uplo = has.trans_a = has.diag = has.m = has.alpha = true;
      break;
    case Routine::syrk:
    case Routine::herk:
    case Routine::syr2k:
    case Routine::her2k:
      has.uplo = has.trans_a = has.k = has.alpha = has.beta = true;
      break;
    default:  // rotg, rotmg, nrm2, iamax, asum
      break;
  }
  return has;
}

bool exists(Routine routine, Precision precision) {
  switch (routine) {
    case Routine::rotm:
    case Routine::rotmg:
    case Routine::symv:
    case Routine::spmv:
    case Routine::sbmv:
    case Routine::syr:
    case Routine::syr2:
    case Routine::spr:
    case Routine::spr2:
      return !is_complex(precision);
    case Routine::dotc:
    case Routine::gerc:
    case Routine::hemv:
    case Routine::hpmv:
    case Routine::hbmv:
    case Routine::her:
    case Routine::her2:
    case Routine::hpr:
    case Routine::hpr2:
    case Routine::hemm:
    case Routine::herk:
    case Routine::her2k:
      return is_complex(precision);
    // OpenBLAS, which calls are held against, has not all of those that BLAS has not.
    case Routine::sum:
    case Routine::iamin:
    case Routine::imax:
    case Routine::imin:
    case Routine::had:
    case Routine::omatcopy:
    case Routine::im2col:
    case Routine::col2im:
    case Routine::conv:
      return false;
    default:
      return true;
  }
}

std::size_t depth_of(const Call& call) {
  switch (call.routine) {
    case Routine::gemm:
    case Routine::syrk:
    case Routine::herk:
      return call.k + 1;
    case Routine::syr2k:
    case Routine::her2k:
      return 2 * call.k + 1;
    case Routine::symm:
    case Routine::hemm:
    case Routine::trmm:
    case Routine::trsm:
      return (call.side == Side::left ? call.m : call.n) + 1;
    case Routine::dot:
    case Routine::dotc:
    case Routine::nrm2:
    case Routine::asum:
      return call.n;
    case Routine::ger:
    case Routine::gerc:
    case Routine::syr:
    case Routine::her:
    case Routine::syr2:
    case Routine::her2:
    case Routine::spr:
    case Routine::hpr:
    case Routine::spr2:
    case Routine::hpr2:
      return 3;
    default:
      return call.routine < Routine::gemv ? 4 : std::max(call.m, call.n) + 1;
  }
}

Sizes few_sizes() {
  return {{1, 2, 7, 17, 65, 1009}, {1, 2, 13, 33}, {1, 7, 33, 65}, {0, 3, 40}, {1, 2, -3}};
}
Sizes many_sizes() {
  return {{1, 2, 3, 7, 15, 16, 17, 31, 63, 64, 65, 127, 257, 1009, 100'003},
          {1, 2, 3, 7, 16, 17, 33, 64, 65, 131},
          {1, 2, 3, 7, 11, 12, 13, 16, 17, 31, 32, 33, 65, 127, 129},
          {0, 1, 3, 40, 200},
          {1, 2, -1, -3},
          true};
}
Sizes least_sizes() { return {{1, 37}, {19}, {21}, {2}, {1, -2}}; }

namespace {

/// What alpha and beta may be that matters.
struct Scalars {
  Scalar alpha, beta;
};
const Scalars kinds_of_scalars[] = {{{-0.75, 0.5}, {1.25, -0.25}},
                                    {{1.5, -0.5}, {0}},
                                    {{1}, {1}},
                                    {{0}, {-0.5, 0.75}},
                                    {{-1, 0.25}, {1}}};

bool is_real_scalar(const Call& call, bool alpha) {
  switch (call.routine) {
    case Routine::her:
    case Routine::hpr:
    case Routine::herk:
      return true;
    case Routine::her2k:
      return !alpha;
    default:
      return !is_complex(call.precision);
  }
}

Call with_scalars(Call call, const Scalars& scalars) {
  const Options has = options_of(call.routine);
  const auto fitting = [&](const Scalar& value, bool alpha) {
    return is_real_scalar(call, alpha) ? Scalar(value.real()) : value;
  };
  if (has.alpha) call.alpha = fitting(scalars.alpha, true);
  if (has.beta) call.beta = fitting(scalars.beta, false);
  if (call.routine == Routine::rot) {
    call.alpha = 0.6;
    call.beta = -0.8;
  }
  return call;
}

template <class Value>
std::vector<Value> if_any(bool any, std::vector<Value> values) {
  if (!any) values.resize(1);
  return values;
}

bool is_defined(const Call& call) {
  switch (call.routine) {
    case Routine::syrk:
    case Routine::syr2k:
      return !is_complex(call.precision) || call.trans_a != Transpose::conjugate;
    case Routine::herk:
    case Routine::her2k:
      return call.trans_a != Transpose::transpose;
    default:
      return true;
  }
}

/// Increments of vectors that routines only read or scale must be positive: BLAS then does nothing.
bool one_vector(Routine routine) {
  return routine == Routine::scal || routine == Routine::nrm2 || routine == Routine::asum ||
         routine == Routine::iamax;
}

/// Adds the loops of one option to those that stand.
class Product {
 public:
  explicit Product(Call call) : calls_{std::move(call)} {}
  template <class Values, class Set>
  void over(const Values& values, const Set& set) {
    std::vector<Call> more;
    more.reserve(calls_.size() * values.size());
    for (const Call& call : calls_)
      for (const auto& value : values) {
        more.push_back(call);
        set(more.back(), value);
      }
    calls_ = std::move(more);
  }
  const std::vector<Call>& calls() const { return calls_; }

 private:
  std::vector<Call> calls_;
};

const std::vector<Transpose> transposes{Transpose::none, Transpose::transpose,
                                        Transpose::conjugate};

Product options_product(Routine routine, Precision precision, const std::vector<int>& increments) {
  const Options has = options_of(routine);
  Call start;
  start.routine = routine;
  start.precision = precision;
  Product all(start);
  const std::vector<Order> orders{Order::column_major, Order::row_major};
  all.over(if_any(has.order, orders), [](Call& c, Order order) { c.order = order; });
  const std::vector<Side> sides{Side::left, Side::right};
  all.over(if_any(has.side, sides), [](Call& c, Side side) { c.side = side; });
  const std::vector<Uplo> uplos{Uplo::upper, Uplo::lower};
  all.over(if_any(has.uplo, uplos), [](Call& c, Uplo uplo) { c.uplo = uplo; });
  all.over(if_any(has.trans_a, transposes), [](Call& c, Transpose t) { c.trans_a = t; });
  all.over(if_any(has.trans_b, transposes), [](Call& c, Transpose t) { c.trans_b = t; });
  const std::vector<Diag> diags{Diag::non_unit, Diag::unit};
  all.over(if_any(has.diag, diags), [](Call& c, Diag diag) { c.diag = diag; });
  const auto set = [](Slot slot) { return [slot](Call& c, int inc) { c[slot].stride = inc; }; };
  std::vector<int> steps = increments;
  if (one_vector(routine)) std::erase_if(steps, [](int inc) { return inc < 0; });
  all.over(if_any(has.x, steps), set(Slot::x));
  all.over(if_any(has.y, steps), set(Slot::y));
  if (routine == Routine::scal && is_complex(precision))
    all.over(std::vector<bool>{false, true}, [](Call& c, bool real) { c.real_alpha = real; });
  return all;
}

}  // namespace

void for_each_call(Routine routine, Precision precision, const Sizes& sizes, const EachCall& each) {
  const Options has = options_of(routine);
  const bool level_1 = routine < Routine::gemv, level_3 = routine >= Routine::gemm;
  const auto& range = level_1 ? sizes.vector : level_3 ? sizes.level_3 : sizes.level_2;
  Product all = options_product(routine, precision, sizes.increments);
  all.over(range, [](Call& c, std::size_t n) { c.n = n; });
  if (has.m) all.over(range, [](Call& c, std::size_t m) { c.m = m; });
  if (has.k && !level_3) all.over(sizes.bands, [](Call& c, std::size_t k) { c.k = k; });
  if (has.band) {
    all.over(sizes.bands, [](Call& c, std::size_t k) { c.kl = k; });
    all.over(sizes.bands, [](Call& c, std::size_t k) { c.ku = k; });
  }
  if (has.k && level_3) {
    auto depths = range;
    depths.insert(depths.begin(), 0);
    all.over(depths, [](Call& c, std::size_t k) { c.k = k; });
  }
  std::size_t turn = 0;
  for (const Call& call : all.calls()) {
    if (!is_defined(call)) continue;
    const bool every = sizes.every_scalar && has.alpha;
    for (std::size_t i = 0; i < (every ? std::size(kinds_of_scalars) : 1); ++i) {
      Call one =
          with_scalars(call, kinds_of_scalars[(every ? i : turn++) % std::size(kinds_of_scalars)]);
      if (one.real_alpha) one.alpha = one.alpha.real();
      each(one);
    }
  }
}

void for_random_calls(Routine routine, Precision precision, std::size_t most, int count,
                      unsigned seed, const EachCall& each) {
  const Options has = options_of(routine);
  std::mt19937 random(seed);
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random()) % end; };
  const Product options = options_product(routine, precision, {1, 2, -1, -3});
  const bool level_1 = routine < Routine::gemv;
  for (int i = 0; i < count;) {
    Call call = options.calls()[below(options.calls().size())];
    if (!is_defined(call)) continue;
    ++i;
    call.n = 1 + below(level_1 ? most * most : most);
    if (has.m) call.m = 1 + below(most);
    if (has.k) call.k = below(most);
    if (has.band) call.kl = below(call.m + 3), call.ku = below(call.n + 3);
    call = with_scalars(call, kinds_of_scalars[below(std::size(kinds_of_scalars))]);
    if (call.real_alpha) call.alpha = call.alpha.real();
    each(call);
  }
}

}  // namespace kiln::blas::testing
