#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "graph_cases.hpp"
#include "schedule/graph/bounds.hpp"
#include "schedule/graph/improve.hpp"
#include "schedule/graph/policies.hpp"
#include "test_paths.hpp"

namespace kiln::graph {
namespace {

/// The example of the paper on HEFT: ten tasks, three processors.
Problem published_example() {
  Problem problem;
  problem.run_ns = {14, 16, 9, 13, 19, 18, 11, 13, 19, 13, 8,  17, 12, 13, 10,
                    13, 16, 9, 7,  15, 11, 5,  11, 14, 18, 12, 20, 21, 7,  16};
  problem.devices = {{"a", 0, 1, {}}, {"b", 1, 1, {}}, {"c", 2, 1, {}}};
  problem.links.assign(9, {0, 1});
  problem.graph = *TaskGraph::make(10, {{0, 1, 18},
                                        {0, 2, 12},
                                        {0, 3, 9},
                                        {0, 4, 11},
                                        {0, 5, 14},
                                        {1, 7, 19},
                                        {1, 8, 16},
                                        {2, 6, 23},
                                        {3, 7, 27},
                                        {3, 8, 23},
                                        {4, 8, 13},
                                        {5, 7, 15},
                                        {6, 9, 17},
                                        {7, 9, 11},
                                        {8, 9, 13}});
  value_or_throw(problem.complete());
  return problem;
}

TEST(GraphPolicies, GiveWhatIsPublishedForTheExampleOfHeft) {
  const Problem problem = published_example();
  const auto ranks = upward_ranks(problem);
  const std::vector<double> published{108, 77, 80, 80, 69, 63.3, 42.7, 35.7, 44.3, 14.7};
  for (std::size_t task = 0; task < published.size(); ++task)
    EXPECT_NEAR(ranks[task], published[task], 0.05) << task;
  EXPECT_EQ(heft(problem).makespan_ns, 80);
  EXPECT_EQ(peft(problem).makespan_ns, 85);
  EXPECT_EQ(lookahead(problem).makespan_ns, 76);
}

TEST(GraphPolicies, AnEmptyGraphAndASingleTaskAreDoneAtOnce) {
  Problem problem;
  problem.graph = *TaskGraph::make(0, {});
  problem.devices = {{"a", 0, 1, {}}};
  problem.links = {{}};
  value_or_throw(problem.complete());
  EXPECT_EQ(best_timetable(problem, SearchEffort::usual(0)).makespan_ns, 0);
  EXPECT_EQ(eager(problem).makespan_ns, 0);
  EXPECT_EQ(bounds(problem).mixed_ns, 0);
  problem.graph = *TaskGraph::make(1, {});
  problem.run_ns = {7};
  value_or_throw(problem.complete());
  EXPECT_EQ(best_timetable(problem, SearchEffort::usual(1)).makespan_ns, 7);
  EXPECT_EQ(bounds(problem).mixed_ns, 7);
}

std::vector<std::pair<std::string, Timetable>> of_all_policies(const Problem& problem) {
  std::vector<std::pair<std::string, Timetable>> all{
      {"heft", heft(problem)},   {"heft, least", heft(problem, RankBy::least)},
      {"peft", peft(problem)},   {"lookahead", lookahead(problem)},
      {"eager", eager(problem)}, {"clusters", clusters(problem, linear_clusters(problem))}};
  for (std::size_t device = 0; device < problem.devices.size(); ++device)
    all.emplace_back("device " + std::to_string(device), one_device(problem, device));
  all.emplace_back("best", best_timetable(problem, {.evaluations = 80}));
  return all;
}

/// Any graph over any two or three devices, some tasks bound to one, some without any work.
Problem any_problem() {
  const auto tasks = *rc::gen::inRange<std::size_t>(1, 40);
  std::vector<TaskGraph::Edge> edges;
  for (Task to = 1; to < tasks; ++to)
    for (auto parents = *rc::gen::inRange(0, 3); parents > 0; --parents)
      edges.push_back(
          {*rc::gen::inRange<Task>(0, to), to, static_cast<double>(*rc::gen::inRange(0, 30))});
  Problem problem;
  problem.graph = *TaskGraph::make(tasks, edges);
  const auto devices = *rc::gen::inRange<std::size_t>(1, 4);
  for (std::size_t device = 0; device < devices; ++device)
    problem.devices.push_back({std::to_string(device),
                               static_cast<std::uint32_t>(device) / 2,
                               *rc::gen::inRange<std::uint32_t>(1, 4),
                               {1, 1.5, 1.7}});
  const std::size_t memories = (devices + 1) / 2;
  for (std::size_t link = 0; link < memories * memories; ++link)
    problem.links.push_back({static_cast<double>(*rc::gen::inRange(0, 9)),
                             static_cast<double>(*rc::gen::inRange(0, 3))});
  for (Task task = 0; task < tasks; ++task) {
    const auto only = *rc::gen::inRange<std::size_t>(0, 2 * devices);
    for (std::size_t device = 0; device < devices; ++device)
      problem.run_ns.push_back(
          only < devices && only != device ? never : static_cast<double>(*rc::gen::inRange(0, 50)));
  }
  value_or_throw(problem.complete());
  return problem;
}

RC_GTEST_PROP(GraphPolicies, KeepEveryOrderAndAreNeverBelowTheBounds, ()) {
  const Problem problem = any_problem();
  const Bounds bound = bounds(problem);
  RC_ASSERT(bound.mixed_ns >= bound.path_ns);
  RC_ASSERT(bound.mixed_ns >= bound.work_ns);
  double least = never;
  for (const auto& [name, table] : of_all_policies(problem)) {
    const auto fits = check_timetable(problem, table);
    if (!fits) RC_FAIL(name + ": " + fits.error().message());
    if (table.makespan_ns < bound.mixed_ns * (1 - 1e-9)) RC_FAIL(name + " is below the bound");
    if (name != "best")
      least = std::min(least, table.makespan_ns);
    else
      RC_ASSERT(table.makespan_ns <= least || problem.lanes() == 1);
    const auto order = table.order(problem.graph);
    std::vector<std::size_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    for (Task task = 0; task < order.size(); ++task)
      for (const auto& before : problem.graph.predecessors(task))
        RC_ASSERT(place[before.task] < place[task]);
  }
}

TEST(GraphPolicies, CheckTimetableFindsWhatIsWrong) {
  const Problem problem = published_example();
  const Timetable right = heft(problem);
  ASSERT_TRUE(check_timetable(problem, right));
  const auto is_refused = [&](auto&& change) {
    Timetable wrong = right;
    change(wrong);
    return !check_timetable(problem, wrong);
  };
  EXPECT_TRUE(is_refused([](Timetable& t) { t.tasks.pop_back(); }));
  EXPECT_TRUE(is_refused([](Timetable& t) { t.tasks[3].device = 7; }));
  EXPECT_TRUE(is_refused([](Timetable& t) { t.tasks[3].lane = 1; }));
  EXPECT_TRUE(is_refused([](Timetable& t) { t.tasks[3].end_ns -= 2; }));
  EXPECT_TRUE(is_refused([](Timetable& t) { t.makespan_ns -= 1; }));
  EXPECT_TRUE(is_refused([](Timetable& t) {  // the last task at the begin
    t.tasks[9].end_ns -= t.tasks[9].start_ns;
    t.tasks[9].start_ns = 0;
  }));
  EXPECT_TRUE(is_refused([&](Timetable& t) {  // two tasks of one lane at a time
    for (auto& entry : t.tasks) entry = {0, 0, 100, 100 + problem.run(1, 0)};
  }));
}

TEST(GraphPolicies, GiveTheKnownAnswersOfTheSharedGraphs) {
  const std::string folder = std::string(KILN_SHARED_DIR) + "/data/task-graphs/";
  std::ifstream table(folder + "expected.tsv");
  if (!table) GTEST_SKIP() << folder << " is absent";
  const auto costs = nlohmann::json::parse(std::ifstream(folder + "costs.json"));
  const auto microseconds = [&](const std::string& kernel, const char* what) {
    return std::round(costs[kernel][what].get<double>() * 1e6);
  };
  std::string line;
  std::getline(table, line);
  std::size_t graphs = 0;
  for (; std::getline(table, line); ++graphs) {
    std::istringstream fields(line);
    std::string name;
    double tasks, edges, pairs, levels, widest, on_gpu, on_cpu, path, work, bound, made_by_heft,
        rank, on_cpu_by_heft, made_by_peft;
    fields >> name >> tasks >> edges >> pairs >> levels >> widest >> on_gpu >> on_cpu >> path >>
        work >> bound >> made_by_heft >> rank >> on_cpu_by_heft >> made_by_peft;
    SCOPED_TRACE(name);
    std::ifstream file(folder + name + ".graph");
    std::map<std::string, Task> task_of;
    std::vector<std::string> kernels;
    std::map<std::pair<Task, Task>, double> transfers;
    for (int part = 0; part < 2 && std::getline(file, line);) {
      std::istringstream words(line);
      std::string id, middle, last;
      words >> id >> middle >> last;
      if (id == "---") {
        ++part;
      } else if (part == 0) {
        task_of[id] = static_cast<Task>(kernels.size());
        kernels.push_back(middle.substr(0, middle.find(".json")));
      } else {
        const Task to = task_of[middle.substr(middle.find("->") + 2)];
        transfers[{task_of[id], to}] = microseconds(kernels[to], "h2d_time");
      }
    }
    Problem problem;
    std::vector<TaskGraph::Edge> all;
    for (const auto& [pair, time] : transfers) all.push_back({pair.first, pair.second, time});
    problem.graph = *TaskGraph::make(kernels.size(), all);
    problem.devices = {{"gpu", 1, 1, {}}, {"cpu", 0, 1, {}}};
    problem.links = {{}, {0, 1}, {0, 1}, {}};
    for (const auto& kernel : kernels)
      for (const char* on : {"exec_gpu", "exec_cpu"})
        problem.run_ns.push_back(microseconds(kernel, on));
    value_or_throw(problem.complete());
    EXPECT_EQ(static_cast<double>(problem.graph.size()), tasks);
    EXPECT_EQ(static_cast<double>(problem.graph.edges()), pairs);
    const auto level = problem.graph.levels();
    EXPECT_EQ(*std::ranges::max_element(level) + 1, levels);
    EXPECT_EQ(one_device(problem, 0).makespan_ns, on_gpu);
    EXPECT_EQ(one_device(problem, 1).makespan_ns, on_cpu);
    const Bounds found = bounds(problem);
    EXPECT_EQ(found.path_ns, path);
    EXPECT_NEAR(found.work_ns, work, 0.06);
    const auto by_heft = heft(problem);
    EXPECT_EQ(by_heft.makespan_ns, made_by_heft);
    EXPECT_EQ(std::ranges::count(by_heft.tasks, 1u, &Timetable::Entry::device), on_cpu_by_heft);
    const auto ranks = upward_ranks(problem);
    EXPECT_EQ(*std::ranges::max_element(ranks), rank);
    EXPECT_EQ(peft(problem).makespan_ns, made_by_peft);
    double optimum = 0;
    if (!(fields >> optimum)) continue;
    EXPECT_EQ(best_timetable(problem, SearchEffort::usual(problem.graph.size())).makespan_ns,
              optimum);
  }
  EXPECT_EQ(graphs, 12u);
}

/// The best of all: every order, every device, each task as soon as it can. Each device gets its
/// inputs, and sends its results, one after the other.
double optimum(const Problem& problem) {
  const std::size_t tasks = problem.graph.size();
  std::vector<double> end(tasks, -1);
  std::vector<std::size_t> on(tasks);
  double best = never;
  double up[2] = {0, 0}, down[2] = {0, 0};
  const auto go_on = [&](auto&& self, std::size_t done, double first, double second,
                         double last) -> void {
    if (last >= best) return;
    if (done == tasks) best = last;
    for (Task task = 0; task < tasks; ++task) {
      if (end[task] >= 0) continue;
      const auto before = problem.graph.predecessors(task);
      if (std::ranges::any_of(before, [&](const auto& b) { return end[b.task] < 0; })) continue;
      for (std::size_t device = 0; device < 2; ++device) {
        const double up_before = up[device], down_before = down[device];
        const auto moves = problem.moves_of(task, device);
        up[device] += moves.up_ns;
        double start = std::max({device == 0 ? first : second, up[device], moves.inputs_ns});
        for (const auto& b : before)
          start = std::max(start, end[b.task] + problem.transfer(b.bytes, on[b.task], device));
        end[task] = start + problem.run(task, device);
        down[device] = std::max(down[device] + moves.down_ns, end[task] + moves.results_ns);
        on[task] = device;
        self(self, done + 1, device == 0 ? end[task] : first, device == 1 ? end[task] : second,
             std::max({last, end[task], down[device]}));
        end[task] = -1;
        up[device] = up_before;
        down[device] = down_before;
      }
    }
  };
  go_on(go_on, 0, 0, 0, 0);
  return best;
}

TEST(GraphPolicies, TheBestIsNearTheOptimumOfSmallGraphs) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Problem problem = cases::small(3 + seed % 4, seed);
    const double best =
        best_timetable(problem, SearchEffort::usual(problem.graph.size())).makespan_ns;
    EXPECT_LE(best, 1.03 * optimum(problem)) << "seed " << seed;
  }
}

