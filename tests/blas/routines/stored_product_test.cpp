#include <array>

#include "blas/routines/level3.hpp"
#include "blas/routines/stored_data.hpp"

// Products of operands that are halves, bfloat16, floats of 8 bits and whole numbers, and what their
// results go through.
namespace kiln::blas::testing {
namespace {

constexpr double unit = std::numeric_limits<float>::epsilon() / 2.0;

struct Product {
  Call call{};
  std::array<Storage, 3> kinds{};
  std::string form{};
  std::size_t queues = 1;
  Storage vectors = Storage::native;  ///< of what comes after
};

double activated(Activation activation, double x) {
  switch (activation) {
    case Activation::relu:
      return x < 0 ? 0 : x;
    case Activation::gelu:
      return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    case Activation::silu:
      return x / (1 + std::exp(-x));
    default:
      return x;
  }
}

/// The scales of a factor with groups: `lines` lines of them.
std::vector<double> give_scales(StoredData& scales, Call& call, Slot slot) {
  call[slot] = scales.upload();
  std::vector<double> values(scales.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = scales.number(i);
  return values;
}

void check(Product p) {
  Call& call = p.call;
  call.routine = Routine::gemm;
  call.precision = Precision::s;
  const bool turned_a = call.trans_a != Transpose::none, turned_b = call.trans_b != Transpose::none;
  const Order order = call.order;
  StoredData a(p.kinds[0], order, turned_a ? call.k : call.m, turned_a ? call.m : call.k, 1);
  StoredData b(p.kinds[1], order, turned_b ? call.n : call.k, turned_b ? call.k : call.n, 2);
  StoredData c(p.kinds[2], order, call.m, call.n, 3);
  call[Slot::a] = a.upload();
  call[Slot::b] = b.upload();
  call[Slot::c] = c.upload();
  const Epilogue& after = call.epilogue;
  const auto size_along = [&](Along way) { return way == Along::rows ? call.m : call.n; };
  StoredData bias(p.vectors, Order::column_major, size_along(after.bias), 1, 5),
      scale(p.vectors, Order::column_major, size_along(after.scale), 1, 6),
      residual(p.vectors, order, call.m, call.n, 7);
  call[Slot::bias] = bias.upload();
  call[Slot::bias].stride = 1;
  call[Slot::scale] = scale.upload();
  call[Slot::scale].stride = 1;
  call[Slot::residual] = residual.upload();
  const auto groups_of = [&](std::size_t group) {
    return group == 0 ? 0 : (call.k + group - 1) / group;
  };
  const std::size_t groups_a = groups_of(call.group_a), groups_b = groups_of(call.group_b);
  StoredData scales_a(Storage::half, Order::row_major, call.m, groups_a, 8),
      scales_b(Storage::half, Order::row_major, call.n, groups_b, 12);
  const auto of_a = give_scales(scales_a, call, Slot::scale_a),
             of_b = give_scales(scales_b, call, Slot::scale_b);
  // Scales lie side by side, from the offset on.
  call[Slot::scale_a].stored = call[Slot::scale_b].stored = Storage::native;

  ASSERT_EQ(run(call, p.queues, p.form), Status::success) << text_of(call);
  ExpectedStored expected(c);
  const double alpha = call.alpha.real(), beta = call.beta.real();
  for (std::size_t i = 0; i < call.m; ++i)
    for (std::size_t j = 0; j < call.n; ++j) {
      double sum = 0, magnitude = 0;
      for (std::size_t k = 0; k < call.k && alpha != 0; ++k) {
        double left = turned_a ? a.element(k, i) : a.element(i, k);
        double right = turned_b ? b.element(j, k) : b.element(k, j);
        if (call.group_a != 0)
          left *= of_a[call[Slot::scale_a].offset + i * groups_a + k / call.group_a];
        if (call.group_b != 0)
          right *= of_b[call[Slot::scale_b].offset + j * groups_b + k / call.group_b];
        sum += alpha * left * right;
        magnitude += std::abs(alpha * left * right);
      }
      if (beta != 0) {
        sum += beta * c.element(i, j);
        magnitude += std::abs(beta * c.element(i, j));
      }
      // Gamma of the terms, the products with scales rounded twice more.
      double bound = (static_cast<double>(call.k) + 6) * unit * magnitude;
      const auto along = [&](const StoredData& vector, Along way) {
        return vector.number(vector.at(way == Along::rows ? i : j, 0));
      };
      if (after.scale != Along::none) {
        const double factor = along(scale, after.scale);
        sum *= factor;
        bound = bound * std::abs(factor) + unit * std::abs(sum);
      }
      if (after.bias != Along::none) {
        sum += along(bias, after.bias);
        bound += unit * std::abs(sum);
      }
      if (after.activation != Activation::none) {
        sum = activated(after.activation, sum);
        bound = bound * 1.2 + 32 * unit * std::abs(sum) + 1e-6;  // their slopes are below 1.2
      }
      if (after.residual) {
        sum += residual.element(i, j);
        bound += unit * std::abs(sum);
      }
      const bool is_exact = p.kinds[2] == Storage::int32 && is_whole_number(p.kinds[0]) &&
                            is_whole_number(p.kinds[1]);
      expected.set(c.at(i, j), sum, is_exact ? 0 : bound);
    }
  EXPECT_EQ(expected.difference(), "")
      << text_of(call) << " kinds " << static_cast<int>(p.kinds[0])
      << static_cast<int>(p.kinds[1]) << static_cast<int>(p.kinds[2]) << " form " << p.form;
  EXPECT_EQ(a.download(), a.bytes());
  EXPECT_EQ(b.download(), b.bytes());
}

Product product(std::size_t m, std::size_t n, std::size_t k, std::array<Storage, 3> kinds) {
  Product made;
  made.call.m = m;
  made.call.n = n;
  made.call.k = k;
  made.call.alpha = -0.75;
  made.call.beta = 1.25;
  made.kinds = kinds;
  return made;
}

constexpr Storage float32 = Storage::native;
using enum Storage;
constexpr std::array<Storage, 7> factor_kinds{float32, half, bfloat16, e4m3, e5m2, int8, int4};
constexpr std::array<Storage, 6> result_kinds{float32, half, bfloat16, e4m3, e5m2, int8};

TEST(StoredProduct, is_right_for_all_kinds) {
  for (const Storage a : factor_kinds)
    for (const Storage c : result_kinds) check(product(37, 29, 19, {a, a, c}));
  for (std::size_t i = 0; i < factor_kinds.size(); ++i)
    check(product(37, 29, 19, {factor_kinds[i], factor_kinds[(i + 2) % 7], float32}));
}

TEST(StoredProduct, is_right_for_all_orders_and_transposes) {
  for (const Storage kind : {half, bfloat16, int8, int4, e4m3})
    for (const auto order : orders)
      for (const auto trans_a : transposes)
        for (const auto trans_b : transposes) {
          Product p = product(33, 41, 35, {kind, kind, kind == int4 ? int8 : kind});
          p.call.order = order;
          p.call.trans_a = trans_a;
          p.call.trans_b = trans_b;
          if (kind == int8 || kind == int4) p.call.alpha = 1.0 / 64;
          check(p);
        }
}

// Sums of several blocks of the depth wait as floats: a half or a byte never holds part of one.
TEST(StoredProduct, is_right_around_the_sizes_of_its_blocks) {
  for (const Storage kind : {half, bfloat16})
    for (const std::size_t k : {511, 512, 513, 1025, 1600})
      check(product(35, 29, k, {kind, kind, kind}));
  for (const std::size_t size : {127, 129, 193})
    check(product(size, size + 2, size - 1, {half, half, half}));
}

TEST(StoredProduct, whole_numbers_are_exact_beyond_what_a_float_holds) {
  for (const char* form : {"", "gpu"})
    for (const auto& [alpha, beta] : {std::pair{1, 0}, {3, -2}}) {
      Product p = product(18, 14, 2100, {int8, int8, int32});
      p.call.alpha = alpha;
      p.call.beta = beta;
      p.form = form;
      check(p);
    }
}

TEST(StoredProduct, results_of_whole_numbers_hold_at_their_largest) {
  Product p = product(20, 20, 300, {int8, int8, int8});
  p.call.alpha = 1;
  check(p);  // sums of 300 products of bytes are mostly beyond a byte
}

TEST(StoredProduct, the_forms_for_gpus_are_right_on_any_device) {
  for (const char* form : {"gpu", "gpu_small"})
    for (const Storage kind : factor_kinds)
      for (const auto& [m, n, k] : {std::array<std::size_t, 3>{5, 3, 7}, {130, 70, 33}, {5, 3, 1100}}) {
        Product p = product(m, n, k, {kind, kind, kind == int4 ? float32 : kind});
        p.form = form;
        check(p);
      }
}

TEST(StoredProduct, several_queues_share_the_result) {
  for (const auto order : orders) {
    Product p = product(200, 210, 40, {half, half, half});
    p.call.order = order;
    p.call.epilogue = {Along::rows, Along::columns, Activation::relu, true};
    p.queues = 3;
    check(p);
  }
}

TEST(StoredProduct, what_is_not_multiplied_is_scaled) {
  for (const char* form : {"", "gpu"})
    for (const Storage kind : {half, int8, e5m2})
      for (const bool has_depth : {true, false}) {
        Product p = product(37, 23, has_depth ? 5 : 0, {kind, kind, kind});
        if (has_depth) p.call.alpha = 0;
        p.form = form;
        check(p);
        p.call.epilogue = {Along::columns, Along::none, Activation::silu, false};
        check(p);
      }
}

// Each pair of what there is to choose occurs.
constexpr std::array<Epilogue, 8> epilogues{{
    {Along::rows, Along::none, Activation::none, false},
    {Along::columns, Along::rows, Activation::relu, true},
    {Along::none, Along::columns, Activation::gelu, false},
    {Along::rows, Along::columns, Activation::silu, true},
    {Along::none, Along::rows, Activation::silu, false},
    {Along::columns, Along::none, Activation::gelu, true},
    {Along::rows, Along::rows, Activation::relu, false},
    {Along::none, Along::none, Activation::none, true},
}};

TEST(StoredProduct, goes_through_what_comes_after) {
  for (const char* form : {"", "gpu"})
    for (const auto order : orders)
      for (const Epilogue& epilogue : epilogues) {
        const Storage kind = epilogue.activation == Activation::gelu ? half : float32;
        Product p = product(35, 30, 21, {kind, kind, kind});
        p.call.order = order;
        p.call.epilogue = epilogue;
        p.vectors = kind;
        p.form = form;
        check(p);
      }
}

TEST(StoredProduct, sums_of_several_blocks_go_through_what_comes_after_once) {
  Product p = product(35, 30, 1300, {float32, float32, float32});
  p.call.epilogue = {Along::rows, Along::none, Activation::relu, true};
  check(p);
}

TEST(StoredProduct, factors_in_groups_have_their_scales) {
  for (const char* form : {"", "gpu"})
    for (const auto order : orders)
      for (const Storage kind : {int4, int8})
        for (const auto trans : {Transpose::none, Transpose::transpose})
          for (const std::size_t group : {32, 50, 128}) {
            Product p = product(34, 21, 150, {kind, half, half});
            p.call.order = order;
            p.call.trans_a = p.call.trans_b = trans;
            p.call.group_a = group;
            p.form = form;
            p.queues = 2;
            check(p);
            p.kinds = {half, kind, float32};
            p.call.group_a = 0;
            p.call.group_b = group;
            check(p);
            p.kinds = {kind, kind, float32};
            p.call.group_a = 32;
            check(p);
          }
}

TEST(StoredProduct, refuses_what_has_no_meaning) {
  const auto status_of = [](auto change) {
    Product p = product(8, 8, 8, {half, half, half});
    p.call.routine = Routine::gemm;
    p.call.precision = Precision::s;
    StoredData data(half, Order::column_major, 8, 8, 1);
    p.call[Slot::a] = p.call[Slot::b] = p.call[Slot::c] = data.upload();
    change(p.call);
    return run(p.call);
  };
  EXPECT_EQ(status_of([](Call& c) { c.precision = Precision::d; }), Status::invalid_value);
  EXPECT_EQ(status_of([](Call& c) { c[Slot::c].stored = int4; }), Status::invalid_value);
  EXPECT_EQ(status_of([](Call& c) { c.batch = 0; }), Status::invalid_value);
  EXPECT_EQ(status_of([](Call& c) { c.epilogue.bias = Along::rows; }), Status::invalid_vector_y);
  EXPECT_EQ(status_of([](Call& c) { c[Slot::a].stored = float32; }), Status::small_matrix_a);
  EXPECT_EQ(status_of([](Call& c) {
              c[Slot::a].stored = c[Slot::b].stored = int8;
              c[Slot::c].stored = int32;
              c.m = c.n = 2;
              c.alpha = 0.5;
            }),
            Status::invalid_value);
}

}  // namespace
}  // namespace kiln::blas::testing
