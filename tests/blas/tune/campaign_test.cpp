// Which problems campaigns tune.
#include <gmock/gmock.h>

#include <set>

#include "blas/call/call.hpp"
#include "blas/call/problem_class.hpp"
#include "blas/call/recorded_call.hpp"
#include "blas/tune/campaign_plan.hpp"

namespace kiln::blas {
namespace {

using ::testing::HasSubstr;

Call gemm(std::size_t m, std::size_t n, std::size_t k) {
  Call call;
  call.routine = Routine::gemm;
  call.order = Order::column_major;
  call.alpha = 1;
  call.m = m, call.n = n, call.k = k;
  return contiguous(call);
}

/// As a file has it: so many calls of so many nanoseconds.
std::string line(const Call& call, std::uint64_t count, std::uint64_t ns,
                 std::vector<RecordedDevice> devices = {{"a device", "0123456789abcdef", 2}}) {
  RecordedCall recorded = recorded_call(call, {});
  recorded.devices = std::move(devices);
  recorded.count = count;
  recorded.timed = ns > 0 ? 1 : 0;
  recorded.device_ns = ns;
  return recorded_line(identity_line(recorded), recorded);
}
CallsToTune calls(const std::string& text) {
  return calls_to_tune(value_or_throw(parse_calls(text, "calls.jsonl")));
}

TEST(CallsToTune, merges_strides_and_sizes_that_are_nearly_one) {
  Call wide = gemm(512, 512, 512);
  wide[Slot::a].stride = 700;
  const auto found = calls(line(gemm(512, 512, 512), 10, 1000) + line(wide, 5, 1000) +
                           line(gemm(450, 520, 500), 1, 900) + line(gemm(512, 512, 64), 1, 100));
  ASSERT_EQ(found.calls.size(), 2u);
  EXPECT_EQ(found.calls[0].call.m, 512u);
  EXPECT_EQ(found.calls[0].count, 16u);
  EXPECT_EQ(found.calls[0].kinds, 3u);
  EXPECT_NEAR(found.calls[0].share, 15900.0 / 16000, 1e-6);
  EXPECT_EQ(found.calls[1].call.k, 64u);
}

TEST(CallsToTune, keeps_classes_and_devices_apart) {
  Call transposed = gemm(512, 512, 512);
  transposed.trans_a = Transpose::transpose;
  Call exact = gemm(512, 512, 512);
  exact.precision = Precision::d;
  const auto found =
      calls(line(gemm(512, 512, 512), 1, 1000) + line(transposed, 1, 1000) +
            line(contiguous(exact), 1, 1000) +
            line(gemm(512, 512, 512), 1, 1000, {{"a device", "0123456789abcdef", 1}}) +
            line(gemm(512, 512, 512), 1, 1000, {{"another", "fedcba9876543210", 2}}));
  EXPECT_EQ(found.calls.size(), 5u);
}

TEST(CallsToTune, leaves_out_with_a_reason) {
  Call axpy;
  axpy.routine = Routine::axpy;
  axpy.n = 1000;
  RecordedCall other;
  other.kind = "spec", other.name = "blur\x1b", other.devices = {{"a device", "0", 1}};
  other.count = 1;
  const RecordedDevice device{"a device", "0123456789abcdef", 1};
  const auto found =
      calls(line(contiguous(axpy), 3, 500) + line(gemm(0, 8, 8), 1, 1) +
            line(gemm(64, 64, 64), 1, 100, {device, device}) +
            recorded_line(identity_line(other), other) +
            R"({"kiln_calls":1,"kind":"blas","name":"x","facts":{"routine":"gem"},"devices":[],)"
            R"("flops":0,"bytes":0,"count":1,"host_ns":0,"prepare_ns":0,"timed":0,"device_ns":0})"
            "\n");
  EXPECT_TRUE(found.calls.empty());
  std::string reasons;
  for (const auto& one : found.left_out) reasons += one.name + ": " + one.reason + "\n";
  EXPECT_THAT(reasons, HasSubstr("saxpy: its kernels have no parameters\n"));
  EXPECT_THAT(reasons, HasSubstr("sgemm: it does nothing\n"));
  EXPECT_THAT(reasons, HasSubstr("sgemm: several queues share it"));
  EXPECT_THAT(reasons, HasSubstr("blur\\x1b: not of BLAS; kiln tune FILE"));
  EXPECT_THAT(reasons, HasSubstr("x: 'routine': found 'gem'"));
}

TEST(CallsToTune, leaves_out_what_multiplies_nothing) {
  Call scaled = gemm(512, 512, 512);
  scaled.alpha = 0;
  const auto found = calls(line(scaled, 100, 9000) + line(gemm(512, 512, 512), 1, 1000));
  ASSERT_EQ(found.calls.size(), 1u) << "it does not stand for those that are alike";
  EXPECT_EQ(found.calls[0].call.alpha, Scalar(1));
  EXPECT_EQ(found.calls[0].count, 1u);
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_THAT(found.left_out[0].reason, HasSubstr("alpha is 0"));
}

TEST(CallsToTune, says_what_rate_was_reached) {
  const auto found = calls(line(gemm(100, 100, 100), 7, 2'000) + line(gemm(10, 10, 10), 1, 0));
  ASSERT_EQ(found.calls.size(), 2u);
  EXPECT_DOUBLE_EQ(found.calls[0].rate, 2e6 / 2e-6);
  EXPECT_EQ(found.calls[1].rate, 0);
}

TEST(ExpectedGain, is_much_where_the_rate_is_far_below_the_best) {
  EXPECT_DOUBLE_EQ(expected_gain(25, 100, false), 0.75);
  EXPECT_LT(expected_gain(25, 100, true), 0.1);
  EXPECT_DOUBLE_EQ(expected_gain(100, 100, false), 0.05);
  EXPECT_DOUBLE_EQ(expected_gain(0, 100, false), 1.0 / 3);
  EXPECT_DOUBLE_EQ(expected_gain(5, 0, false), 1.0 / 3);
  EXPECT_DOUBLE_EQ(expected_gain(200, 100, false), 0.05);
}

TEST(UsualProblems, can_all_be_tuned_and_are_all_different) {
  for (const bool is_cpu : {true, false}) {
    TuningDevice device;
    device.is_cpu = is_cpu;
    device.native_floats = 8;
    device.gemm_form = is_cpu ? "cpu" : "gpu";
    device.compute_units = 16;
    std::set<std::string> seen;
    for (const auto& problem : usual_problems(device, true)) {
      EXPECT_FALSE(tuned_family(problem.call).empty());
      EXPECT_GT(problem.weight, 0);
      EXPECT_TRUE(seen.insert(problem_class_of(problem.call) + " " +
                              std::to_string(problem_size_of(problem.call)))
                      .second)
          << problem_class_of(problem.call);
    }
    EXPECT_EQ(usual_problems(device, false).size() * 2, seen.size()) << "half are of doubles";
  }
}

TEST(UsualProblems, begin_with_products_of_floats) {
  TuningDevice device;
  device.is_cpu = true;
  const auto problems = usual_problems(device, true);
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems[0].call.routine, Routine::gemm);
  EXPECT_EQ(problems[0].call.precision, Precision::s);
  EXPECT_EQ(problems.back().call.precision, Precision::z);
}

}  // namespace
}  // namespace kiln::blas
