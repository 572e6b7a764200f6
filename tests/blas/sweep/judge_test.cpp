// What the sweep relies on: the judge says no where a result is wrong.
#include "blas/sweep/judge.hpp"

#include "blas/sweep/openblas.hpp"
#include "blas/sweep/sweep.hpp"

namespace kiln::blas::testing {
namespace {

using Complex = std::complex<double>;
constexpr auto slot_c = static_cast<std::size_t>(Slot::c);

class Judged : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!OpenBlas::get().present()) GTEST_SKIP() << "libopenblas.so.0 is not installed";
    OpenBlas::get().run(case_.call(), result_);
  }
  static Call update() {
    Call call;
    call.routine = Routine::herk;
    call.precision = Precision::z;
    call.uplo = Uplo::lower;
    call.n = 4;
    call.k = 3;
    call.alpha = 0.5;
    call.beta = -2;
    return call;
  }
  Case<Complex> case_{update(), 1};
  Memory<Complex> result_ = case_.memory();
  const Layout triangle_ = layout_of(case_.call(), Slot::c);
  std::size_t at(std::size_t i, std::size_t j) const {
    const Operand& c = case_.call()[Slot::c];
    return c.offset + j * static_cast<std::size_t>(c.stride) + i;
  }
};

TEST_F(Judged, right_results_pass) { EXPECT_EQ(difference(case_, result_), ""); }

TEST_F(Judged, an_element_that_is_off_by_more_than_rounding_is_seen) {
  result_[slot_c][at(3, 1)] *= 1 + 1e-13;
  EXPECT_NE(difference(case_, result_).find("is off by"), std::string::npos);
}

TEST_F(Judged, one_that_was_not_written_is_seen) {
  result_[slot_c][at(2, 2)] = case_.memory()[slot_c][at(2, 2)];
  EXPECT_NE(difference(case_, result_), "");
}

TEST_F(Judged, nan_is_seen) {
  result_[slot_c][at(3, 0)] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(difference(case_, result_), "");
}

TEST_F(Judged, the_other_triangle_must_not_be_written) {
  result_[slot_c][at(0, 1)] = 0;
  EXPECT_NE(difference(case_, result_).find("is not the routine's"), std::string::npos);
}

TEST_F(Judged, arguments_that_are_read_must_not_be_written) {
  result_[static_cast<std::size_t>(Slot::a)].back() = 0;
  EXPECT_NE(difference(case_, result_).find("only read"), std::string::npos);
}

TEST_F(Judged, solutions_are_judged_by_what_they_leave_over) {
  Call solve;
  solve.routine = Routine::tpsv;
  solve.precision = Precision::s;
  solve.n = 9;
  solve[Slot::x].stride = -2;
  const Case<float> one(solve, 5);
  Memory<float> solved = one.memory();
  OpenBlas::get().run(one.call(), solved);
  EXPECT_EQ(difference(one, solved), "");
  auto& x = solved[static_cast<std::size_t>(Slot::x)];
  x[one.call()[Slot::x].offset] *= 1.001F;
  EXPECT_NE(difference(one, solved), "");
}

}  // namespace
}  // namespace kiln::blas::testing
