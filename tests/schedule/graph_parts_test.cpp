// Tasks in parts: which kernels have some, and graphs with parts anywhere.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/os/file.hpp"
#include "schedule/graph_findings/part_trials.hpp"
#include "schedule/graph_run_support.hpp"
#include "store/local/local_store.hpp"

namespace kiln::graph {
namespace {

constexpr const char* other_text = R"(
kernel void columns(global const float* a, global float* b) {  // 32 by 32
  const size_t column = get_global_id(0);
  for (size_t row = 0; row < 32; ++row) b[row * 32 + column] = 2 * a[row * 32 + column];
}
kernel void backwards(global const float* a, global float* b) {
  const size_t i = get_global_id(0);
  b[1023 - i] = a[i];
}
kernel void neighbours(global float* a) {
  const size_t i = get_global_id(0);
  if (i > 0) a[i] = a[i] + a[i - 1];
}
kernel void by_size(global float* a) { a[get_global_id(0)] = get_global_size(0); }
kernel void to_places(global const int* places, global float* a) {
  a[places[get_global_id(0)] & 1023] = 1;
}
kernel void from_places(global const int* places, global const float* a, global float* b) {
  b[get_global_id(0)] = a[places[get_global_id(0)] & 1023];
}
kernel void all_to_one(global const float* a, global float* sum) {
  if (get_global_id(0) % 64 == 0) sum[0] = a[get_global_id(0)];
}
kernel void add_columns(global const float* a, global float* sum) {  // 32 by 32
  const size_t place = get_global_id(1) * 32 + get_global_id(0);
  sum[place] += a[place];
}
kernel void add_all(global const float* a, global float* sum) {
  sum[get_global_id(0)] += a[get_global_id(0)];
}
kernel void long_work(global const float* a, global float* b) {
  const size_t i = get_global_id(0);
  float x = a[i];
  for (int round = 0; round < 40000; ++round) x = x * 0.999f + 0.001f;
  b[i] = x;
}
)";

/// A graph of one task whose parts are looked at on its first device.
class OneTask {
 public:
  /// `first`: what inputs begin with; 0: they are all zeros.
  OneTask(const Runtime& runtime, WorkPtr work, std::uint32_t first = 0x3f000000)
      : runtime_(runtime), work_(std::move(work)) {
    std::vector<ValueId> reads;
    inputs_.reserve(work_->uses().size());
    for (const Use& use : work_->uses()) {
      reads.push_back(none);
      if (use.access == Access::out) continue;
      Contents contents(use.bytes / 4);
      for (std::size_t i = 0; i < contents.size(); ++i)
        contents[i] = first == 0 ? 0 : first + static_cast<std::uint32_t>(i * 977 % 100000);
      inputs_.push_back(array_of(contents));
      reads.back() = graph_.add_input(inputs_.back());
    }
    const Task task = graph_.add(work_, reads, {});
    for (std::size_t use = 0; use < work_->uses().size(); ++use)
      if (graph_.written(task, use) != none) graph_.keep(graph_.written(task, use));
  }
  std::optional<KernelParts> parts(const std::vector<double>& weights, PartTrials& trials) {
    const std::vector<bool> zeros(work_->uses().size(), true);
    auto made = cut_kernel(static_cast<const KernelWork&>(*work_), weights, zeros);
    if (!made) return std::nullopt;
    std::vector<const Device*> devices(runtime_.state().devices().size());
    devices[0] = runtime_.state().devices()[0].get();
    const std::size_t number = trials.add(work_, *std::move(made), devices);
    if (trials.lack(0)) {
      PlannedGraph planned(runtime_, graph_, {.policy = Policy::one_device, .device = 0});
      planned.run({.before_task = [&](const TaskRun& run) { trials.before(run); },
                   .after_task = [&](const TaskRun& run) { trials.after(run); }});
      trials.save();
    }
    return trials.shown(number);
  }

