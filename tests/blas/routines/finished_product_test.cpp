#include <fmt/format.h>

#include <array>

#include "blas/routines/stored_product.hpp"

// What the results of products go through, at sizes and places for which the kernels of some
// devices have ways of their own (templates/matrix_unit_epilogue.cl): whole and cut tiles, lines
// that lie well for wide accesses and others, items of a batch, a depth that work-groups share.
// Held against the same product without it, whose results are floats.
namespace kiln::blas::testing {
namespace {

using enum Storage;

struct Finished {
  std::size_t m = 0, n = 0, k = 0, items = 1;
  std::array<Storage, 3> kinds{half, half, half};
  Epilogue after{};
  std::array<Storage, 3> after_kinds{half, half, half};  ///< bias, scale, residual
  Lies lies = Lies::aligned;
  double beta = 0;
  Order order = Order::column_major;
  Transpose trans = Transpose::none;  ///< of both factors
  std::int64_t step = 1;      ///< from an element of the bias, and of the scale, to the next
  bool has_specials = false;  ///< infinities and NaN in the bias, of halves
};

/// A matrix for each item, one after another, and NaN in all that is none of theirs.
struct ItemsOf {
  ItemsOf(Storage kind, const Finished& of, std::size_t row_count, std::size_t column_count,
          unsigned seed)
      : order(of.order),
        by_columns(of.order == Order::column_major),
        rows(row_count),
        columns(column_count),
        data(kind, of.order, by_columns ? rows : rows * of.items,
             by_columns ? columns * of.items : columns, seed, of.lies) {
    std::vector<bool> is_own(data.size(), false);
    for (std::size_t item = 0; item < of.items; ++item)
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) is_own[at(item, i, j)] = true;
    if (is_whole_number(kind)) return;
    for (std::size_t i = 0; i < data.size(); ++i)
      if (!is_own[i]) data.set(i, kind == native ? 0x7fc00000u : kind == half ? 0x7e00u : 0x7fc0u);
  }
  std::size_t at(std::size_t item, std::size_t i, std::size_t j) const {
    return by_columns ? data.at(i, item * columns + j) : data.at(item * rows + i, j);
  }
  double number(std::size_t item, std::size_t i, std::size_t j) const {
    return data.number(at(item, i, j));
  }
  Operand upload() {
    Operand operand = data.upload();
    operand.batch_stride =
        static_cast<std::int64_t>((by_columns ? columns : rows) * data.leading());
    return operand;
  }

