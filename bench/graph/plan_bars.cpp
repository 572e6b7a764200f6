#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "frame/statistics.hpp"
#include "graph/bars.hpp"
#include "graph/problems.hpp"
#include "kiln/formats/task_graph.hpp"
#include "schedule/graph/bounds.hpp"
#include "schedule/graph/improve.hpp"
#include "schedule/graph/policies.hpp"

namespace kiln::bench {
namespace {

using graph::Problem;
using graph::Task;
using graph::TaskGraph;

constexpr std::size_t many_tasks = 10000, many_edges = 20000;

/// Edges from tasks to some of the hundred after them.
std::vector<std::pair<Task, Task>> random_edges() {
  std::mt19937 random(3);
  std::vector<std::pair<Task, Task>> edges;
  while (edges.size() < many_edges) {
    const auto from = static_cast<Task>(random() % (many_tasks - 1));
    const auto to =
        static_cast<Task>(std::min<std::size_t>(from + 1 + random() % 100, many_tasks - 1));
    edges.emplace_back(from, to);
    // No argument has two producers.
    std::ranges::sort(edges);
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  }
  return edges;
}

Outcome parse(const Context&) {
  std::string text;
  for (std::size_t task = 0; task < many_tasks; ++task)
    text += fmt::format("{} blend.json {{\"tall\":4096,\"partition\":{}}}\n", task,
                        task % 3 == 0 ? 0 : 10);
  text += "---\n";
  std::vector<unsigned> next(many_tasks);
  // Arguments have one producer each; edges from the second on are orders.
  for (const auto& [from, to] : random_edges())
    text += fmt::format("{} 2->{} {}\n", from, to, next[to]++);
  text += "---\n";
  std::vector<double> taken;
  for (int round = 0; round < 15; ++round) {
    const auto start = now_ns();
    const auto file = value_or_throw(task_graph::parse(text, "many.graph"));
    taken.push_back(static_cast<double>(now_ns() - start) * 1e-6);
    if (file.tasks.size() != many_tasks || file.edges.size() != many_edges)
      throw Error(Errc::internal, "the graph was not read whole");
  }
  return Figure{median(taken), fmt::format("{} bytes, median of {}", text.size(), taken.size())};
}

Outcome plan(const Context&) {
  std::vector<TaskGraph::Edge> edges;
  for (const auto& [from, to] : random_edges()) edges.push_back({from, to, 40000});
  Problem problem;
  problem.graph = value_or_throw(TaskGraph::make(many_tasks, std::move(edges)));
  problem.devices = {{"gpu", 1, 1, {}}, {"cpu", 0, 1, {}}};
  problem.links = {{}, {0, 1}, {0, 1}, {}};
  std::mt19937 random(5);
  for (std::size_t task = 0; task < many_tasks; ++task) {
    problem.run_ns.push_back(static_cast<double>(20000 + random() % 400000));
    problem.run_ns.push_back(static_cast<double>(20000 + random() % 1500000));
  }
  value_or_throw(problem.complete());
  std::vector<double> taken;
  double makespan = 0;
  for (int round = 0; round < 15; ++round) {
    const auto start = now_ns();
    makespan = graph::heft(problem).makespan_ns;
    taken.push_back(static_cast<double>(now_ns() - start) * 1e-6);
  }
  return Figure{median(taken),
                fmt::format("plan / bound {:.3f}, median of {}",
                            makespan / graph::bounds(problem).mixed_ns, taken.size())};
}

/// What automatic plans come to, by problem. Worked out once for all bars.
struct Quality {
  std::string name;
  std::size_t tasks = 0;
  double to_bound = 0, to_optimum = 0, to_policies = 0;
};
const std::vector<Quality>& qualities() {
  static const std::vector<Quality> all = [] {
    std::vector<Quality> found;
    for (const auto& [name, problem] : all_problems()) {
      const std::size_t tasks = problem.graph.size();
      const double made =
          graph::best_timetable(problem, graph::SearchEffort::usual(tasks)).makespan_ns;
      double others = graph::heft(problem).makespan_ns;
      others = std::min(
          {others, graph::peft(problem).makespan_ns, graph::lookahead(problem).makespan_ns,
           graph::one_device(problem, 0).makespan_ns, graph::one_device(problem, 1).makespan_ns});
      found.push_back({name, tasks, made / graph::bounds(problem).mixed_ns,
                       tasks <= 8 ? made / optimum_ns(problem) : 0, made / others});
    }
    return found;
  }();
  return all;
}

enum class Of : std::uint8_t { mean, worst };

/// The mean or the worst of a ratio over the problems with so many tasks.
Figure quality(std::size_t least, std::size_t most, double Quality::*ratio, Of of) {
  double sum = 0, worst = 0;
  std::size_t count = 0;
  std::string where;
  for (const Quality& one : qualities()) {
    if (one.tasks < least || one.tasks > most) continue;
    sum += std::log(one.*ratio);
    ++count;
    if (one.*ratio > worst) {
      worst = one.*ratio;
      where = one.name;
    }
  }
  const double mean = std::exp(sum / static_cast<double>(count));
  return {of == Of::mean ? mean : worst,
          fmt::format("{} graphs, mean {:.4f}, worst {:.4f} ({})", count, mean, worst, where)};
}

}  // namespace

std::vector<Bar> graph_plan_bars() {
  std::vector<Bar> bars{{"graph/parse", "reading a graph of 10,000 tasks and 20,000 edges",
                         Holds::at_most, 30, "ms", parse},
                        {"graph/plan", "HEFT of 10,000 tasks and 20,000 edges on 2 devices",
                         Holds::at_most, 20, "ms", plan}};
  constexpr std::size_t all = 1000000;
  const auto add = [&](const char* name, const char* text, double limit, std::size_t least,
                       std::size_t most, double Quality::*ratio, Of of) {
    bars.push_back({std::string("graph/") + name, text, Holds::at_most, limit, "x",
                    [=](const Context&) -> Outcome { return quality(least, most, ratio, of); }});
  };
  add("quality-100", "planned makespan over the bound, 100 tasks and more, mean", 1.08, 100, all,
      &Quality::to_bound, Of::mean);
  add("quality-100-worst", "the same, the worst graph", 1.12, 100, all, &Quality::to_bound,
      Of::worst);
  add("quality-12", "the same, 12 to 99 tasks, mean", 1.15, 12, 99, &Quality::to_bound, Of::mean);
  add("quality-12-worst", "the same, the worst graph", 1.35, 12, 99, &Quality::to_bound, Of::worst);
  add("quality-8", "planned makespan over the optimum, up to 8 tasks, the worst graph", 1.03, 1, 8,
      &Quality::to_optimum, Of::worst);
  add("quality-policies",
      "planned makespan over the best of HEFT, PEFT, lookahead and one device, the worst graph", 1,
      1, all, &Quality::to_policies, Of::worst);
  return bars;
}

}  // namespace kiln::bench
