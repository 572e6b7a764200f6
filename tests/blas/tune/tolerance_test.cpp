#include <gtest/gtest.h>

#include <limits>

#include "blas/tune/blas_tunable.hpp"

namespace kiln::blas {
namespace {

Call call_of(Routine routine, std::size_t m, std::size_t n, std::size_t k) {
  Call call;
  call.routine = routine;
  call.m = m, call.n = n, call.k = k;
  return call;
}
/// In units of what one product may be off.
double sums(const Call& call) {
  return tolerance_of(call) / (4 * std::numeric_limits<float>::epsilon());
}

TEST(Tolerance, is_by_the_length_of_the_sums_and_not_by_the_size_of_the_result) {
  EXPECT_DOUBLE_EQ(sums(call_of(Routine::gemm, 5000, 6000, 7)), 7);
  EXPECT_DOUBLE_EQ(sums(call_of(Routine::syrk, 0, 6000, 7)), 7);
  EXPECT_DOUBLE_EQ(sums(call_of(Routine::her2k, 0, 6000, 7)), 14);
  EXPECT_DOUBLE_EQ(sums(call_of(Routine::trsv, 0, 300, 0)), 300);
  EXPECT_DOUBLE_EQ(sums(call_of(Routine::tbsv, 0, 300, 1)), 300) << "each element needs all before";
}

TEST(Tolerance, is_by_what_is_transposed_and_by_the_side) {
  Call call = call_of(Routine::gemv, 1'000'000, 10, 0);
  EXPECT_DOUBLE_EQ(sums(call), 10);
  call.trans_a = Transpose::transpose;
  EXPECT_DOUBLE_EQ(sums(call), 1e6);
  for (const auto routine : {Routine::symm, Routine::hemm, Routine::trmm, Routine::trsm}) {
    Call sided = call_of(routine, 20, 3000, 0);
    EXPECT_DOUBLE_EQ(sums(sided), 20);
    sided.side = Side::right;
    EXPECT_DOUBLE_EQ(sums(sided), 3000);
  }
}

TEST(Tolerance, grows_with_the_scalars_and_does_not_shrink_with_them) {
  Call call = call_of(Routine::gemm, 9, 9, 100);
  call.alpha = -3;
  EXPECT_DOUBLE_EQ(sums(call), 300);
  call.alpha = 0.001;
  EXPECT_DOUBLE_EQ(sums(call), 100);
  call.beta = 50;
  EXPECT_DOUBLE_EQ(sums(call), 150);
}

TEST(Tolerance, is_of_the_precision) {
  Call call = call_of(Routine::gemm, 9, 9, 100);
  const double single = tolerance_of(call);
  call.precision = Precision::c;
  EXPECT_DOUBLE_EQ(tolerance_of(call), 2 * single) << "two products for each";
  call.precision = Precision::d;
  EXPECT_LT(tolerance_of(call), 1e-8 * single);
}

}  // namespace
}  // namespace kiln::blas