  Order order;
  bool by_columns;
  std::size_t rows, columns;
  StoredData data;
};

/// A vector for each item, as the first elements of the lines of a matrix, or of one line.
struct VectorsOf {
  VectorsOf(Storage kind, const Finished& of, std::size_t size, unsigned seed)
      : step(static_cast<std::size_t>(of.step)), matrix(kind, shape(of), size * step, 1, seed) {}
  static Finished shape(Finished of) {
    of.order = Order::column_major;
    return of;
  }
  double number(std::size_t item, std::size_t i) const { return matrix.number(item, i * step, 0); }
  void set(std::size_t i, std::uint32_t bits) { matrix.data.set(matrix.at(0, i * step, 0), bits); }
  Operand upload() {
    Operand operand = matrix.upload();
    operand.stride = static_cast<std::int64_t>(step);
    return operand;
  }
  std::size_t step;
  ItemsOf matrix;
};

void check(const Finished& p) {
  const bool turned = p.trans != Transpose::none;
  ItemsOf a(p.kinds[0], p, turned ? p.k : p.m, turned ? p.m : p.k, 1);
  ItemsOf b(p.kinds[1], p, turned ? p.n : p.k, turned ? p.k : p.n, 2);
  ItemsOf c(p.kinds[2], p, p.m, p.n, 3), sums(native, p, p.m, p.n, 4);
  const auto size_along = [&](Along way) { return way == Along::columns ? p.n : p.m; };
  VectorsOf bias(p.after_kinds[0], p, size_along(p.after.bias), 5),
      scale(p.after_kinds[1], p, size_along(p.after.scale), 6);
  ItemsOf residual(p.after_kinds[2], p, p.m, p.n, 7);
  if (p.has_specials)
    for (const auto& [at, bits] : {std::pair{0, 0xfc00u}, {1, 0x7c00u}, {2, 0x7e00u}})
      bias.set(static_cast<std::size_t>(at), bits);

  Call call;
  call.routine = Routine::gemm;
  call.precision = Precision::s;
  call.order = p.order;
  call.trans_a = call.trans_b = p.trans;
  call.m = p.m, call.n = p.n, call.k = p.k, call.batch = p.items;
  call[Slot::a] = a.upload();
  call[Slot::b] = b.upload();
  call[Slot::c] = sums.upload();
  ASSERT_EQ(run(call), Status::success);
  sums.data.bytes() = sums.data.download();

  call.alpha = p.kinds[0] == int8 ? -1.0 / 4096 : -0.75;
  call.beta = p.beta;
  call.epilogue = p.after;
  call[Slot::c] = c.upload();
  if (p.after.bias != Along::none) call[Slot::bias] = bias.upload();
  if (p.after.scale != Along::none) call[Slot::scale] = scale.upload();
  if (p.after.residual) call[Slot::residual] = residual.upload();
  ASSERT_EQ(run(call), Status::success);

  StoredData now = c.data;
  now.bytes() = c.data.download();
  const double ulps = p.kinds[2] == half ? 0x1p-11 : p.kinds[2] == bfloat16 ? 0x1p-8 : unit;
  std::vector<bool> is_own(now.size(), false);
  for (std::size_t item = 0; item < p.items; ++item)
    for (std::size_t i = 0; i < p.m; ++i)
      for (std::size_t j = 0; j < p.n; ++j) {
        const std::size_t at = c.at(item, i, j);
        is_own[at] = true;
        double value = call.alpha.real() * sums.number(item, i, j);
        double bound = unit * std::abs(value);
        if (p.kinds[0] != int8)  // the depth may be shared otherwise
          bound += static_cast<double>(p.k) * 8 * unit;
        if (p.beta != 0) value += p.beta * c.number(item, i, j);
        bound += unit * std::abs(value);
        if (p.after.scale != Along::none) {
          const double by = scale.number(item, p.after.scale == Along::rows ? i : j);
          value *= by;
          bound = bound * std::abs(by) + unit * std::abs(value);
        }
        if (p.after.bias != Along::none)
          value += bias.number(item, p.after.bias == Along::rows ? i : j);
        bound += unit * std::abs(value);
        if (p.after.activation != Activation::none) {
          const double before = std::abs(value);
          value = activated(p.after.activation, value);
          bound = bound * 1.2 + (32 + before) * unit * std::abs(value) + 1e-6;
        }
        if (p.after.residual) value += residual.number(item, i, j);
        bound += 2 * unit * std::abs(value);
        bound += ulps * (std::abs(value) + bound) + 0x1p-25;
        const double found = now.number(at);
        if (!std::isfinite(value) || !std::isfinite(bound)) {
          ASSERT_TRUE(found == value || (std::isnan(found) && std::isnan(value)))
              << fmt::format("row {} column {}: {} instead of {}", i, j, found, value);
          continue;
        }
        // Beyond the largest half is infinity.
        if (p.kinds[2] == half && std::abs(value) > 65000) continue;
        ASSERT_LE(std::abs(found - value), bound)
            << fmt::format("item {} row {} column {}: {} instead of {}, in {} x {} x {}", item, i,
                           j, found, value, p.m, p.n, p.k);
      }
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (is_own[i]) continue;
    ASSERT_EQ(StoredData::bits_at(p.kinds[2], now.bytes(), i),
              StoredData::bits_at(p.kinds[2], c.data.bytes(), i))
        << "element " << i << " is not the routine's, and was changed";
  }
}

/// Each way of a bias, a scale, an activation and a residual, in pairs.
constexpr std::array<Epilogue, 9> epilogues{{
    {Along::rows, Along::none, Activation::gelu, false},
    {Along::columns, Along::rows, Activation::relu, true},
    {Along::none, Along::columns, Activation::gelu, true},
    {Along::rows, Along::columns, Activation::silu, true},
    {Along::none, Along::rows, Activation::silu, false},
    {Along::columns, Along::none, Activation::gelu, false},
    {Along::rows, Along::rows, Activation::none, false},
    {Along::columns, Along::columns, Activation::silu, false},
    {Along::none, Along::none, Activation::none, true},
}};

/// Those that a round of a test is for: of a GPU, on which each is a program that takes seconds to
/// compile, three in turn, so that three rounds have them all.
std::vector<Epilogue> epilogues_of(std::size_t round) {
  std::vector<Epilogue> some;
  const bool is_cpu = Machine::get().device().type == Device::Type::cpu;
  for (std::size_t at = 0; at < epilogues.size(); ++at)
    if (is_cpu || at % 3 == round % 3) some.push_back(epilogues[at]);
  return some;
}

