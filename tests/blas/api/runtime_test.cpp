#include "base/os/file.hpp"
#include "blas/api/product.hpp"
#include "store/local/local_store.hpp"

// Calls on a Runtime: its queues, its context and its store.

namespace kiln::blas::testing {
namespace {

class ApiRuntime : public ::testing::Test {
 protected:
  std::string place() const { return (folder.path() / "store").string(); }
  Runtime adopt(std::size_t count = 1) const {
    return Runtime::adopt(Machine::get().context(), queues(count), place());
  }
  std::size_t stored() const { return value_or_throw(LocalStore(place()).list()).size(); }

  const TemporaryFolder folder = value_or_throw(TemporaryFolder::create("kiln-blas"));
  const SmallProduct product;
};

TEST_F(ApiRuntime, runs_on_the_first_queue_and_keeps_programs_in_the_store_of_the_runtime) {
  const Runtime runtime = adopt();
  blas::run(product.call(2, -1), runtime).wait();
  EXPECT_EQ(product.c.now(), product.expected(2, -1));
  runtime.finish();
  EXPECT_GT(stored(), 0u);
}

TEST_F(ApiRuntime, begins_after_events_of_the_runtime) {
  const Runtime runtime = adopt(2);
  cl::UserEvent gate(cl::Context(Machine::get().context(), true));
  const Event done = blas::run(product.call(1, 0), runtime,
                               {.after = {Event::adopt(gate()), Event()}, .queue = queues(2)[1]});
  clFlush(queues(2)[1]);
  EXPECT_FALSE(done.is_complete()) << "ran before what it waits for";
  gate.setStatus(CL_COMPLETE);
  done.wait();
  EXPECT_EQ(product.c.now(), product.expected(1, 0));
}

TEST_F(ApiRuntime, a_plan_outlives_the_runtime_that_it_was_made_from) {
  std::optional<Runtime> runtime = adopt();
  Plan plan(product.call(1, 0), *runtime);
  const Sequence sequence = explain(product.call(1, 0), *runtime);
  ASSERT_FALSE(sequence.steps.empty());
  EXPECT_EQ(sequence.steps.back().found_in, "memory");
  runtime.reset();
  plan.repeat();
  clFinish(queues(1)[0]);
  EXPECT_EQ(product.c.now(), product.expected(1, 0));
}

TEST_F(ApiRuntime, computes_with_arrays_of_the_runtime) {
  const Runtime runtime = adopt(2);
  auto a = runtime.array<float>(product.a.host().size()),
       b = runtime.array<float>(product.b.host().size()),
       c = runtime.array<float>(product.c.host().size());
  std::ranges::copy(product.a.host(), a.overwrite().begin());
  std::ranges::copy(product.b.host(), b.overwrite().begin());
  std::ranges::copy(product.c.host(), c.overwrite().begin());
  const auto expected = product.expected(2, -1);
  Call call = product.call(2, -1);
  for (const cl_command_queue queue : queues(2)) {
    MemoryUse use(runtime, queue);
    call[Slot::a].memory = use.memory(a, Access::in);
    call[Slot::b].memory = use.memory(b, Access::in);
    call[Slot::c].memory = use.memory(c, Access::inout);
    use.end(blas::run(call, runtime, {.after = use.after(), .queue = use.queue()}));
    EXPECT_EQ(std::vector<float>(c.read().begin(), c.read().end()), expected);
    std::ranges::copy(product.c.host(), c.write().begin());
  }
}

TEST_F(ApiRuntime, runs_calls_of_any_kind) {
  const SmallProduct second(5);
  const std::array calls{product.call(2, -1), second.call(1, 3)};
  const Runtime runtime = adopt();
  cl::UserEvent gate(cl::Context(Machine::get().context(), true));
  const Event done = blas::run(calls, runtime, {.after = {Event::adopt(gate()), Event()}});
  clFlush(queues(1)[0]);
  EXPECT_FALSE(done.is_complete()) << "ran before what it waits for";
  gate.setStatus(CL_COMPLETE);
  done.wait();
  EXPECT_EQ(product.c.now(), product.expected(2, -1));
  EXPECT_EQ(second.c.now(), second.expected(1, 3));
  EXPECT_GT(stored(), 0u);
  blas::run(std::span<const Call>(), runtime).wait();
}

TEST_F(ApiRuntime, a_batch_outlives_the_runtime_that_it_was_made_from) {
  std::optional<Runtime> runtime = adopt();
  const std::array items{BatchItem{.alpha = 2, .beta = -1}};
  Batch batch(product.call(1, 0), items, *runtime);
  runtime.reset();
  batch.run();
  clFinish(queues(1)[0]);
  EXPECT_EQ(product.c.now(), product.expected(2, -1));
  EXPECT_GT(stored(), 0u);
}

TEST_F(ApiRuntime, refuses_queues_of_other_contexts) {
  const Runtime other({.devices = "cpu", .store = "off"});
  const cl_command_queue queue = queues(1)[0];
  const std::string refusal = "bad_input: the queue is of no context of this Runtime";
  EXPECT_EQ(error_of([&] { blas::run(product.call(1, 0), other, {.queue = queue}); }), refusal);
  EXPECT_EQ(error_of([&] { Plan(product.call(1, 0), other, queue); }), refusal);
  EXPECT_EQ(error_of([&] { explain(product.call(1, 0), other, queue); }), refusal);
  const std::array calls{product.call(1, 0)};
  EXPECT_EQ(error_of([&] { blas::run(calls, other, {.queue = queue}); }), refusal);
  const std::array items{BatchItem{}};
  EXPECT_EQ(error_of([&] { Batch(product.call(1, 0), items, other, queue); }), refusal);
  // Memory of another context is an argument that is wrong.
  EXPECT_TRUE(error_of([&] { blas::run(product.call(1, 0), other); }).starts_with("bad_input: "));
}

}  // namespace
}  // namespace kiln::blas::testing
