// Calls of BLAS to records, and back.
#include "blas/call/recorded_call.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "blas/call/call.hpp"
#include "blas/sequence/solution_sequence.hpp"

namespace kiln::blas {
namespace {

template <class E>
E choice(int count) {
  return static_cast<E>(*rc::gen::inRange(0, count));
}

/// Any call, of any size, with strides of its own for the arguments that it has.
Call any_call() {
  Call call;
  call.routine = choice<Routine>(routine_count);
  call.precision = choice<Precision>(4);
  call.order = choice<Order>(2);
  call.side = choice<Side>(2);
  call.uplo = choice<Uplo>(2);
  call.diag = choice<Diag>(2);
  call.trans_a = choice<Transpose>(3);
  call.trans_b = choice<Transpose>(3);
  call.real_alpha = *rc::gen::inRange(0, 2) != 0;
  call.alpha = *rc::gen::element(0.0, 1.0, -0.5);
  for (auto* size : {&call.m, &call.n, &call.k, &call.kl, &call.ku})
    *size = *rc::gen::inRange<std::size_t>(0, 100'000);
  call.batch = *rc::gen::inRange<std::size_t>(1, 1000);
  call.by_items = call.routine == Routine::gemm && *rc::gen::inRange(0, 2) != 0;
  for (const Use& use : Uses(call)) {
    call[use.slot].stride = *rc::gen::inRange<std::int64_t>(-100'000, 100'000);
    call[use.slot].batch_stride = *rc::gen::inRange<std::int64_t>(0, 100'000);
  }
  return call;
}

Shape shape_of(const Call& call) {
  const cl_device_id device = nullptr;
  return {call, nullptr, &device, 1};
}

RC_GTEST_PROP(RecordedBlasCall, comes_back_with_its_shape, ()) {
  const Call call = any_call();
  RecordedCall recorded = recorded_call(call, {});
  recorded.count = 1;
  const auto read = parse_calls(recorded_line(identity_line(recorded), recorded), "calls");
  RC_ASSERT(read.has_value());
  const auto back = call_of(read->calls[0]);
  RC_ASSERT(back.has_value());
  RC_ASSERT(shape_of(*back) == shape_of(call));
}

RC_GTEST_PROP(RecordedBlasCall, differs_where_the_shape_does, ()) {
  const Call one = any_call();
  Call other = one;
  const auto change = *rc::gen::inRange(0, 5);
  if (change == 4) other.batch += 1;
  if (change == 0) other.m += 1;
  if (change == 1) other.alpha = one.alpha == Scalar(1) ? 0 : 1;
  if (change == 2) other.diag = one.diag == Diag::unit ? Diag::non_unit : Diag::unit;
  if (change == 3) other.ku += 1;
  RC_ASSERT(identity_line(recorded_call(one, {})) != identity_line(recorded_call(other, {})));
}

TEST(RecordedBlasCall, says_what_work_it_is) {
  Call call;
  call.routine = Routine::gemm, call.precision = Precision::d;
  call.m = 2, call.n = 3, call.k = 5;
  const RecordedCall recorded = recorded_call(contiguous(call), {});
  EXPECT_EQ(recorded.name, "dgemm");
  EXPECT_EQ(recorded.flops, 60);
  EXPECT_EQ(recorded.bytes, 8 * (10 + 15 + 2 * 6));
  call.routine = Routine::axpy;
  EXPECT_EQ(recorded_call(contiguous(call), {}).flops, 0) << "memory bounds it";
}

TEST(RecordedBlasCall, does_not_hang_on_memory_offsets_or_the_value_of_a_scalar) {
  Call one, other;
  one.routine = other.routine = Routine::scal;
  one.n = other.n = 10, one[Slot::x].stride = other[Slot::x].stride = 1;
  one.alpha = 3, other.alpha = 4;
  other[Slot::x].offset = 7;
  EXPECT_EQ(identity_line(recorded_call(one, {})), identity_line(recorded_call(other, {})));
}

TEST(RecordedBlasCall, is_refused_with_the_name_of_the_field) {
  const auto refusal = [](Fact fact) {
    RecordedCall recorded;
    recorded.kind = "blas";
    recorded.facts = {{"routine", std::string("gemm")}, {"n", std::int64_t{1}}};
    for (auto& each : recorded.facts)
      if (each.name == fact.name) each.value = fact.value;
    recorded.facts.push_back(std::move(fact));
    const auto call = call_of(recorded);
    return call ? std::string("nothing") : call.error().message();
  };
  using ::testing::HasSubstr;
  EXPECT_EQ(refusal({"k", std::int64_t{1}}), "nothing");
  EXPECT_THAT(refusal({"routine", std::string("")}), HasSubstr("'routine'"));
  EXPECT_THAT(refusal({"routine", std::string("gmm")}), HasSubstr("did you mean 'gemm'"));
  EXPECT_THAT(refusal({"side", std::string("middle")}), HasSubstr("expected one of left, right"));
  EXPECT_THAT(refusal({"n", std::string("1")}), HasSubstr("'n'"));
  EXPECT_THAT(refusal({"n", (std::int64_t{1} << 40) + 1}), HasSubstr("'n'"));
  EXPECT_THAT(refusal({"stride_c", -(std::int64_t{1} << 41)}), HasSubstr("'stride_c'"));
  RecordedCall spec;
  spec.kind = "spec";
  EXPECT_FALSE(call_of(spec).has_value());
}

}  // namespace
}  // namespace kiln::blas