TEST(GraphPolicies, NoPlanGoesBelowTheBoundWithInputsAndResults) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Problem problem = cases::small(3 + seed % 4, seed);
    std::mt19937 random(seed);
    const double longest = *std::ranges::max_element(problem.run_ns);
    const auto some = [&] {
      return random() % 3 == 0 ? 0 : longest * static_cast<double>(random() % 64) / 32;
    };
    for (std::size_t i = 0; i < problem.run_ns.size(); ++i) {
      const bool is_apart = i % problem.devices.size() == 0;
      const double inputs = is_apart ? some() : 0, results = is_apart ? some() : 0;
      // Of some inputs another task was the first reader.
      problem.moves.push_back(
          {inputs, results, random() % 3 == 0 ? 0 : inputs * 0.9, results * 0.9});
    }
    value_or_throw(problem.complete());
    const Bounds found = bounds(problem);
    const double best = optimum(problem);
    EXPECT_LE(found.path_ns, best * (1 + 1e-9)) << "seed " << seed;
    EXPECT_LE(found.mixed_ns, best * (1 + 1e-9)) << "seed " << seed;
    const Timetable table = best_timetable(problem, SearchEffort::usual(problem.graph.size()));
    EXPECT_TRUE(check_timetable(problem, table)) << "seed " << seed;
  }
}

