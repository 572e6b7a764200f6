// What is no routine: events, batches, increments below zero, caches, parameters, the C interface.
#include <clblast_c.h>
#include <gtest/gtest.h>

#include <thread>

#include "blas/clblas/computer.hpp"
#include "blas/clblast/families.hpp"

namespace clblast_test {
namespace {

using clblas_test::Computer;
using namespace clblast;

class Events : public ::testing::TestWithParam<Family> {};

TEST_P(Events, are_complete_when_the_work_is) {
  Computer computer;
  std::vector<cl::Buffer> buffers;
  for (int i = 0; i < 6; ++i) buffers.push_back(computer.buffer(std::vector<double>(128, 0.5)));
  Operands o{{buffers[0](), 0, 4}, {buffers[1](), 0, 4}, {buffers[2](), 0, 4},
             {buffers[3](), 0, 1}, {buffers[4](), 0, 1}, {buffers[5](), 0, 1}};
  o.queue = computer.queues();
  cl_event event = nullptr;
  o.event = &event;
  ASSERT_EQ(GetParam().call(o), StatusCode::kSuccess);
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
  cl_int state = CL_QUEUED;
  clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
  EXPECT_EQ(state, CL_COMPLETE);
  EXPECT_EQ(clReleaseEvent(event), CL_SUCCESS);

  int never = 0;
  event = reinterpret_cast<cl_event>(&never);
  o.n = 0;
  EXPECT_NE(GetParam().call(o), StatusCode::kSuccess);
  EXPECT_EQ(event, reinterpret_cast<cl_event>(&never)) << "a call that fails leaves it alone";
}

INSTANTIATE_TEST_SUITE_P(Each, Events, ::testing::ValuesIn(all_families()),
                         [](const auto& of) { return of.param.name; });

// As CLBlast's kernels understand an increment: element i is at offset + i times it.
TEST(Increments, below_zero_lead_from_the_offset_to_lower_addresses) {
  Computer computer;
  const cl::Buffer x = computer.buffer(std::vector<float>{1, 2, 3, 4, 5, 6});
  const cl::Buffer y = computer.buffer(std::vector<float>(6, 0));
  const auto minus = [](size_t step) { return size_t{0} - step; };
  ASSERT_EQ(Copy<float>(3, x(), 5, minus(2), y(), 0, 1, computer.queues()), StatusCode::kSuccess);
  EXPECT_EQ(computer.contents<float>(y), (std::vector<float>{6, 4, 2, 0, 0, 0}));
  EXPECT_EQ(Copy<float>(3, x(), 3, minus(2), y(), 0, 1, computer.queues()),
            StatusCode::kInsufficientMemoryX)
      << "it would begin before the memory";
  ASSERT_EQ(Scal<float>(2, 10, x(), 3, minus(3), computer.queues()), StatusCode::kSuccess);
  EXPECT_EQ(computer.contents<float>(x), (std::vector<float>{10, 2, 3, 40, 5, 6}));
  EXPECT_EQ(Amax<float>(3, y(), 0, x(), 5, minus(1), computer.queues()),
            StatusCode::kInvalidIncrementX)
      << "places would be counted from the other end";
}

TEST(Batches, have_scalars_and_offsets_of_their_own) {
  Computer computer;
  const cl::Buffer a = computer.buffer(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  const cl::Buffer b = computer.buffer(std::vector<float>{1, 0, 0, 1});
  const cl::Buffer c = computer.buffer(std::vector<float>(12, 1));
  const float alphas[] = {1, 10}, betas[] = {0, 1};
  const size_t of_a[] = {4, 0}, of_b[] = {0, 0}, of_c[] = {0, 8};
  cl_event event = nullptr;
  ASSERT_EQ(
      GemmBatched<float>(Layout::kRowMajor, Transpose::kNo, Transpose::kNo, 2, 2, 2, alphas, a(),
                         of_a, 2, b(), of_b, 2, betas, c(), of_c, 2, 2, computer.queues(), &event),
      StatusCode::kSuccess);
  EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
  clReleaseEvent(event);
  EXPECT_EQ(computer.contents<float>(c),
            (std::vector<float>{5, 6, 7, 8, 1, 1, 1, 1, 11, 21, 31, 41}));
}

// Such items are one call with a batch.
TEST(Batches, at_places_a_stride_apart_and_with_the_same_scalars) {
  Computer computer;
  const cl::Buffer x = computer.buffer(std::vector<float>{1, 2, 3, 4, 5, 6});
  const cl::Buffer y = computer.buffer(std::vector<float>(6, 1));
  const float twos[] = {2, 2, 2};
  const size_t of_x[] = {0, 2, 4}, of_y[] = {1, 2, 3};
  ASSERT_EQ(AxpyBatched<float>(1, twos, x(), of_x, 1, y(), of_y, 1, 3, computer.queues()),
            StatusCode::kSuccess);
  EXPECT_EQ(computer.contents<float>(y), (std::vector<float>{1, 3, 7, 11, 1, 1}));
  const float ones[] = {1, 1}, zeros[] = {0, 0};
  const size_t at[] = {0, 2}, same[] = {0, 0};
  ASSERT_EQ(GemmBatched<float>(Layout::kRowMajor, Transpose::kNo, Transpose::kNo, 1, 1, 2, ones,
                               x(), at, 2, x(), same, 1, zeros, y(), at, 1, 2, computer.queues()),
            StatusCode::kSuccess);
  EXPECT_EQ(computer.contents<float>(y), (std::vector<float>{5, 3, 11, 11, 1, 1}));
}

// Small ones are one launch with a table: by rows the two factors are exchanged.
TEST(Batches, at_places_of_their_own_are_right_in_both_layouts) {
  Computer computer;
  constexpr size_t m = 3, n = 2, k = 4, count = 5;
  std::vector<float> a(200), b(200), c(200);
  for (size_t i = 0; i < 200; ++i) {
    a[i] = static_cast<float>(i % 13);
    b[i] = static_cast<float>(i % 7) - 2;
    c[i] = static_cast<float>(i % 5);
  }
  const float alphas[count] = {1, 2, -1, 0, 3}, betas[count] = {0, 1, 2, 3, -1};
  const size_t of_a[count] = {17, 0, 90, 33, 60}, of_b[count] = {1, 50, 30, 120, 77};
  // The last two lie between one another's lines, and once they meet.
  for (const size_t last : {size_t{63}, size_t{61}})
    for (const Layout layout : {Layout::kRowMajor, Layout::kColMajor}) {
      const bool by_rows = layout == Layout::kRowMajor;
      const size_t of_c[count] = {0, 20, 140, 60, last};
      const size_t ld_a = by_rows ? k : m, ld_b = by_rows ? n : k, ld_c = 7;
      const cl::Buffer from_a = computer.buffer(a), from_b = computer.buffer(b),
                       to = computer.buffer(c);
      ASSERT_EQ(GemmBatched<float>(layout, Transpose::kNo, Transpose::kNo, m, n, k, alphas,
                                   from_a(), of_a, ld_a, from_b(), of_b, ld_b, betas, to(), of_c,
                                   ld_c, count, computer.queues()),
                StatusCode::kSuccess);
      std::vector<float> expected = c;
      const auto at = [&](size_t row, size_t column, size_t ld) {
        return by_rows ? row * ld + column : row + column * ld;
      };
      for (size_t item = 0; item < count; ++item)
        for (size_t i = 0; i < m; ++i)
          for (size_t j = 0; j < n; ++j) {
            float sum = 0;
            for (size_t l = 0; l < k; ++l)
              sum += a[of_a[item] + at(i, l, ld_a)] * b[of_b[item] + at(l, j, ld_b)];
            float& result = expected[of_c[item] + at(i, j, ld_c)];
            result = alphas[item] * sum + betas[item] * result;
          }
      EXPECT_EQ(computer.contents<float>(to), expected) << by_rows << ' ' << last;
    }
}

TEST(Batches, of_vectors_at_places_of_their_own) {
  Computer computer;
  const cl::Buffer x = computer.buffer(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  const cl::Buffer y = computer.buffer(std::vector<float>(12, 1));
  const float alphas[] = {2, 10, -1};
  const size_t of_x[] = {4, 0, 1}, of_y[] = {0, 1, 6};
  // Strides of 2: the first two lie between one another's elements.
  ASSERT_EQ(AxpyBatched<float>(2, alphas, x(), of_x, 2, y(), of_y, 2, 3, computer.queues()),
            StatusCode::kSuccess);
  EXPECT_EQ(computer.contents<float>(y),
            (std::vector<float>{11, 11, 15, 31, 1, 1, -1, 1, -3, 1, 1, 1}));
  // What items share is added to by all of them.
  const size_t same[] = {0, 0, 0};
  ASSERT_EQ(AxpyBatched<float>(1, alphas, x(), of_x, 1, y(), same, 1, 3, computer.queues()),
            StatusCode::kSuccess);
  EXPECT_EQ(computer.contents<float>(y)[0], 11 + 2 * 5 + 10 * 1 - 2);
}

TEST(Batches, a_stride_apart_may_share_a_factor) {
  Computer computer;
  const cl::Buffer a = computer.buffer(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  const cl::Buffer b = computer.buffer(std::vector<float>{0, 1, 1, 0});
  const cl::Buffer c = computer.buffer(std::vector<float>(9, -1));
  ASSERT_EQ(
      GemmStridedBatched<float>(Layout::kRowMajor, Transpose::kNo, Transpose::kNo, 2, 2, 2, 1, a(),
                                0, 2, 4, b(), 0, 2, 0, 0, c(), 0, 2, 5, 2, computer.queues()),
      StatusCode::kSuccess);
  EXPECT_EQ(computer.contents<float>(c), (std::vector<float>{2, 1, 4, 3, -1, 6, 5, 8, 7}));
}

TEST(Caches, may_be_cleared_and_filled_at_any_time) {
  Computer computer;
  const cl::Buffer x = computer.buffer(std::vector<float>{1, 2, 3, 4});
  ASSERT_EQ(Scal<float>(4, 2, x(), 0, 1, computer.queues()), StatusCode::kSuccess);
  EXPECT_EQ(ClearCache(), StatusCode::kSuccess);
  ASSERT_EQ(Scal<float>(4, 2, x(), 0, 1, computer.queues()), StatusCode::kSuccess);
  EXPECT_EQ(computer.contents<float>(x), (std::vector<float>{4, 8, 12, 16}));
  const auto device = computer.queue().getInfo<CL_QUEUE_DEVICE>();
  EXPECT_EQ(FillCache(device()), StatusCode::kSuccess);
  EXPECT_NE(FillCache(nullptr), StatusCode::kSuccess);
}

TEST(Threads, may_call_at_once) {
  // PoCL 3.1 fails where several threads make its first contexts at once.
  const std::vector<Computer> computers(4);
  std::vector<std::thread> threads;
  for (Computer computer : computers)
    threads.emplace_back([computer]() mutable {
      const cl::Buffer x = computer.buffer(std::vector<float>(1000, 1));
      for (int call = 0; call < 20; ++call)
        EXPECT_EQ(Scal<float>(1000, call % 2 == 0 ? 2.0f : 0.5f, x(), 0, 1, computer.queues()),
                  StatusCode::kSuccess);
      EXPECT_EQ(computer.contents<float>(x), std::vector<float>(1000, 1));
    });
  for (auto& thread : threads) thread.join();
}

// ---- C
extern "C" int clblast_from_c(cl_command_queue queue, cl_mem memory);

TEST(FromC, a_program_in_c_computes) {
  Computer computer;
  const cl::Buffer memory = computer.buffer(std::vector<float>(64, 1));
  EXPECT_EQ(clblast_from_c(computer.queues()[0], memory()), 0);
}

TEST(FromC, complex_scalars_and_results_of_their_own_offsets) {
  Computer computer;
  const cl::Buffer x = computer.buffer(std::vector<float>{1, 2, 3, -4});
  const cl::Buffer z = computer.buffer(std::vector<float>(6, 9));
  cl_command_queue* queue = computer.queues();
  const cl_float2 i{{0, 1}};
  ASSERT_EQ(CLBlastCscal(2, i, x(), 0, 1, queue, nullptr), CLBlastSuccess);
  EXPECT_EQ(computer.contents<float>(x), (std::vector<float>{-2, 1, 4, 3}));
  ASSERT_EQ(CLBlastScasum(2, z(), 1, x(), 0, 1, queue, nullptr), CLBlastSuccess);
  EXPECT_EQ(computer.contents<float>(z), (std::vector<float>{9, 9, 10, 9, 9, 9}));
  ASSERT_EQ(CLBlastCdotc(2, z(), 2, x(), 0, 1, x(), 0, 1, queue, nullptr), CLBlastSuccess);
  EXPECT_EQ(computer.contents<float>(z), (std::vector<float>{9, 9, 10, 9, 30, 0}));
  ASSERT_EQ(CLBlastiCamax(2, z(), 0, x(), 0, 1, queue, nullptr), CLBlastSuccess);
  EXPECT_EQ(computer.contents<cl_uint>(z)[0], 1u);
  const cl_float2 alphas[] = {i, {{2, 0}}};
  const size_t offsets[] = {0, 1};
  ASSERT_EQ(CLBlastCaxpyBatched(1, alphas, x(), offsets, 1, x(), offsets, 1, 2, queue, nullptr),
            CLBlastSuccess);
  EXPECT_EQ(computer.contents<float>(x), (std::vector<float>{-3, -1, 12, 9}));
}

}  // namespace
}  // namespace clblast_test
