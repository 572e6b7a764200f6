// Parameters of kernels in CLBlast's words: overridden, retrieved, tuned.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "blas/clblas/computer.hpp"
#include "blas/clblast/families.hpp"

namespace clblast_test {
namespace {

using clblas_test::Computer;
using namespace clblast;
using Values = std::unordered_map<std::string, size_t>;

class Parameters : public ::testing::Test {
 protected:
  Computer computer;
  const cl_device_id device = computer.queue().getInfo<CL_QUEUE_DEVICE>()();
  Values values;
};

TEST_F(Parameters, are_checked_and_remembered) {
  EXPECT_EQ(RetrieveParameters(device, "Xdot", Precision::kSingle, values), StatusCode::kSuccess);
  EXPECT_EQ(values.size(), 2u);
  EXPECT_EQ(OverrideParameters(device, "Xdot", Precision::kSingle, {{"WGS1", 64}}),
            StatusCode::kMissingOverrideParameter);
  EXPECT_EQ(OverrideParameters(device, "Xdot", Precision::kSingle, {{"WGS1", 64}, {"WGS2", 32}}),
            StatusCode::kSuccess);
  EXPECT_EQ(RetrieveParameters(device, "Xdot", Precision::kSingle, values), StatusCode::kSuccess);
  EXPECT_EQ(values["WGS1"], 64u);
  EXPECT_EQ(values["WGS2"], 32u);
  EXPECT_EQ(RetrieveParameters(device, "None", Precision::kSingle, values),
            StatusCode::kDatabaseError);
  EXPECT_NE(RetrieveParameters(nullptr, "Xdot", Precision::kSingle, values), StatusCode::kSuccess);
}

/// alpha op(A) B + beta C of small integers, which any order of sums gives exactly.
template <class T>
void expect_right_product(Computer& computer, size_t m, size_t n, size_t k, Transpose trans) {
  std::minstd_rand random(3);
  const auto numbers = [&](size_t count) {
    std::vector<T> made(count);
    for (T& one : made) one = static_cast<T>(static_cast<int>(random() % 7) - 3);
    return made;
  };
  const std::vector<T> a = numbers(m * k), b = numbers(k * n), c = numbers(m * n);
  const cl::Buffer from_a = computer.buffer(a), from_b = computer.buffer(b),
                   to = computer.buffer(c);
  const bool as_is = trans == Transpose::kNo;
  ASSERT_EQ(Gemm<T>(Layout::kColMajor, trans, Transpose::kNo, m, n, k, T(2), from_a(), 0,
                    as_is ? m : k, from_b(), 0, k, T(-1), to(), 0, m, computer.queues()),
            StatusCode::kSuccess);
  std::vector<T> expected(m * n);
  for (size_t j = 0; j < n; ++j)
    for (size_t i = 0; i < m; ++i) {
      T sum = 0;
      for (size_t l = 0; l < k; ++l) sum += a[as_is ? i + l * m : l + i * k] * b[l + j * k];
      expected[i + j * m] = T(2) * sum - c[i + j * m];
    }
  EXPECT_EQ(computer.contents<T>(to), expected) << m << " x " << n << " x " << k;
}

Values all_of(const char* kernel, cl_device_id device) {
  Values values;
  EXPECT_EQ(RetrieveParameters(device, kernel, Precision::kSingle, values), StatusCode::kSuccess);
  return values;
}

// Tiles as CLBlast has them, one that no kernel takes, the least, and what is no number of
// anything.
TEST_F(Parameters, leave_products_right_whatever_they_are) {
  constexpr size_t huge = ~size_t{0};
  for (const auto& [rows, columns, depth, threads] : {std::array<size_t, 4>{64, 64, 32, 8},
                                                      {128, 16, 16, 1},
                                                      {7, 5, 3, 1},
                                                      {1, 1, 1, 1},
                                                      {huge, huge, huge, 1},
                                                      {0, 0, 0, 0}}) {
    Values given = all_of("Xgemm", device);
    given["MWG"] = rows;
    given["NWG"] = columns;
    given["KWG"] = depth;
    given["MDIMC"] = given["NDIMC"] = threads;
    for (const Precision precision : {Precision::kSingle, Precision::kDouble})
      ASSERT_EQ(OverrideParameters(device, "Xgemm", precision, given), StatusCode::kSuccess);
    EXPECT_EQ(RetrieveParameters(device, "Xgemm", Precision::kDouble, values),
              StatusCode::kSuccess);
    EXPECT_EQ(values, given);
    for (const Transpose trans : {Transpose::kNo, Transpose::kYes}) {
      expect_right_product<float>(computer, 150, 70, 90, trans);
      expect_right_product<float>(computer, 33, 300, 600, trans);
      expect_right_product<double>(computer, 65, 66, 67, trans);
    }
  }
}

TEST_F(Parameters, are_found_by_tuners_in_words_that_can_be_set) {
  ASSERT_EQ(TuneXgemm<float>(computer.queues(), 96, 96, 96, 1e-9, values), StatusCode::kSuccess);
  EXPECT_GE(values["MWG"], 2u);
  EXPECT_GE(values["NWG"], 1u);
  EXPECT_EQ(values.size(), 16u);
  EXPECT_EQ(OverrideParameters(device, "Xgemm", Precision::kSingle, values), StatusCode::kSuccess);
  expect_right_product<float>(computer, 96, 96, 96, Transpose::kNo);
  ASSERT_EQ(TuneXgemv<float>(computer.queues(), 100, 120, 1e-9, values), StatusCode::kSuccess);
  EXPECT_GE(values["WGS1"], 2u);
  EXPECT_GE(values["WGS3"], 2u);
  EXPECT_EQ(TuneInvert<float>(computer.queues(), 64, 64, 64, 1e-9, values), StatusCode::kSuccess);
  EXPECT_EQ(TuneXdot<float>(computer.queues(), 16, 1, values), StatusCode::kSuccess);
  EXPECT_EQ(TunePadtranspose<double>(computer.queues(), 16, 16, 1, values), StatusCode::kSuccess);
}

TEST_F(Parameters, are_not_searched_for_wrong_arguments) {
  EXPECT_EQ(TuneXgemm<float>(computer.queues(), 96, 0, 96, 0.1, values),
            StatusCode::kInvalidDimension);
  EXPECT_EQ(TuneXgemm<float>(computer.queues(), 96, 96, 0, 0.1, values),
            StatusCode::kInvalidDimension);
  EXPECT_EQ(TuneXger<float>(computer.queues(), 0, 96, 0.1, values), StatusCode::kInvalidDimension);
  EXPECT_EQ(TuneXgemm<float>(nullptr, 96, 96, 96, 0.1, values), StatusCode::kInvalidCommandQueue);
  for (const double fraction : {-0.1, 1.5, std::nan("")})
    EXPECT_EQ(TuneXgemm<float>(computer.queues(), 96, 96, 96, fraction, values),
              StatusCode::kInvalidValue);
  EXPECT_TRUE(values.empty());
}

}  // namespace
}  // namespace clblast_test