TEST(GraphPolicies, TheBestIsNearTheBoundOfLargeOnes) {
  std::vector<std::pair<std::string, Problem>> large{
      {"cholesky 8", cases::cholesky(8)},
      {"lu 8", cases::lu(8)},
      {"attention 12", cases::attention(12, false)},
      {"attention 16", cases::attention(16, true)},
      {"layered 600", cases::layered(20, 30, 1)},
      {"layered 600, deep", cases::layered(60, 10, 2)}};
  double sum = 0;
  for (const auto& [name, problem] : large) {
    const Bounds bound = bounds(problem);
    const double best =
        best_timetable(problem, SearchEffort::usual(problem.graph.size())).makespan_ns;
    const double ratio = best / std::max(bound.path_ns, bound.work_ns);
    EXPECT_LE(ratio, 1.12) << name;
    sum += std::log(ratio);
    for (const auto& other : {heft(problem), peft(problem), lookahead(problem),
                              one_device(problem, 0), one_device(problem, 1)})
      EXPECT_LE(best, other.makespan_ns) << name;
  }
  EXPECT_LE(std::exp(sum / static_cast<double>(large.size())), 1.08);
  for (const auto& [name, problem] :
       std::vector<std::pair<std::string, Problem>>{{"cholesky 4", cases::cholesky(4)},
                                                    {"lu 4", cases::lu(4)},
                                                    {"attention 2", cases::attention(2, true)},
                                                    {"layered 60", cases::layered(6, 10, 1)}}) {
    const Bounds bound = bounds(problem);
    EXPECT_LE(best_timetable(problem, SearchEffort::usual(problem.graph.size())).makespan_ns,
              1.35 * std::max(bound.path_ns, bound.work_ns))
        << name;
  }
}

}  // namespace
}  // namespace kiln::graph
