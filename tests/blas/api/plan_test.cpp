// Plan: prepared once, run many times.
#include <thread>

#include "blas/api/product.hpp"

namespace kiln::blas::testing {
namespace {

void finish(std::size_t count) {
  for (auto* queue : queues(count)) clFinish(queue);
}

TEST(ApiPlan, runs_many_times_with_other_buffers_offsets_and_scalars) {
  for (const std::size_t count : {1, 3}) {
    const SmallProduct first;
    Plan plan(first.call(1, 0), queues(count));
    for (int round = 0; round < 40; ++round) {
      const SmallProduct product(round);
      const auto offset = static_cast<std::size_t>(round) % SmallProduct::most_offset;
      // An alpha of 0, 1 and others in turn: none may stick.
      const float alpha = static_cast<float>(round % 4), beta = static_cast<float>(round % 3 - 1);
      plan.run(product.call(alpha, beta, offset));
      finish(count);
      ASSERT_EQ(product.c.now(), product.expected(alpha, beta, offset))
          << "round " << round << " on " << count << " queues";
    }
  }
}

TEST(ApiPlan, repeats_its_own_call) {
  const SmallProduct product;
  Plan plan(product.call(1, 1), queues(1)[0]);
  auto expected = product.c.host();
  const auto added = product.expected(1, 0);
  for (int round = 1; round <= 5; ++round) {
    plan.repeat();
    for (std::size_t i = 0; i < SmallProduct::m * SmallProduct::n; ++i) expected[i] += added[i];
    ASSERT_EQ(product.c.now(), expected) << round;
  }
}

TEST(ApiPlan, may_be_run_again_while_it_computes) {
  const SmallProduct product;
  Plan plan(product.call(1, 1), queues(2));
  constexpr int rounds = 50;
  for (int round = 0; round < rounds; ++round) plan.repeat();
  finish(2);
  auto expected = product.c.host();
  const auto added = product.expected(rounds, 0);
  for (std::size_t i = 0; i < SmallProduct::m * SmallProduct::n; ++i) expected[i] += added[i];
  EXPECT_EQ(product.c.now(), expected);
}

TEST(ApiPlan, waits_and_gives_events) {
  const SmallProduct product;
  Plan plan(product.call(1, 0), queues(2));
  cl::UserEvent gate(cl::Context(Machine::get().context(), true));
  const cl_event before = gate();
  int never = 0;
  std::array<cl_event, 2> events;
  events.fill(reinterpret_cast<cl_event>(&never));
  plan.repeat({&before, 1}, events);
  ASSERT_NE(events[0], nullptr);
  clFlush(queues(1)[0]);
  cl_int state = CL_COMPLETE;
  clGetEventInfo(events[0], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
  EXPECT_GT(state, CL_COMPLETE);
  gate.setStatus(CL_COMPLETE);
  for (auto* event : events)
    if (event != nullptr) {
      EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
      clReleaseEvent(event);
    }
  EXPECT_EQ(product.c.now(), product.expected(1, 0));
}

TEST(ApiPlan, refuses_calls_of_another_shape_and_goes_on) {
  const SmallProduct product;
  Plan plan(product.call(1, 0), queues(1)[0]);
  const auto error_with = [&](auto change) {
    Call call = product.call(1, 0);
    change(call);
    return error_of([&] { plan.run(call); });
  };
  const std::string start = "bad_input: sgemm: the call does not fit the plan: ";
  EXPECT_EQ(error_with([](Call& call) { call.n = 8; }), start + "n is 8, the plan's is 70");
  EXPECT_EQ(error_with([](Call& call) { call[Slot::a].stride = 20; }),
            start + "the stride of A is 20, the plan's is 19");
  EXPECT_EQ(error_with([](Call& call) { call.trans_b = Transpose::transpose; }),
            start + "B's transposition is 1, the plan's is 0");
  EXPECT_EQ(error_with([](Call& call) { call.precision = Precision::d; }),
            "bad_input: dgemm: the call does not fit the plan: it is dgemm, the plan's is sgemm");
  EXPECT_EQ(error_with([](Call& call) { call[Slot::b].memory = nullptr; }),
            "bad_input: sgemm: matrix B is not a valid memory object");
  EXPECT_EQ(error_with([](Call& call) { call[Slot::c].offset = 1000; }),
            "bad_input: sgemm: the buffer of matrix C is shorter than its sizes, offset and "
            "stride say");
  plan.repeat();
  EXPECT_EQ(product.c.now(), product.expected(1, 0));
}

TEST(ApiPlan, is_not_made_of_a_wrong_call) {
  const SmallProduct product;
  Call call = product.call(1, 0);
  call.m = 0;
  EXPECT_EQ(error_of([&] { Plan(call, queues(1)[0]); }), "bad_input: sgemm: a dimension is zero");
  EXPECT_EQ(error_of([&] { Plan(product.call(1, 0), queues(0)); }),
            "bad_input: missing queue: a call needs at least one");
}

TEST(ApiPlan, moves_and_outlives_its_makers_handle_on_the_queue) {
  const SmallProduct product;
  cl_int status = CL_SUCCESS;
  cl_command_queue queue = clCreateCommandQueueWithProperties(
      Machine::get().context(), Machine::get().device().handle(), nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Plan made(product.call(2, 0), queue);
  clReleaseCommandQueue(queue);
  Plan plan = std::move(made);
  cl_event done = nullptr;
  plan.repeat({}, {&done, 1});
  EXPECT_EQ(clWaitForEvents(1, &done), CL_SUCCESS);
  clReleaseEvent(done);
  EXPECT_EQ(product.c.now(), product.expected(2, 0));
}

TEST(ApiPlan, plans_of_one_shape_run_in_several_threads) {
  std::vector<std::thread> threads;
  std::array<std::string, 3> wrong;
  for (std::size_t thread = 0; thread < wrong.size(); ++thread)
    threads.emplace_back([&wrong, thread] {
      const SmallProduct product(static_cast<int>(thread));
      const cl_command_queue queue = queues(3)[thread];
      Plan plan(product.call(1, 0), queue);
      for (int round = 0; round < 30; ++round) {
        plan.run(product.call(static_cast<float>(round), 0));
        clFinish(queue);
        if (product.c.now(queue) != product.expected(static_cast<float>(round), 0))
          wrong[thread] = "wrong in round " + std::to_string(round);
      }
    });
  for (auto& thread : threads) thread.join();
  for (const auto& text : wrong) EXPECT_EQ(text, "");
}

TEST(ApiPlan, keeps_the_device_memory_that_its_kernels_need) {
  const SmallProduct product;
  const Plan plan(product.call(1, 0), queues(1)[0]);
  EXPECT_EQ(plan.workspace_bytes(), explain(product.call(1, 0), queues(1)).workspace_bytes);
}

}  // namespace
}  // namespace kiln::blas::testing
