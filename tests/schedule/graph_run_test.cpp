#include <gtest/gtest.h>

#include <cstdlib>

#include "base/os/file.hpp"
#include "schedule/graph_run_support.hpp"
#include "schedule/graph_steps/arena.hpp"
#include "store/local/local_store.hpp"

namespace kiln::graph {
namespace {

class GraphRun : public ::testing::Test {
 protected:
  Runtime runtime_ = two_devices();
  Kernels kernels_{runtime_};
};

TEST_F(GraphRun, RandomGraphsGiveWhatTheirTasksGiveOneByOne) {
  const std::vector<Policy> policies{Policy::automatic, Policy::heft,    Policy::peft,
                                     Policy::lookahead, Policy::cluster, Policy::eager,
                                     Policy::one_device};
  // With KILN_LONG=1 1,000 graphs.
  const bool is_long = std::getenv("KILN_LONG") != nullptr;
  for (unsigned seed = 0; seed < (is_long ? 200U : 7U); ++seed) {
    for (int kind = 0; kind < device_kinds; ++kind) {
      Model model = random_model(kernels_, seed, 5 + seed % 14 * 4, kind == 1);
      const std::string what = "seed " + std::to_string(seed) + ", kind " + std::to_string(kind);
      PlanOptions options = options_for(kind, seed);
      options.policy = policies[seed % policies.size()];
      options.queues = 1 + seed % 5;
      expect_runs(runtime_, model, options, what);
    }
  }
}

TEST_F(GraphRun, AReaderAndTwoWhoChangeTheSameValueAllSeeIt) {
  for (const bool apart : {false, true}) {
    ModelMaker make(kernels_);
    const ValueId source = make.add(make.input(1), make.input(2));
    make.keep(make.mix(source, 11));
    make.keep(make.mix(source, 12));
    make.keep(make.add(source, source));
    make.keep(make.mix_with(source, source));
    PlannedGraph planned(runtime_, std::move(make.made().graph),
                         {.queues = 3, .as_if_apart = apart});
    planned.run({});
    expect_results(planned, make.made(), apart ? "apart" : "shared");
  }
}

TEST_F(GraphRun, EachVersionIsMovedOnceToEachMemoryThatReadsIt) {
  ModelMaker make(kernels_);
  const ValueId a = make.input(1), b = make.input(2);
  const ValueId sum = make.add(a, b, 0);
  ValueId last = none;
  for (std::uint32_t i = 0; i < 5; ++i) last = make.add(sum, b, 1);
  make.keep(last);
  PlannedGraph planned(runtime_, std::move(make.made().graph), {.queues = 2, .as_if_apart = true});
  planned.plan(PlannedGraph::Explore::no);
  const Steps& steps = planned.executable().steps();
  // Up: both inputs to the first, b and the sum to the second. Down: the sum and the result.
  EXPECT_EQ(steps.bytes_up, 4 * bytes);
  EXPECT_EQ(steps.bytes_down, 2 * bytes);
}

TEST_F(GraphRun, TasksThatHaveTheirPlaceNeedNoTimeElsewhere) {
  ModelMaker make(kernels_);
  ValueId value = make.mix(make.input(1), 1, 0);
  for (std::uint32_t i = 0; i < 4; ++i) value = make.mix(value, i, 0);
  make.keep(value);
  PlannedGraph planned(runtime_, std::move(make.made().graph), {.policy = Policy::heft});
  EXPECT_TRUE(planned.plan(PlannedGraph::Explore::yes).times_are_known);
  EXPECT_LE(planned.exploring_runs(), 1);
  planned.run({});
  expect_results(planned, make.made(), "one place");
}

TEST_F(GraphRun, ARunThatIsStoppedLeavesNothingRunning) {
  for (const bool apart : {false, true}) {
    ModelMaker make(kernels_);
    ValueId value = make.input(1);
    for (std::uint32_t i = 0; i < 200; ++i) value = make.half_only(value);
    make.keep(value);
    PlannedGraph planned(runtime_, std::move(make.made().graph), {.as_if_apart = apart});
    planned.plan(PlannedGraph::Explore::yes);
    try {
      planned.run({.stop = [] { return true; }});  // it may have ended before it is asked
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::refused);
    }
    planned.run({});
    expect_results(planned, make.made(), "after a stop");
  }
}

TEST_F(GraphRun, MemoryIsUsedAgain) {
  ModelMaker make(kernels_);
  ValueId value = make.input(1);
  for (std::uint32_t i = 0; i < 40; ++i) value = make.half_only(value);
  make.keep(value);
  PlannedGraph planned(runtime_, std::move(make.made().graph), {.as_if_apart = true});
  planned.run({});
  expect_results(planned, make.made(), "chain");
  std::size_t most = 0;
  for (const std::size_t peak : planned.executable().steps().peak_bytes)
    most = std::max(most, peak);
  EXPECT_LE(most, 2 * bytes);
}

TEST_F(GraphRun, DevicesThatShareMemoryDoNotWaitForWhatTheOtherHasFreed) {
  ModelMaker make(kernels_);
  ValueId first = make.input(1), second = make.input(2);
  for (std::uint32_t i = 0; i < 12; ++i) {
    first = make.add(first, first, 0);
    second = make.add(second, second, 1);
  }
  make.keep(first);
  make.keep(second);
  PlannedGraph planned(runtime_, std::move(make.made().graph), {});
  planned.run({});
  expect_results(planned, make.made(), "two chains");
  EXPECT_EQ(planned.executable().steps().slots, 0u);
}

TEST(GraphArena, BytesThatNobodyHasToBeWaitedForComeFirst) {
  Arena arena(1 << 20, 64);
  const auto a = arena.take(256), b = arena.take(64), c = arena.take(512);
  ASSERT_TRUE(a && b && c);
  arena.free(a->offset, 256, {0, 7});  // by queue 1, its step 7
  arena.free(c->offset, 512, {0, 3});
  // The smaller block would have to be waited for.
  const auto known = arena.take(200, {9, 3});
  ASSERT_TRUE(known);
  EXPECT_EQ(known->offset, c->offset);
  const auto waits = arena.take(200, {9, 3});
  ASSERT_TRUE(waits);
  EXPECT_EQ(waits->offset, c->offset + 256);
  EXPECT_EQ(arena.take(256, {9, 3}, 1 << 20)->after, Arena::Users());
}

TEST_F(GraphRun, AChainOnOneDeviceWaitsForNoEvent) {
  ModelMaker make(kernels_);
  ValueId value = make.mix(make.input(1), 1);
  for (std::uint32_t i = 0; i < 20; ++i) value = make.mix(value, i);
  make.keep(value);
  PlannedGraph planned(runtime_, std::move(make.made().graph), {.policy = Policy::one_device});
  planned.run({});
  expect_results(planned, make.made(), "chain");
  EXPECT_EQ(planned.executable().steps().slots, 0u);
  EXPECT_EQ(planned.executable().steps().all.size(), 22u);  // the copy of the input, and 21 tasks
}

TEST_F(GraphRun, WhatIsWrittenWholeGetsNoZerosAndTheRestDoes) {
  ModelMaker maker(kernels_);
  const ValueId a = maker.input(1), b = maker.input(2);
  maker.keep(maker.add(a, b));
  maker.keep(maker.half_only(a));
  const Model& model = maker.made();
  PlannedGraph planned(runtime_, model.graph, {});
  planned.plan(PlannedGraph::Explore::yes);
  std::size_t fills = 0;
  for (const Step& step : planned.executable().steps().all) fills += step.kind == Step::Kind::fill;
  EXPECT_EQ(fills, 1u) << "for half_only alone";
  for (int run = 0; run < 2; ++run) {
    planned.run({});
    expect_results(planned, model, "run " + std::to_string(run));
  }
}

TEST_F(GraphRun, ArraysThatLastGoFromDeviceToDevice) {
  const auto devices = static_cast<std::uint32_t>(runtime_.devices().size());
  for (const bool foreign : {false, true})
    for (const bool apart : {false, true}) {
      Contents expected(count);
      for (std::size_t i = 0; i < count; ++i) expected[i] = static_cast<std::uint32_t>(i);
      const auto storage = std::make_shared<ArrayStorage>(array_of(expected));
      WorkGraph graph;
      const std::uint32_t array = graph.add_array(storage);
      ValueId value = graph.array_value(array);
      for (std::uint32_t i = 0; i < 5; ++i) {
        const Task task = graph.add(kernels_.work("scramble", {Access::inout}, i), {value},
                                    {.device = i % devices, .arrays = {array}});
        value = graph.written(task, 0);
      }
      PlannedGraph planned(runtime_, std::move(graph),
                           {.as_if_apart = apart, .as_if_foreign = foreign});
      for (int run = 0; run < 3; ++run) {
        planned.run({});
        for (std::uint32_t i = 0; i < 5; ++i)
          for (auto& element : expected) element = (element ^ i) * 2654435761u + 1;
        EXPECT_EQ(
            std::memcmp(storage->on_host(ArrayStorage::HostUse::read), expected.data(), bytes), 0)
            << foreign << apart << ", run " << run;
      }
    }
}

TEST_F(GraphRun, APlanOfTheStoreIsTheOneThatWasMade) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-graph"));
  std::vector<std::vector<std::uint32_t>> devices;
  std::vector<bool> kept;
  for (int process = 0; process < 2; ++process) {
    const Runtime runtime(std::make_shared<Runtime::State>(
        std::make_unique<Resolver>(open_local_store((folder.path() / "store").string())), "cpu",
        Runtime::State::Single::halved));
    const Kernels kernels(runtime);
    ModelMaker maker(kernels);
    ValueId last = maker.input(1);
    for (std::uint32_t i = 0; i < 6; ++i) last = maker.add(maker.mix(last, i), maker.input(3 + i));
    maker.keep(last);
    const Model& model = maker.made();
    PlannedGraph planned(runtime, model.graph, {});
    const PlanReport& report = planned.plan(PlannedGraph::Explore::yes);
    kept.push_back(report.is_kept);
    devices.emplace_back();
    for (const auto& entry : report.timetable.tasks) devices.back().push_back(entry.device);
    EXPECT_GT(report.timetable.makespan_ns, 0);
    planned.run({});
    expect_results(planned, model, "process " + std::to_string(process));
  }
  EXPECT_EQ(kept, (std::vector<bool>{false, true}));
  EXPECT_EQ(devices[0], devices[1]);
}

}  // namespace
}  // namespace kiln::graph
