#include <algorithm>
#include <cstring>

#include "blas/routines/stored_product.hpp"
#include "kiln/blas/explain.hpp"

// Products with a small result and a great depth, which the work-items of a CPU share (the template
// deep_parts). gemm_test.cpp and syrk_test.cpp have their sums; here is what else there is to them.
namespace kiln::blas::testing {
namespace {

using enum Storage;

constexpr std::size_t deep_rows = 33, deep_columns = 14, deep_depth = 10'000;

template <class T>
class Deep : public ::testing::Test {
 public:
  /// C = 0.75 A' B + 0.5 C, for a result of 33 x 14.
  static std::vector<T> result(bool is_invariant) {
    auto a = OperandData<T>::matrix(deep_depth, deep_rows, deep_depth, 0, 1);
    auto b = OperandData<T>::matrix(deep_depth, deep_columns, deep_depth, 0, 2);
    auto c = OperandData<T>::matrix(deep_rows, deep_columns, deep_rows, 0, 3);
    Call call = deep_call();
    call.invariant = is_invariant;
    call[Slot::a] = a.upload();
    call[Slot::b] = b.upload();
    call[Slot::c] = c.upload();
    EXPECT_EQ(run(call, 1), Status::success);
    return c.download();
  }
  static Call deep_call() {
    Call call;
    call.routine = Routine::gemm;
    call.precision = precision_of<T>;
    call.trans_a = Transpose::transpose;
    call.m = deep_rows;
    call.n = deep_columns;
    call.k = deep_depth;
    call.alpha = 0.75;
    call.beta = 0.5;
    return call;
  }
  static std::vector<std::string> kernels(Call call) {
    call[Slot::a].stride = call[Slot::b].stride = static_cast<std::int64_t>(call.k);
    call[Slot::c].stride = static_cast<std::int64_t>(call.m);
    std::vector<std::string> names;
    for (const auto& step : explain(call, Machine::get().queues()).steps)
      names.push_back(step.kernel);
    return names;
  }
};
TYPED_TEST_SUITE(Deep, Precisions);

TYPED_TEST(Deep, results_have_the_same_bits_each_time) {
  const auto once = this->result(false);
  for (int i = 0; i < 20; ++i) {
    const auto again = this->result(false);
    ASSERT_EQ(std::memcmp(once.data(), again.data(), once.size() * sizeof once[0]), 0) << i;
  }
}

// How a depth is cut depends on the device and the shape, which bits must not where the call says
// so.
TYPED_TEST(Deep, invariant_calls_do_not_cut_the_depth) {
  const Device& device = Machine::get().device();
  if (device.type != Device::Type::cpu || device.compute_units < 2)
    GTEST_SKIP() << "no CPU with several compute units";
  Call call = this->deep_call();
  const std::vector<std::string> parts{"deep_product", "join_parts"}, whole{"product"};
  EXPECT_EQ(this->kernels(call), parts);
  call.invariant = true;
  EXPECT_EQ(this->kernels(call), whole);
}

TEST(DeepProduct, sums_of_bytes_are_exact) {
  for (const auto trans : {Transpose::none, Transpose::transpose}) {
    blas::testing::Product p = product(deep_rows, deep_columns, deep_depth, {int8, int8, int32});
    p.call.alpha = 2;
    p.call.beta = -1;
    p.call.trans_a = trans;
    check(p);
  }
}

TEST(DeepProduct, factors_in_groups_have_their_scales) {
  blas::testing::Product p = product(deep_rows, deep_columns, deep_depth, {int4, half, float32});
  p.call.trans_a = Transpose::transpose;
  p.call.group_a = 128;
  check(p);
}

TEST(DeepProduct, results_go_through_what_comes_after_once) {
  for (const Storage kind : {half, bfloat16, float32}) {
    blas::testing::Product p = product(deep_rows, deep_columns, deep_depth, {half, half, kind});
    p.call.epilogue = {Along::rows, Along::columns, Activation::gelu, true};
    p.vectors = half;
    check(p);
  }
}

}  // namespace
}  // namespace kiln::blas::testing
