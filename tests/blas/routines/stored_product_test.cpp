#include "blas/routines/stored_product.hpp"

#include <array>
#include <cstdlib>

// Products of operands that are halves, bfloat16, floats of 8 bits and integers, and what
// their results go through.
namespace kiln::blas::testing {
namespace {

using enum Storage;
constexpr std::array<Storage, 7> factor_kinds{float32, half, bfloat16, e4m3, e5m2, int8, int4};
constexpr std::array<Storage, 6> result_kinds{float32, half, bfloat16, e4m3, e5m2, int8};

TEST(StoredProduct, is_right_for_all_kinds) {
  // Reading and writing are parts of a kernel that do not meet: each kind once is enough.
  for (std::size_t i = 0; i < factor_kinds.size(); ++i)
    check(product(37, 29, 19, {factor_kinds[i], factor_kinds[i], result_kinds[i % 6]}));
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
    for (const Storage kind : factor_kinds) {
      if (form == std::string("gpu_small") && kind != half) continue;  // it differs in tiles alone
      for (const auto& [m, n, k] :
           {std::array<std::size_t, 3>{5, 3, 7}, {130, 70, 33}, {5, 3, 1100}}) {
        Product p = product(m, n, k, {kind, kind, kind == int4 ? float32 : kind});
        p.form = form;
        check(p);
      }
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
constexpr std::array<Epilogue, 8> stored_epilogues{{
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
  // In either order by turns, which other tests have with each kind.
  for (const char* form : {"", "gpu"})
    for (const auto order : orders)
      for (const Epilogue& epilogue : stored_epilogues) {
        const bool is_even = (&epilogue - stored_epilogues.data()) % 2 == 0;
        if (is_even != (order == Order::row_major) && std::getenv("KILN_LONG") == nullptr) continue;
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