 private:
  Runtime runtime_;
  WorkPtr work_;
  WorkGraph graph_;
  std::vector<HostArray> inputs_;
};

class GraphParts : public ::testing::Test {
 protected:
  std::optional<KernelParts> cut(const std::string& name, const std::vector<Access>& accesses,
                                 const std::vector<double>& weights = {1, 1},
                                 std::size_t items = count) {
    PartTrials trials(runtime_.state().resolver());
    return OneTask(runtime_, others_.work(name, accesses, {}, items)).parts(weights, trials);
  }
  Runtime runtime_ = two_devices();
  Kernels kernels_{runtime_};
  Kernels others_{runtime_, other_text};
};

TEST_F(GraphParts, WhatEachPartWritesIsFound) {
  const auto in_pieces = cut("long_work", {Access::in, Access::out}, {1, 3});
  ASSERT_TRUE(in_pieces);
  EXPECT_TRUE(in_pieces->are_in_pieces);
  ASSERT_EQ(in_pieces->parts.size(), 2u);
  EXPECT_EQ(in_pieces->parts[0].writes[1].begin, 0u);
  EXPECT_EQ(in_pieces->parts[0].writes[1].end, bytes / 4);
  EXPECT_EQ(in_pieces->parts[1].writes[1].end, bytes);
  // Parts of others write here and there.
  const std::vector<Access> accesses{Access::in, Access::out};
  for (const auto& anywhere : {cut("columns", accesses, {1, 1}, 32), cut("backwards", accesses)}) {
    ASSERT_TRUE(anywhere);
    EXPECT_FALSE(anywhere->are_in_pieces);
    EXPECT_EQ(anywhere->parts[0].writes[1].size(), 0u);
  }
}

TEST_F(GraphParts, WritesThatChangeNothingAreNotTakenForNone) {
  const std::vector<Access> accesses{Access::in, Access::inout};
  const auto parts = [&](const WorkPtr& work, std::uint32_t first) {
    PartTrials trials(runtime_.state().resolver());
    return OneTask(runtime_, work, first).parts({1, 1}, trials);
  };
  // Nothing is added: columns of all rows would seem to stay within half of the rows.
  for (const std::uint32_t number : {0u, 0x3f000000u}) {
    const auto columns = parts(others_.work("add_columns", accesses, {}, 32, 32), number);
    ASSERT_TRUE(columns);
    EXPECT_FALSE(columns->are_in_pieces) << number;
    const auto all = parts(others_.work("add_all", accesses), number);
    ASSERT_TRUE(all);
    EXPECT_EQ(all->are_in_pieces, number != 0);
  }
}

TEST_F(GraphParts, InputsMayBeReadAnywhere) {
  const auto parts = cut("from_places", {Access::in, Access::in, Access::out});
  ASSERT_TRUE(parts);
  EXPECT_TRUE(parts->are_in_pieces);
}

TEST_F(GraphParts, WhatIsNotTheSameInPartsStaysWhole) {
  EXPECT_FALSE(cut("neighbours", {Access::inout}));
  EXPECT_FALSE(cut("by_size", {Access::inout}));
  EXPECT_FALSE(cut("to_places", {Access::in, Access::out}));
  EXPECT_FALSE(cut("all_to_one", {Access::in, Access::out}));
  EXPECT_FALSE(cut("long_work", {Access::in, Access::out}, {1, 0})) << "a part without groups";
  EXPECT_FALSE(cut("long_work", {Access::in, Access::out}, {1, 1}, 8)) << "a single group";
}

TEST_F(GraphParts, WhatWasShownIsKeptInTheStore) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-parts"));
  std::vector<bool> alike;
  for (int process = 0; process < 2; ++process) {
    const Runtime runtime(std::make_shared<Runtime::State>(
        std::make_unique<Resolver>(open_local_store((folder.path() / "store").string())), "cpu",
        Runtime::State::Single::halved));
    const Kernels kernels(runtime, other_text);
    PartTrials trials(runtime.state().resolver());
    for (const char* name : {"long_work", "all_to_one"}) {
      OneTask task(runtime, kernels.work(name, {Access::in, Access::out}));
      alike.push_back(task.parts({1, 2}, trials).has_value());
    }
    EXPECT_EQ(trials.looks(), process == 0 ? 2 : 0);
  }
  EXPECT_EQ(alike, (std::vector<bool>{true, false, true, false}));
}

/// Some tasks of a graph in parts, of which policies then make what they like.
void cut_some(WorkGraph& graph, unsigned seed) {
  std::mt19937 random(seed);
  const auto tasks = static_cast<Task>(graph.tasks().size());
  for (Task task = 0; task < tasks; ++task) {
    const auto& entry = graph.tasks()[task];
    if (random() % 2 == 0 || entry.device != none) continue;
    const auto& work = static_cast<const KernelWork&>(*entry.work);
    const std::vector<double> weights(1 + random() % 3, random() % 2 == 0 ? 1.0 : 2.0);
    // What parts of these kernels write are pieces.
    const auto parts = cut_kernel(work, weights, std::vector<bool>(work.uses().size(), true));
    if (parts) graph.split(task, parts->parts);
  }
}

TEST_F(GraphParts, RandomGraphsWithRandomPartsGiveWhatWholeTasksGive) {
  const std::vector<Policy> policies{Policy::heft, Policy::peft, Policy::automatic, Policy::cluster,
                                     Policy::eager};
  std::size_t in_parts = 0;
  for (unsigned seed = 0; seed < (std::getenv("KILN_LONG") != nullptr ? 100U : 5U); ++seed)
    for (int kind = 0; kind < device_kinds; ++kind) {
      Model model = random_model(kernels_, seed, 4 + seed % 10 * 4, kind == 1);
      const std::size_t whole = model.graph.tasks().size();
      cut_some(model.graph, seed);
      in_parts += model.graph.tasks().size() - whole;
      PlanOptions options = options_for(kind, seed);
      options.policy = policies[seed % policies.size()];
      options.queues = 1 + seed % 3;
      expect_runs(runtime_, model, options, fmt::format("seed {}, kind {}", seed, kind));
    }
  EXPECT_GT(in_parts, 30u);
}

TEST_F(GraphParts, ALongTaskIsCutWhereAnotherDeviceIsIdle) {
  if (runtime_.devices().size() < 2) GTEST_SKIP() << "one device";
  const HostArray input = array_of(Contents(count, 0x3f000000));
  const auto graph = [&] {
    WorkGraph made;
    const Task task = made.add(others_.work("long_work", {Access::in, Access::out}),
                               {made.add_input(input), none}, {});
    made.keep(made.written(task, 1));
    return made;
  };
  PlannedGraph whole(runtime_, graph(), {});
  whole.plan(PlannedGraph::Explore::yes);
  const auto parts = whole.in_parts();
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->tasks().size(), 2u);
  EXPECT_EQ(parts->tasks()[1].label, "long_work, part 2 of 2");
  whole.run({});
  // Whichever of them is the faster one now.
  const auto chosen = plan_graph(runtime_, graph(), {});
  chosen->run({});
  const ByteView a = whole.executable().result(parts->written(0, 1)),
                 b = chosen->executable().result(parts->written(0, 1));
  EXPECT_TRUE(std::ranges::equal(a, b));
  // Other policies leave tasks as they are.
  PlannedGraph heft(runtime_, graph(), {.policy = Policy::heft});
  heft.plan(PlannedGraph::Explore::yes);
  EXPECT_FALSE(heft.in_parts());
}

}  // namespace
}  // namespace kiln::graph