class FinishedTiles : public ::testing::TestWithParam<Lies> {};
class FinishedKinds : public ::testing::TestWithParam<std::array<Storage, 3>> {};

TEST_P(FinishedTiles, are_right_where_they_are_whole_or_cut) {
  std::size_t round = GetParam() == Lies::aligned ? 0 : 1;
  for (const auto& [m, n] : {std::pair{256, 128}, {270, 139}, {61, 131}, {129, 8}})
    for (const Epilogue& after : epilogues_of(round++)) {
      Finished p{.m = static_cast<std::size_t>(m), .n = static_cast<std::size_t>(n), .k = 40};
      p.after = after;
      p.lies = GetParam();
      p.beta = m == 270 ? 1.25 : 0;
      check(p);
    }
}
// On a device of 132 compute units these have the largest tiles, and the next smaller ones.
TEST_P(FinishedTiles, of_large_results_are_right) {
  if (Machine::get().device().type == Device::Type::cpu)
    GTEST_SKIP() << "CPUs have no such tiles, and take long";
  for (const std::size_t m : {2040, 1020})
    for (const Epilogue& after : {epilogues[0], epilogues[3]}) {
      Finished p{.m = m, .n = 2035, .k = 24};
      p.after = after;
      p.lies = GetParam();
      check(p);
    }
}

INSTANTIATE_TEST_SUITE_P(Lie, FinishedTiles, ::testing::Values(Lies::aligned, Lies::anyhow));

TEST_P(FinishedKinds, of_all_operands_are_right) {
  std::size_t at = 0;
  for (const Storage of_after : {native, half, bfloat16, int8})
    for (int some = 0; some < 3; ++some) {
      Finished p{.m = 75, .n = 66, .k = 48, .kinds = GetParam()};
      p.after = epilogues[at++ % epilogues.size()];
      p.after_kinds = {of_after, of_after == native ? half : of_after, of_after};
      for (const auto lies : {Lies::aligned, Lies::anyhow}) {
        p.lies = lies;
        p.beta = of_after == half ? 0.5 : 0;
        check(p);
      }
    }
}
INSTANTIATE_TEST_SUITE_P(Of, FinishedKinds,
                         ::testing::Values(std::array{half, half, native},
                                           std::array{bfloat16, bfloat16, bfloat16},
                                           std::array{bfloat16, bfloat16, half},
                                           std::array{int8, int8, native}));

TEST(FinishedProduct, is_right_for_orders_transposes_and_steps) {
  std::size_t round = 0;
  for (const auto order : orders)
    for (const auto trans : {Transpose::none, Transpose::transpose})
      for (const std::int64_t step : {1, 3})
        for (const Epilogue& after : epilogues_of(round++ / 2)) {
          Finished p{.m = 139, .n = 150, .k = 33, .after = after};
          p.order = order;
          p.trans = trans;
          p.step = step;
          check(p);
        }
}

TEST(FinishedProduct, what_is_no_number_follows_the_formula) {
  for (const Storage result : {half, native})
    for (const auto along : {Along::rows, Along::columns})
      for (const auto activation :
           {Activation::none, Activation::relu, Activation::gelu, Activation::silu}) {
        Finished p{.m = 64, .n = 128, .k = 16};
        p.kinds[2] = result;
        p.after = {along, Along::none, activation, false};
        p.has_specials = true;
        check(p);
      }
}

TEST(FinishedProduct, each_item_of_a_batch_has_its_own) {
  for (const auto lies : {Lies::aligned, Lies::anyhow})
    for (const Epilogue& after : epilogues) {
      Finished p{.m = 80, .n = 72, .k = 32, .items = 5, .after = after};
      p.lies = lies;
      check(p);
    }
}

TEST(FinishedProduct, is_right_where_the_depth_is_shared) {
  for (const std::size_t items : {1, 3})
    for (const Storage kind : {half, native})
      for (const Epilogue& after : epilogues) {
        Finished p{.m = 70, .n = 45, .k = 2100, .items = items, .after = after};
        p.kinds[2] = kind;
        p.lies = items == 3 ? Lies::anyhow : Lies::aligned;
        p.beta = items == 3 ? -0.5 : 0;
        check(p);
      }
}

}  // namespace
}  // namespace kiln::blas::testing
