#include <clAmdBlas.h>

#include <atomic>
#include <thread>

#include "blas/clblas/computer.hpp"

extern "C" {
// In c99/*.c: compiled as C, against the same library.
size_t clblas_enumerators();
float clblas_parts();
clAmdBlasStatus clblas_by_old_names(cl_mem x, cl_command_queue queue);
// Exported by clBLAS, in no header.
cl_ulong clblasAddScratchImage(cl_context, size_t, size_t, clblasStatus*);
clblasStatus clblasRemoveScratchImage(cl_ulong);
clblasStatus clblasSelectImplementation(int);
}

namespace clblas_test {
namespace {

/// C := C + A B of n x n ones over the C interface; whether all of C is what it should be.
clblasStatus multiply(Computer& computer, size_t n, bool& right) {
  const std::vector<float> ones(n * n, 1);
  const auto a = computer.buffer(ones), b = computer.buffer(ones), c = computer.buffer(ones);
  const auto status =
      clblasSgemm(clblasRowMajor, clblasNoTrans, clblasNoTrans, n, n, n, 1, a(), 0, n, b(), 0, n, 1,
                  c(), 0, n, 1, computer.queues(), 0, nullptr, nullptr);
  right = computer.contents<float>(c) == std::vector<float>(n * n, static_cast<float>(n + 1));
  return status;
}

TEST(Library, says_that_it_is_clblas_2_12) {
  cl_uint major = 0, minor = 0, patch = 1;
  EXPECT_EQ(clblasGetVersion(&major, &minor, &patch), clblasSuccess);
  EXPECT_EQ(major, 2u);
  EXPECT_EQ(minor, 12u);
  EXPECT_EQ(patch, 0u);
  EXPECT_EQ(clblasGetVersion(nullptr, nullptr, nullptr), clblasSuccess);
}

TEST(Library, works_before_setup_and_after_any_number_of_setups_and_teardowns) {
  Computer computer;
  bool right = false;
  EXPECT_EQ(multiply(computer, 5, right), clblasSuccess);
  EXPECT_TRUE(right);
  EXPECT_EQ(clblasSetup(), clblasSuccess);
  EXPECT_EQ(clblasSetup(), clblasSuccess);
  EXPECT_EQ(multiply(computer, 6, right), clblasSuccess);
  EXPECT_TRUE(right);
  clblasTeardown();
  clblasTeardown();
  EXPECT_EQ(clblasSetup(), clblasSuccess);
  EXPECT_EQ(multiply(computer, 6, right), clblasSuccess);
  EXPECT_TRUE(right);
  clblasTeardown();
}

TEST(Library, serves_threads_with_contexts_of_their_own) {
  // The OpenCL loader itself must not be started by several threads at once: it then shows some of
  // them no platform.
  const Computer first;
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < 5; ++thread)
    threads.emplace_back([&good, thread] {
      Computer computer;
      for (size_t n = 20; n < 24; ++n) {
        bool right = false;
        if (multiply(computer, n + thread % 2, right) == clblasSuccess && right) ++good;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 5 * 4);
}

TEST(Library, serves_threads_that_share_a_context) {
  Computer computer;
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 5; ++thread)
    threads.emplace_back([&] {
      for (size_t n = 20; n < 24; ++n) {
        bool right = false;
        if (multiply(computer, n, right) == clblasSuccess && right) ++good;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 5 * 4);
}

TEST(Library, is_usable_from_c) {
  Computer computer;
  EXPECT_GT(clblas_enumerators(), 0u);
  EXPECT_EQ(clblas_parts(), 33);
  EXPECT_EQ(clblas_by_old_names(computer.zeros(4)(), computer.queue()()), clblasInvalidDim);
}

TEST(Library, answers_to_names_that_only_old_programs_know) {
  Computer computer;
  auto status = clblasInvalidValue;
  EXPECT_EQ(clblasAddScratchImage(computer.context()(), 16, 16, &status), 0u);
  EXPECT_EQ(status, clblasSuccess);
  EXPECT_EQ(clblasRemoveScratchImage(0), clblasSuccess);
  EXPECT_EQ(clblasSelectImplementation(0), clblasSuccess);
}

}  // namespace
}  // namespace clblas_test
