#include "blas/clblas/computer.hpp"
#include "blas/clblas/families.hpp"

namespace clblas_test {
namespace {

/// Every family on memory that is large enough for all.
class Events : public ::testing::TestWithParam<Family> {
 protected:
  Events() {
    for (cl_mem* operand : {&operands_.a, &operands_.b, &operands_.c, &operands_.x, &operands_.y,
                            &operands_.z, &operands_.w}) {
      buffers_.push_back(computer_.buffer(std::vector<double>(8 * 8 * 2, 1)));
      *operand = buffers_.back()();
    }
    operands_.queues = computer_.queues();
  }
  clblasStatus call() const { return GetParam().call(operands_); }

  Computer computer_;
  Operands operands_;
  std::vector<cl::Buffer> buffers_;
};

cl_int status_of(cl_event event) {
  cl_int state = CL_QUEUED;
  EXPECT_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr),
            CL_SUCCESS);
  return state;
}

TEST_P(Events, are_set_and_complete) {
  cl_event event = nullptr;
  operands_.events = &event;
  ASSERT_EQ(call(), clblasSuccess);
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
  EXPECT_EQ(status_of(event), CL_COMPLETE);
  EXPECT_EQ(clReleaseEvent(event), CL_SUCCESS);
}

TEST_P(Events, come_after_the_wait_list_which_may_be_the_same_array) {
  cl::UserEvent gate(computer_.context());
  cl_event event = gate();
  clRetainEvent(event);  // the array's own reference, which the call's event takes the place of
  operands_.wait_count = 1;
  operands_.waits = &event;
  operands_.events = &event;
  ASSERT_EQ(call(), clblasSuccess);
  clReleaseEvent(gate());
  ASSERT_NE(event, gate());
  clFlush(computer_.queue()());
  EXPECT_GT(status_of(event), CL_COMPLETE) << "ran before what it waits for";
  gate.setStatus(CL_COMPLETE);
  EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
  clReleaseEvent(event);
}

TEST_P(Events, of_two_queues_are_events_or_null) {
  int never;
  cl_event events[] = {reinterpret_cast<cl_event>(&never), reinterpret_cast<cl_event>(&never)};
  operands_.queue_count = 2;
  operands_.events = events;
  ASSERT_EQ(call(), clblasSuccess);
  computer_.finish();
  ASSERT_NE(events[0], nullptr);
  for (auto* event : events) {
    if (event == nullptr) continue;
    EXPECT_EQ(status_of(event), CL_COMPLETE);
    EXPECT_EQ(clReleaseEvent(event), CL_SUCCESS);
  }
}

TEST_P(Events, are_not_needed_with_two_queues) {
  operands_.queue_count = 2;
  EXPECT_EQ(call(), clblasSuccess);
  computer_.finish();
}

INSTANTIATE_TEST_SUITE_P(Of, Events, ::testing::ValuesIn(families()),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(EventsOfFailures, are_left_alone) {
  Computer computer;
  int never;
  auto* const before = reinterpret_cast<cl_event>(&never);
  cl_event event = before;
  EXPECT_EQ(
      clblasSaxpy(1, 1, nullptr, 0, 1, nullptr, 0, 1, 1, computer.queues(), 0, nullptr, &event),
      clblasInvalidVecX);
  EXPECT_EQ(event, before);
}

}  // namespace
}  // namespace clblas_test
