#include <algorithm>

#include "blas/call/validate.hpp"
#include "blas/routines/batch_data.hpp"
#include "kiln/blas/batch.hpp"
#include "kiln/blas/level1.hpp"

// Batches that are refused, and calls of several kinds at once.
namespace kiln::blas::testing {
namespace {

// ---- Refusals
class BatchRefusals : public ::testing::Test {
 protected:
  static Call small() {
    Call call = batch_of_products<float>(4, 4, 4, 10);
    for (const Slot slot : {Slot::a, Slot::b, Slot::c}) {
      call[slot].memory = buffer()();
      call[slot].stride = 4;
      call[slot].batch_stride = 16;
    }
    return call;
  }
  /// 160 floats.
  static cl::Buffer& buffer() {
    static auto& made = *new cl::Buffer(cl::Context(Machine::get().context(), true),
                                        CL_MEM_READ_WRITE, 160 * sizeof(float));
    return made;
  }
  static std::string message(const std::function<void()>& run) {
    try {
      run();
      return "";
    } catch (const Error& error) {
      return error.message();
    }
  }
};

TEST_F(BatchRefusals, are_for_items_that_write_to_the_same_memory) {
  Call call = small();
  EXPECT_EQ(run(call), Status::success);
  for (const int stride : {0, 1, 3, 15}) {
    call[Slot::c].batch_stride = stride;
    EXPECT_EQ(run(call), Status::items_overlap) << stride;
    EXPECT_EQ(message([&] { throw_refusal(call, Status::items_overlap); }),
              "sgemm: items of the batch would write to the same memory");
  }
  call.batch = 2;
  call[Slot::c].stride = 9;  // lines of 4 at 0, 9, 18, 27
  for (const auto& [stride, good] : {std::pair{4, true},
                                     {5, true},
                                     {6, false},
                                     {3, false},
                                     {13, true},
                                     {14, true},
                                     {12, false},
                                     {30, false},
                                     {31, true},
                                     {27, false}}) {
    call[Slot::c].batch_stride = stride;
    EXPECT_EQ(run(call), good ? Status::success : Status::items_overlap) << stride;
  }
}

TEST_F(BatchRefusals, are_for_buffers_that_are_too_short_for_the_last_item) {
  Call call = small();
  call.batch = 11;
  EXPECT_EQ(run(call), Status::small_matrix_a);
  call[Slot::a].batch_stride = 0;
  EXPECT_EQ(run(call), Status::small_matrix_b);
  call[Slot::b].batch_stride = 14;
  EXPECT_EQ(run(call), Status::small_matrix_c);
  call.batch = 0;
  EXPECT_EQ(run(call), Status::invalid_value);
  call = small();
  call[Slot::a].batch_stride = -16;
  EXPECT_EQ(run(call), Status::invalid_leading_a);
}

TEST_F(BatchRefusals, of_places_name_the_item) {
  Call call = small();
  call.batch = 1;
  const auto on = Machine::get().queues();
  const std::vector<BatchItem> entries{{0, 0, 0}, {0, 145, 16}, {16, 16, 32}};
  EXPECT_EQ(message([&] { Batch(call, entries, on); }),
            "item 1: sgemm: the buffer of matrix B is shorter than its sizes, offset and stride "
            "say");
  EXPECT_EQ(message([&] { Batch(call, {}, on); }), "sgemm: a Batch has items");
  call.batch = 2;
  EXPECT_EQ(message([&] { Batch(call, entries, on); }),
            "sgemm: a Batch is of one gemm without a batch");
}

TEST_F(BatchRefusals, of_calls_in_groups_name_the_call_and_enqueue_nothing) {
  std::vector<Call> calls{small(), small()};
  calls[1].m = 5;
  EXPECT_EQ(message([&] { blas::run(std::span<const Call>(calls), Machine::get().queues(2)); }),
            "call 1: sgemm: the leading dimension of A is too small");
}

// ---- Calls in groups
TEST(CallsInGroups, of_mixed_sizes_and_routines_are_right_on_several_queues) {
  for (const std::size_t queues : {1, 3}) {
    std::vector<Call> calls;
    std::vector<std::unique_ptr<ProductData<double>>> data;
    for (const std::size_t size : {5, 260, 5, 33, 1}) {
      auto call = batch_of_products<double>(size, size, 7, size == 33 ? 3 : 1);
      data.push_back(std::make_unique<ProductData<double>>(call, Gaps{1, 0, 0, 2}));
      data.back()->upload(call);
      calls.push_back(call);
    }
    auto x = OperandData<double>::vector(50, 1, 0, 5), y = OperandData<double>::vector(50, 2, 1, 6);
    calls.push_back(axpy(50, 2.0, {x.upload().memory}, {y.upload().memory, 1, 2}));
    std::vector<cl_event> events(queues);
    blas::run(std::span<const Call>(calls), Machine::get().queues(queues), {}, events);
    for (cl_event event : events) {
      ASSERT_NE(event, nullptr);
      ASSERT_EQ(::clWaitForEvents(1, &event), CL_SUCCESS);
      ::clReleaseEvent(event);
    }
    for (std::size_t i = 0; i < data.size(); ++i) {
      Expected<double> expected(data[i]->c.data());
      for (std::size_t item = 0; item < calls[i].batch; ++item)
        data[i]->expect(calls[i], {item, item, item}, calls[i].alpha, calls[i].beta, expected);
      EXPECT_EQ(expected.difference(data[i]->c.data().download()), "") << i;
    }
    const auto sums = y.download();
    for (std::size_t i = 0; i < 50; ++i)
      EXPECT_NEAR(sums[1 + 2 * i], 2 * x.all()[i] + y.all()[1 + 2 * i], 1e-14);
  }
}

// Queues beyond the eighth get no work, whatever the number of calls.
TEST(CallsInGroups, are_shared_by_eight_queues_at_most) {
  std::vector<cl_command_queue> queues;
  for (int i = 0; i < 10; ++i) queues.push_back(Machine::get().queues(2)[i % 2]);
  auto call = batch_of_products<float>(3, 3, 3, 1);
  std::vector<std::unique_ptr<ProductData<float>>> data;
  std::vector<Call> calls;
  for (int i = 0; i < 12; ++i) {
    data.push_back(std::make_unique<ProductData<float>>(call, Gaps{}));
    data.back()->upload(call);
    calls.push_back(call);
  }
  std::vector<cl_event> events(queues.size());
  blas::run(std::span<const Call>(calls), queues, {}, events);
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i] != nullptr, i < 8) << i;
    if (events[i] == nullptr) continue;
    EXPECT_EQ(::clWaitForEvents(1, &events[i]), CL_SUCCESS);
    ::clReleaseEvent(events[i]);
  }
  for (const auto& one : data) {
    Expected<float> expected(one->c.data());
    one->expect(call, {0, 0, 0}, call.alpha, call.beta, expected);
    EXPECT_EQ(expected.difference(one->c.data().download()), "");
  }
}

TEST(CallsInGroups, of_none_end_after_the_wait_list) {
  cl_event event = nullptr;
  blas::run(std::span<const Call>(), Machine::get().queues(), {}, {&event, 1});
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(::clWaitForEvents(1, &event), CL_SUCCESS);
  ::clReleaseEvent(event);
}

}  // namespace
}  // namespace kiln::blas::testing
