// Searches in the process that asks for them, and Parameters that an application sets.
#include "blas/tune/tune_here.hpp"

#include "base/os/file.hpp"
#include "blas/machine.hpp"
#include "blas/tune/blas_tunable.hpp"
#include "store/local/local_store.hpp"

namespace kiln::blas::testing {
namespace {

Call tuned_call(Routine routine, std::size_t n) {
  Call call;
  call.routine = routine;
  call.precision = Precision::s;
  call.m = call.n = call.k = n;
  return contiguous(call);
}

/// The step of a call that has a family's Parameters.
SequenceStep step_of(Library& library, const Call& call, const std::string& family) {
  const auto queues = Machine::get().queues();
  for (auto& step : explain(library, call, queues).steps)
    if (step.family == family) return step;
  ADD_FAILURE() << "no step of " << family;
  return {};
}

Parameters parameters_of(const SequenceStep& step) {
  Parameters made;
  for (const auto& [name, value] : step.parameters) made.set(name, value);
  return made;
}

TEST(TuneHere, keeps_a_record_that_later_calls_use) {
  const auto folder = value_or_throw(TemporaryFolder::create("tune-here-test"));
  const auto queue = Machine::get().queues()[0];
  const Call call = tuned_call(Routine::gemm, 320);
  Parameters best;
  {
    Resolver resolver(std::make_unique<LocalStore>(folder.path().string()), CompilePolicy::here);
    Library library(resolver);
    EXPECT_EQ(step_of(library, call, "blas.gemm").parameters_from, "default");
    const auto tuned = tune_here(library, resolver, call, queue, 1e-9);
    ASSERT_TRUE(tuned);
    EXPECT_EQ(tuned->evaluated, 2u) << "the standard one and another";
    EXPECT_GT(tuned->seconds, 0);
    best = tuned->best;
    const auto step = step_of(library, call, "blas.gemm");
    EXPECT_EQ(step.parameters_from, "store record");
    EXPECT_EQ(parameters_of(step), best);
  }
  // Another process.
  Resolver resolver(std::make_unique<LocalStore>(folder.path().string()), CompilePolicy::here);
  Library library(resolver);
  const auto step = step_of(library, call, "blas.gemm");
  EXPECT_EQ(step.parameters_from, "store record");
  EXPECT_EQ(parameters_of(step), best);
}

TEST(TuneHere, holds_its_winner_against_what_is_on_record) {
  const auto queue = Machine::get().queues()[0];
  const Call call = tuned_call(Routine::gemm, 320);
  const TuningDevice facts = TuningDevice::of(Machine::get().device());
  Request request = tuned_request(call, facts);
  request.version = family_version(request.family);
  Resolver resolver(nullptr, CompilePolicy::here);
  Library library(resolver);
  // On record with a time that nothing has: it is measured again, whoever wins.
  const auto space = value_or_throw(make_blas_tunable(call, facts));
  const Parameters lucky = tune::parameters_of(space->space(), space->space().size() / 2);
  resolver.record(request, Machine::get().device(),
                  {{lucky, request.problem_size, 1e-9, Measurement::Of::kiln, "luck", {}, 1e-6}});
  ASSERT_EQ(parameters_of(step_of(library, call, "blas.gemm")), lucky);
  library.clear();
  const auto tuned = tune_here(library, resolver, call, queue, 1e-9);
  ASSERT_TRUE(tuned);
  for (const auto& one : resolver.tuning_record(request, Machine::get().device()).history)
    EXPECT_GT(one.milliseconds, 1e-6) << one.from;
}

TEST(TuneHere, has_nothing_to_do_for_kernels_without_parameters) {
  Resolver resolver(nullptr, CompilePolicy::here);
  Library library(resolver);
  EXPECT_FALSE(
      tune_here(library, resolver, tuned_call(Routine::axpy, 320), Machine::get().queues()[0], 1));
}

TEST(SetParameters, are_used_as_they_are_or_by_the_nearest_that_a_kernel_takes) {
  if (Machine::get().device().type != Device::Type::cpu) GTEST_SKIP() << "of a CPU's kernels";
  Resolver resolver(nullptr, CompilePolicy::here);
  Library library(resolver);
  const Call call = tuned_call(Routine::gemm, 320);
  const auto before = step_of(library, call, "blas.gemm");
  const cl_device_id device = Machine::get().device().handle();
  const auto parameters_with = [&](Parameters values) {
    library.set_parameters().set(device, "blas.gemm", Precision::s, std::move(values));
    const auto step = step_of(library, call, "blas.gemm");
    EXPECT_EQ(step.parameters_from, "set by the application");
    return parameters_of(step);
  };
  const auto depth_96 = parameters_with({{"depth", 96}});
  EXPECT_EQ(depth_96.at("depth"), 96);
  EXPECT_EQ(depth_96.at("rows"), parameters_of(before).at("rows"));
  const auto large =
      parameters_with({{"columns", 1000}, {"depth", 1}, {"rows", 100'000}, {"none", 3}});
  EXPECT_EQ(large.at("columns"), 32);
  EXPECT_EQ(large.at("depth"), 8);
  EXPECT_GE(large.at("rows"), 2);
  EXPECT_FALSE(large.contains("none"));
  // Another precision's and an invariant call's kernels are as they were.
  Call invariant = call;
  invariant.invariant = true;
  EXPECT_EQ(step_of(library, invariant, "blas.gemm").parameters, before.parameters);
  library.set_parameters().set(device, "blas.gemm", Precision::s, {});
  EXPECT_EQ(step_of(library, call, "blas.gemm").parameters, before.parameters);
}

}  // namespace
}  // namespace kiln::blas::testing
