#include <clAmdBlas.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
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

cl_uint references_to(const cl::Context& context) {
  return context.getInfo<CL_CONTEXT_REFERENCE_COUNT>();
}

void scale_by_one(Computer& computer) {
  const auto x = computer.zeros(4);
  EXPECT_EQ(clblasSscal(1, 2, x(), 0, 1, 1, computer.queues(), 0, nullptr, nullptr), clblasSuccess);
  computer.finish();
}

/// The first call in a process pins PoCL's threads, with a queue that stays, and so does its
/// context.
void pin_threads() {
  Computer other;
  scale_by_one(other);
}

TEST(Library, keeps_a_context_until_teardown) {
  pin_threads();
  clblasTeardown();
  Computer computer;
  const cl_uint before = references_to(computer.context());
  scale_by_one(computer);
  EXPECT_GT(references_to(computer.context()), before);
  clblasTeardown();
  EXPECT_EQ(references_to(computer.context()), before);
}

TEST(Library, keeps_a_context_no_longer_than_calls_with_32_others) {
  pin_threads();
  clblasTeardown();
  Computer first;
  const cl_uint before = references_to(first.context());
  scale_by_one(first);
  for (int i = 0; i < 31; ++i) {
    Computer other;
    scale_by_one(other);
  }
  EXPECT_GT(references_to(first.context()), before);
  Computer other;
  scale_by_one(other);
  EXPECT_EQ(references_to(first.context()), before);
  scale_by_one(first);  // and can be called with again
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

TEST(Library, serves_threads_that_set_up_and_tear_down_by_themselves) {
  Computer computer;
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (size_t n = 20; n < 50; ++n) {
        bool right = false;
        clblasSetup();
        if (multiply(computer, 20 + n % 2, right) == clblasSuccess && right) ++good;
        clblasTeardown();
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 4 * 30);
}

/// C := C + A A of ones, n x n, on queues and behind gates of the test's choice.
class Gated {
 public:
  explicit Gated(Computer& computer)
      : a_(computer.buffer(std::vector<float>(n * n, 1))), c_(computer.zeros(n * n * 4)) {}
  /// The call's event.
  cl::Event multiply(const cl::CommandQueue& on, const cl::UserEvent* gate = nullptr) const {
    cl_command_queue queue = on();
    const cl_event before = gate == nullptr ? nullptr : (*gate)();
    cl::Event done;
    EXPECT_EQ(clblasSgemm(clblasRowMajor, clblasNoTrans, clblasNoTrans, n, n, n, 1, a_(), 0, n,
                          a_(), 0, n, 1, c_(), 0, n, 1, &queue, gate == nullptr ? 0 : 1,
                          gate == nullptr ? nullptr : &before, &done()),
              clblasSuccess);
    return done;
  }
  bool holds(Computer& computer, float times) const {
    return computer.contents<float>(c_) == std::vector<float>(n * n, times * n);
  }

 private:
  static constexpr size_t n = 40;
  cl::Buffer a_, c_;
};

cl::CommandQueue queue_of_kind(Computer& computer, cl_command_queue_properties kind) {
  const cl::Device device = computer.queue().getInfo<CL_QUEUE_DEVICE>();
  return {computer.context(), device, kind};
}

// A call that waits in vain must not take later ones with it, which use the same sequence.
TEST(Library, goes_on_after_a_call_whose_wait_list_has_failed) {
  for (const cl_command_queue_properties kind : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
    Computer computer;
    const auto queue = queue_of_kind(computer, kind);
    const Gated product(computer);
    cl::UserEvent gate(computer.context());
    const cl::Event failed = product.multiply(queue, &gate);
    gate.setStatus(-7);
    EXPECT_THROW(failed.wait(), cl::Error);
    for (const auto& on : {queue, computer.queue(1)}) product.multiply(on).wait();
    EXPECT_TRUE(product.holds(computer, 2));
  }
}

// PoCL 3.1 aborts the process where several commands without a reference wait for what fails.
TEST(Library, survives_that_what_a_call_of_many_steps_waits_for_fails) {
  constexpr size_t n = 300;
  for (const cl_command_queue_properties kind : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
    Computer computer;
    const auto queue = queue_of_kind(computer, kind);
    const auto a = computer.buffer(std::vector<float>(n * n, 1)),
               b = computer.buffer(std::vector<float>(n * n, 1));
    cl_command_queue on = queue();
    for (int i = 0; i < 10; ++i) {
      cl::UserEvent gate(computer.context());
      const cl_event before = gate();
      EXPECT_EQ(clblasStrsm(clblasColumnMajor, clblasLeft, clblasUpper, clblasNoTrans, clblasUnit,
                            n, n, 1, a(), 0, n, b(), 0, n, 1, &on, 1, &before, nullptr),
                clblasSuccess);
      gate.setStatus(-7);
    }
  }
}

// The gate opens only when the second call is done: it may not wait for the first.
TEST(Library, calls_on_queues_that_know_nothing_of_one_another_do_not_wait) {
  Computer computer;
  const auto unordered = queue_of_kind(computer, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  for (const auto& [first, second] :
       {std::pair(computer.queue(0), computer.queue(1)), std::pair(unordered, unordered)}) {
    const Gated one(computer), other(computer);
    one.multiply(first).wait();  // a sequence is there, and free
    cl::UserEvent gate(computer.context());
    const cl::Event gated = one.multiply(first, &gate);
    other.multiply(second).wait();
    EXPECT_TRUE(gated.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() > CL_COMPLETE);
    gate.setStatus(CL_COMPLETE);
    gated.wait();
    EXPECT_TRUE(one.holds(computer, 2));
    EXPECT_TRUE(other.holds(computer, 1));
  }
}

/// Ends the process: with 0 where a solution whose workspace finds no memory says so, and small
/// calls still work.
[[noreturn]] void solve_without_memory() {
  Computer computer;
  constexpr size_t most = 2000;
  const auto a = computer.buffer(std::vector<float>(most * most, 1)),
             b = computer.buffer(std::vector<float>(most * most, 1));
  const auto solved = [&](size_t n) {
    const auto status =
        clblasStrsm(clblasColumnMajor, clblasLeft, clblasUpper, clblasNoTrans, clblasUnit, n, n, 1,
                    a(), 0, most, b(), 0, most, 1, computer.queues(), 0, nullptr, nullptr);
    computer.finish();
    return status;
  };
  const bool before = solved(64) == clblasSuccess;
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const auto now = static_cast<rlim_t>(pages) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  const rlimit limit{now + (1 << 20), RLIM_INFINITY};
  ::setrlimit(RLIMIT_AS, &limit);
  const auto failed = solved(most);
  const bool after = solved(64) == clblasSuccess;
  std::fprintf(stderr, "before %d, status %d, after %d\n", before, failed, after);
  const bool says_so = static_cast<cl_int>(failed) == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
                       failed == clblasOutOfHostMemory || failed == clblasOutOfResources;
  std::_Exit(before && says_so && after ? 0 : 1);
}

// PoCL aborts the process where a buffer that a command is about to use cannot be allocated.
TEST(LibraryDeathTest, survives_a_workspace_that_there_is_no_memory_for) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs address space of its own";
#endif
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(solve_without_memory(), ::testing::ExitedWithCode(0), "");
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
