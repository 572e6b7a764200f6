// Graphs of the public API, as a user meets them.
#include "kiln/graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "kernel/runtime.hpp"
#include "kiln/blas.hpp"

namespace kiln {
namespace {

using testing::HasSubstr;

constexpr const char* text = R"(
kernel void scale(global const float* x, global float* y, float by) {
  y[get_global_id(0)] = by * x[get_global_id(0)];
}
kernel void add_one(global float* x) { x[get_global_id(0)] += 1; }
)";

class GraphTest : public testing::Test {
 protected:
  // Two halves of the processor, where it has two units.
  Runtime runtime_{
      std::make_shared<Runtime::State>(nullptr, "cpu", Runtime::State::Single::halved)};
  Kernel scale_ = runtime_.kernel(Source::text(text), "scale");
  Kernel add_one_ = runtime_.kernel(Source::text(text), "add_one");
  static constexpr std::size_t count = 256;
  const Range range_{{count}, {64}};

  Array<float> filled(float with) const {
    auto array = runtime_.array<float>(count);
    std::ranges::fill(array.overwrite(), with);
    return array;
  }
  static std::vector<float> values(const Array<float>& array) {
    const auto read = array.read();
    return {read.begin(), read.end()};
  }
};

TEST_F(GraphTest, RunsCallsInTheOrderThatTheirDataAsk) {
  Graph graph(runtime_);
  const auto x = filled(3), result = filled(0);
  const auto between = graph.array<float>(count);
  graph.add(scale_(x, between, 2.0f), range_);
  graph.add(add_one_(between), range_);
  graph.add(scale_(between, result, 10.0f), range_);
  GraphPlan plan = graph.plan();
  for (int run = 0; run < 3; ++run) {
    plan.run();
    EXPECT_EQ(values(result), std::vector<float>(count, 70)) << run;
  }
  EXPECT_EQ(values(x), std::vector<float>(count, 3));
  const GraphReport report = plan.report(true);
  ASSERT_EQ(report.tasks.size(), 3u);
  EXPECT_THAT(report.tasks[2].after, testing::Contains(1u));
  EXPECT_FALSE(report.policies.empty());
}

TEST_F(GraphTest, AnArrayOfTheApplicationGoesOnFromRunToRun) {
  Graph graph(runtime_);
  const auto x = filled(5);
  graph.add(add_one_(x), range_);
  graph.add(add_one_(x), range_);
  GraphPlan plan = graph.plan();
  for (int run = 1; run <= 4; ++run) {
    plan.run();
    EXPECT_EQ(values(x), std::vector<float>(count, 5.0f + 2.0f * static_cast<float>(run)));
  }
}

TEST_F(GraphTest, AReaderBeforeAChangeSeesWhatWasThere) {
  Graph graph(runtime_);
  const auto x = filled(1), before = filled(0), after = filled(0);
  graph.add(scale_(x, before, 1.0f), range_);
  graph.add(add_one_(x), range_);
  graph.add(scale_(x, after, 1.0f), range_);
  graph.plan().run();
  EXPECT_EQ(values(before), std::vector<float>(count, 1));
  EXPECT_EQ(values(after), std::vector<float>(count, 2));
}

TEST_F(GraphTest, WhatIsLeftUnreadOrKeptIsAResult) {
  Graph graph(runtime_);
  const auto x = filled(1);
  const auto kept = graph.array<float>(count), last = graph.array<float>(count);
  graph.add(scale_(x, kept, 4.0f), range_);
  graph.add(scale_(kept, last, 2.0f), range_);
  graph.keep(kept);
  graph.plan().run();
  EXPECT_EQ(values(kept), std::vector<float>(count, 4));
  EXPECT_EQ(values(last), std::vector<float>(count, 8));
}

TEST_F(GraphTest, TakesMemoryOfTheHost) {
  Graph graph(runtime_);
  // One element on: not aligned as devices need it.
  std::vector<float> given(count + 1, 2), written(count + 1, 0);
  const std::span<const float> input(given.data() + 1, count);
  const std::span<float> output(written.data() + 1, count);
  graph.add(scale_(in(input), out(output), 3.0f), range_);
  GraphPlan plan = graph.plan();
  plan.run();
  EXPECT_EQ(written[0], 0);
  EXPECT_EQ(written[1], 6);
  EXPECT_EQ(written[count], 6);
  std::ranges::fill(given, 5.0f);
  plan.run();
  EXPECT_EQ(written[count], 15);
}

TEST_F(GraphTest, MemoryOfTheHostIsReadBeforeALaterCallWritesIt) {
  Graph graph(runtime_);
  std::vector<float> x(count, 1), y(count, 0);
  graph.add(scale_(in(x), out(y), 3.0f), range_);
  graph.add(scale_(in(y), out(x), 2.0f), range_);
  GraphPlan plan = graph.plan();
  plan.run();
  EXPECT_EQ(y, std::vector<float>(count, 3));
  EXPECT_EQ(x, std::vector<float>(count, 6));
  // A part of what a call writes has no order with it.
  Graph parts(runtime_);
  std::vector<float> both(2 * count, 0);
  parts.add(scale_(in(y), out(std::span(both)), 1.0f), range_);
  parts.add(scale_(in(std::span(both).subspan(count / 2, count)), out(x), 1.0f), range_);
  EXPECT_THROW(parts.plan(), Error);
}

TEST_F(GraphTest, AnArrayOfTheGraphStartsFromZerosInEachRun) {
  Graph graph(runtime_);
  const auto x = graph.array<float>(count);
  graph.add(add_one_(x), range_);
  GraphPlan plan = graph.plan();
  for (int run = 0; run < 3; ++run) {
    plan.run();
    EXPECT_EQ(values(x), std::vector<float>(count, 1));
  }
}

TEST_F(GraphTest, BlasCallsAndFunctionsOfTheHostAreTasks) {
  Graph graph(runtime_);
  constexpr std::size_t n = 16;  // n * n elements
  const auto a = filled(1), b = filled(2), c = filled(0);
  const auto product = graph.array<float>(count);
  std::vector<float> seen;
  graph.add(blas::gemm<float>(blas::Order::row_major, blas::Transpose::none, blas::Transpose::none,
                              n, n, n, 1, {graph.memory(a), 0, n}, {graph.memory(b), 0, n}, 0,
                              {graph.memory(product), 0, n}));
  graph.add_host(
      [&](std::span<const std::span<std::byte>> memory) {
        auto* values = reinterpret_cast<float*>(memory[0].data());
        seen.assign(values, values + count);
        for (std::size_t i = 0; i < count; ++i) values[i] += 1;
      },
      {Graph::changes(product)}, {.label = "look"});
  graph.add(scale_(product, c, 2.0f), range_);
  GraphPlan plan = graph.plan();
  for (int run = 0; run < 2; ++run) {
    plan.run();
    EXPECT_EQ(seen, std::vector<float>(count, 32));
    EXPECT_EQ(values(c), std::vector<float>(count, 66));
  }
  EXPECT_TRUE(plan.report().tasks[1].on_host);
}

TEST_F(GraphTest, WhatAFunctionThrowsComesOutAndTheNextRunIsRight) {
  Graph graph(runtime_);
  const auto x = filled(1), y = filled(0);
  bool fails = true;
  graph.add_host(
      [&](std::span<const std::span<std::byte>>) {
        if (fails) throw std::runtime_error("no such thing");
      },
      {Graph::reads(x)});
  graph.add(scale_(x, y, 2.0f), range_);
  GraphPlan plan = graph.plan();
  EXPECT_THROW(plan.run(), std::runtime_error);
  fails = false;
  plan.run();
  EXPECT_EQ(values(y), std::vector<float>(count, 2));
}

TEST_F(GraphTest, EveryPolicyGivesTheSame) {
  for (const char* policy :
       {"auto", "heft", "peft", "lookahead", "cluster", "eager", "one-device"}) {
    Graph graph(runtime_);
    const auto x = filled(2), sum = filled(0);
    std::vector<Array<float>> parts;
    for (int i = 0; i < 6; ++i) {
      parts.push_back(graph.array<float>(count));
      graph.add(scale_(x, parts.back(), static_cast<float>(i)), range_);
      graph.add(add_one_(parts.back()), range_);
    }
    graph.add(scale_(parts[5], sum, 1.0f), range_);
    GraphPlan plan = graph.plan({.policy = policy});
    for (int run = 0; run < 3; ++run) plan.run();
    EXPECT_EQ(values(sum), std::vector<float>(count, 11)) << policy;
  }
}

TEST_F(GraphTest, SaysWhatIsWrong) {
  Graph graph(runtime_);
  const auto x = filled(2), y = filled(0);
  graph.add(scale_(x, y, 1.0f), range_);
  const auto message_of = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_input);
      return error.message();
    }
    return "";
  };
  EXPECT_THAT(message_of([&] { graph.plan({.policy = "hefty"}); }),
              HasSubstr("found policy 'hefty', expected auto, heft"));
  EXPECT_THAT(message_of([&] { graph.add(scale_(x, y, 1.0f), range_, {.after = {{9}}}); }),
              HasSubstr("task 9"));
  EXPECT_THAT(message_of([&] { graph.add(blas::scal<float>(4, 2.0f, blas::Vector(nullptr))); }),
              HasSubstr("Graph::memory()"));
  EXPECT_THAT(message_of([&] { graph.plan().result(0, 1); }), HasSubstr("found no result"));
  EXPECT_THAT(message_of([&] { graph.add_host({}, {}); }), HasSubstr("found no function"));
  graph.add(scale_(x, y, 1.0f), range_, {.label = "far", .device = 7});
  EXPECT_THAT(message_of([&] { graph.plan(); }), HasSubstr("task far: found device 7"));
}

}  // namespace
}  // namespace kiln
