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

TEST(Parameters, are_checked_and_remembered) {
  Computer computer;
  const auto device = computer.queue().getInfo<CL_QUEUE_DEVICE>();
  std::unordered_map<std::string, size_t> values;
  EXPECT_EQ(RetrieveParameters(device(), "Xdot", Precision::kSingle, values), StatusCode::kSuccess);
  EXPECT_EQ(values.size(), 2u);
  EXPECT_EQ(OverrideParameters(device(), "Xdot", Precision::kSingle, {{"WGS1", 64}}),
            StatusCode::kMissingOverrideParameter);
  EXPECT_EQ(OverrideParameters(device(), "Xdot", Precision::kSingle, {{"WGS1", 64}, {"WGS2", 32}}),
            StatusCode::kSuccess);
  EXPECT_EQ(RetrieveParameters(device(), "Xdot", Precision::kSingle, values), StatusCode::kSuccess);
  EXPECT_EQ(values["WGS1"], 64u);
  EXPECT_EQ(values["WGS2"], 32u);
  EXPECT_EQ(RetrieveParameters(device(), "None", Precision::kSingle, values),
            StatusCode::kDatabaseError);
  EXPECT_NE(RetrieveParameters(nullptr, "Xdot", Precision::kSingle, values), StatusCode::kSuccess);
  EXPECT_EQ(TuneXdot<float>(computer.queues(), 16, 1, values), StatusCode::kNotImplemented);
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
