#include "blas/tune/blas_tunable.hpp"

#include <gtest/gtest.h>

#include "blas/api/library.hpp"
#include "device/support.hpp"

namespace kiln::blas::testing {
namespace {

Call square_call(Routine routine, Precision precision, std::size_t n) {
  Call call;
  call.routine = routine;
  call.precision = precision;
  call.m = call.n = call.k = n;
  for (const auto matrix : {Slot::a, Slot::b, Slot::c})
    call[matrix].stride = static_cast<std::int64_t>(n);
  for (const auto vector : {Slot::x, Slot::y}) call[vector].stride = 1;
  if (routine == Routine::tpsv) call[Slot::a].stride = 0;
  if (routine == Routine::tbsv) {  // a band of two diagonals
    call.k = 1;
    call[Slot::a].stride = 2;
  }
  return call;
}

TEST(BlasTunable, has_the_built_in_parameters_among_its_configurations) {
  for (const auto precision : {Precision::s, Precision::d, Precision::c, Precision::z})
    for (const auto routine : {Routine::gemm, Routine::trsm, Routine::gemv, Routine::trsv})
      for (const TuningDevice& device :
           {TuningDevice{true, 16, "cpu"}, TuningDevice{true, 4, "cpu"},
            TuningDevice{false, 1, "sm90"}, TuningDevice{false, 1, "sm90a"},
            TuningDevice{false, 1, "gpu"}}) {
        const auto tunable = make_blas_tunable(square_call(routine, precision, 100), device);
        ASSERT_TRUE(tunable) << tunable.error().message();
        EXPECT_TRUE((*tunable)->standard()) << (*tunable)->label();
        EXPECT_GE((*tunable)->space().size(), 6u) << (*tunable)->label();
      }
}

TEST(BlasTunable, refuses_routines_whose_kernels_have_no_parameters) {
  const auto tunable = make_blas_tunable(square_call(Routine::axpy, Precision::s, 100),
                                         TuningDevice{true, 4, "cpu"});
  ASSERT_FALSE(tunable);
  EXPECT_EQ(tunable.error().code(), Errc::unsupported);
}

class BlasBenchTest : public ::testing::Test {
 protected:
  BlasBenchTest()
      : device_(kiln::testing::cpu_device()),
        context_(Context::create({device_})),
        queue_(context_, device_) {}

  /// Every so many of the configurations of a routine.
  void expect_right(Routine routine, Precision precision, std::size_t n, std::size_t stride) {
    const auto tunable = value_or_throw(
        make_blas_tunable(square_call(routine, precision, n), TuningDevice::of(*device_)));
    const auto bench = tunable->open(resolver_, context_, queue_);
    for (tune::ConfigurationId id = 0; id < tunable->space().size(); id += stride) {
      const auto report = bench->prepare(id);
      EXPECT_TRUE(report.outcome.ok())
          << tunable->label() << ' ' << tunable->space().text(id) << ": " << report.message;
      EXPECT_GT(bench->run(id, 3), 0);
    }
  }

  DevicePtr device_;
  ContextPtr context_;
  Queue queue_;
  Resolver resolver_{nullptr, CompilePolicy::here};
};

TEST_F(BlasBenchTest, finds_every_configuration_of_a_product_right) {
  expect_right(Routine::gemm, Precision::s, 150, 211);
  expect_right(Routine::gemm, Precision::z, 70, 173);
}
TEST_F(BlasBenchTest, finds_every_configuration_of_other_routines_right) {
  expect_right(Routine::gemv, Precision::d, 300, 5);
  expect_right(Routine::trsv, Precision::s, 300, 31);
  expect_right(Routine::trsm, Precision::d, 200, 307);
  expect_right(Routine::tpsv, Precision::s, 300, 31);
  expect_right(Routine::tbsv, Precision::d, 300, 31);
}

TEST_F(BlasBenchTest, puts_parameters_on_record_that_calls_then_use) {
  const Call call = square_call(Routine::gemm, Precision::s, 64);
  const auto tunable = value_or_throw(make_blas_tunable(call, TuningDevice::of(*device_)));
  const auto bench = tunable->open(resolver_, context_, queue_);
  const tune::ConfigurationId chosen = *tunable->standard() == 0 ? 1 : 0;
  bench->record(chosen, 1e-3, 0);
  Request request = tuned_request(call, TuningDevice::of(*device_));
  request.version = family_version(request.family);
  const auto used = resolver_.choose(request, *device_);
  EXPECT_EQ(used.origin, "store record");
  for (std::size_t i = 0; i < tunable->space().parameters().size(); ++i)
    EXPECT_EQ(used.parameters.get(tunable->space().parameters()[i].name, -1),
              *tunable->space().value(chosen, i).to_integer());
}

}  // namespace
}  // namespace kiln::blas::testing
