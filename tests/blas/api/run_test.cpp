#include "blas/api/product.hpp"
#include "forked_child.hpp"

// run(): what it refuses, what it waits for, and the events that it gives.

namespace kiln::blas::testing {
namespace {

cl_int state_of(cl_event event) {
  cl_int state = CL_QUEUED;
  EXPECT_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr),
            CL_SUCCESS);
  return state;
}

TEST(ApiRun, computes_on_one_queue_and_on_several) {
  for (const std::size_t count : {1, 2, 4}) {
    const SmallProduct product(static_cast<int>(count));
    blas::run(product.call(2, -1, 3), queues(count));
    for (auto* queue : queues(count)) clFinish(queue);
    EXPECT_EQ(product.c.now(), product.expected(2, -1, 3)) << count << " queues";
  }
}

TEST(ApiRun, begins_after_its_wait_list_and_gives_an_event) {
  const SmallProduct product;
  cl::UserEvent gate(cl::Context(Machine::get().context(), true));
  const cl_event before = gate();
  cl_event done = nullptr;
  blas::run(product.call(1, 0), queues(1)[0], {&before, 1}, &done);
  ASSERT_NE(done, nullptr);
  clFlush(queues(1)[0]);
  EXPECT_GT(state_of(done), CL_COMPLETE) << "ran before what it waits for";
  gate.setStatus(CL_COMPLETE);
  EXPECT_EQ(clWaitForEvents(1, &done), CL_SUCCESS);
  clReleaseEvent(done);
  EXPECT_EQ(product.c.now(), product.expected(1, 0));
}

TEST(ApiRun, gives_each_queue_an_event_or_null) {
  const SmallProduct product;
  int never = 0;
  std::array<cl_event, 2> events;
  events.fill(reinterpret_cast<cl_event>(&never));
  // A vector's update is one queue's work.
  blas::run(blas::axpy(8, 2.0f, {product.a.memory()}, {product.c.memory()}), queues(2), {}, events);
  ASSERT_NE(events[0], nullptr);
  EXPECT_EQ(clWaitForEvents(1, events.data()), CL_SUCCESS);
  clReleaseEvent(events[0]);
  EXPECT_EQ(events[1], nullptr);
}

TEST(ApiRun, lets_a_wait_list_and_the_events_be_one_array) {
  const SmallProduct product;
  cl::UserEvent gate(cl::Context(Machine::get().context(), true));
  std::array<cl_event, 1> events{gate()};
  blas::run(product.call(1, 1), queues(1), events, events);
  ASSERT_NE(events[0], gate());
  gate.setStatus(CL_COMPLETE);
  EXPECT_EQ(clWaitForEvents(1, events.data()), CL_SUCCESS);
  clReleaseEvent(events[0]);
  EXPECT_EQ(product.c.now(), product.expected(1, 1));
}

TEST(ApiRun, says_which_argument_is_wrong) {
  const SmallProduct product;
  const auto error_with = [&](auto change) {
    Call call = product.call(1, 0);
    change(call);
    return error_of([&] { blas::run(call, queues(1)); });
  };
  EXPECT_EQ(error_with([](Call&) {}), "nothing");
  EXPECT_EQ(error_with([](Call& call) { call[Slot::a].memory = nullptr; }),
            "bad_input: sgemm: matrix A is not a valid memory object");
  EXPECT_EQ(error_with([](Call& call) { call.n = 0; }), "bad_input: sgemm: a dimension is zero");
  EXPECT_EQ(error_with([](Call& call) { call[Slot::b].stride = SmallProduct::k - 1; }),
            "bad_input: sgemm: the leading dimension of B is too small");
  EXPECT_EQ(error_with([](Call& call) { call[Slot::c].offset = SmallProduct::most_offset + 1; }),
            "bad_input: sgemm: the buffer of matrix C is shorter than its sizes, offset and "
            "stride say");
  const auto herk =
      blas::herk<std::complex<float>>(Order::column_major, Uplo::upper, Transpose::transpose, 2, 2,
                                      1, {product.a.memory(), 0, 2}, 0, {product.c.memory(), 0, 2});
  EXPECT_EQ(error_of([&] { blas::run(herk, queues(1)); }),
            "bad_input: cherk: BLAS does not define this combination of options");
}

TEST(ApiRun, a_buffer_in_place_of_a_queue_is_refused) {
  const SmallProduct product;
  auto* const queue = reinterpret_cast<cl_command_queue>(product.c.memory());
  const std::string refused = "bad_input: sgemm: CL_INVALID_COMMAND_QUEUE";
  EXPECT_EQ(error_of([&] { blas::run(product.call(1, 0), queue); }), refused);
  EXPECT_EQ(error_of([&] { Plan(product.call(1, 0), queue); }), refused);
  EXPECT_EQ(error_of([&] { blas::explain(product.call(1, 0), queue); }), refused);
}

TEST(ApiRun, a_plan_that_was_moved_from_says_so) {
  const SmallProduct product;
  Plan old(product.call(1, 0), queues(1));
  const Plan plan(std::move(old));
  const std::string moved =
      "bad_input: the Plan was moved from; use the object that it was moved to";
  EXPECT_EQ(error_of([&] { old.repeat(); }), moved);
  EXPECT_EQ(error_of([&] { old.run(product.call(1, 0)); }), moved);
  EXPECT_EQ(error_of([&] { (void)old.workspace_bytes(); }), moved);
}

TEST(ApiRun, needs_a_queue_and_room_for_its_events) {
  const SmallProduct product;
  EXPECT_EQ(error_of([&] { blas::run(product.call(1, 0), queues(0)); }),
            "bad_input: missing queue: a call needs at least one");
  EXPECT_EQ(error_of([&] { blas::run(product.call(1, 0), cl_command_queue(nullptr)); }),
            "bad_input: sgemm: CL_INVALID_COMMAND_QUEUE");
  std::array<cl_event, 1> events{};
  EXPECT_EQ(error_of([&] { blas::run(product.call(1, 0), queues(2), {}, events); }),
            "bad_input: found room for 1 event, expected one for each of 2 queues");
  const cl_event none = nullptr;
  EXPECT_EQ(error_of([&] {
              blas::run(product.call(1, 0), queues(1), {&none, 1}, events);
            }),
            "bad_input: sgemm: CL_INVALID_EVENT_WAIT_LIST");
  EXPECT_EQ(events[0], nullptr);
}

}  // namespace
}  // namespace kiln::blas::testing

// fork() during calls: the child is refused and does not wait for ever, the parent goes on.

namespace kiln::blas::testing {
namespace {

TEST(ForkAndBlas, a_child_is_refused_and_the_parent_goes_on) {
  using kiln::testing::after_fork;
  using kiln::testing::refusal_in_child;
  auto* const queue = Machine::get().queues()[0];
  const SmallProduct product;
  blas::run(product.call(1, 0), queue);
  EXPECT_EQ(product.c.now(), product.expected(1, 0));
  blas::Plan plan(product.call(1, 0), queue);
  EXPECT_EQ(refusal_in_child([&] { blas::run(product.call(1, 0), queue); }), after_fork);
  EXPECT_EQ(refusal_in_child([&] { blas::Plan(product.call(1, 0), queue); }), after_fork);
  EXPECT_EQ(refusal_in_child([&] { plan.run(product.call(1, 0)); }), after_fork);
  blas::run(product.call(2, 0), queue);
  EXPECT_EQ(product.c.now(), product.expected(2, 0));
}

}  // namespace
}  // namespace kiln::blas::testing
