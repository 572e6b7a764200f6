#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "schedule/graph/problem.hpp"

/// Graphs of known families with times of the kinds that such kernels have, for tests of planners.
namespace kiln::graph::cases {

/// Microseconds of a kernel on the first device, on the second, and of bringing its input to it.
struct Times {
  double first, second, transfer;
};

/// The figures have the ratios of a GPU and a processor: products are worth a transfer, rows are
/// not.
inline const std::map<std::string, Times>& times() {
  static const std::map<std::string, Times> all{
      {"factor", {900, 500, 60}},    {"solve", {300, 900, 60}},    {"update", {330, 1500, 60}},
      {"multiply", {400, 3100, 58}}, {"transpose", {30, 210, 58}}, {"rows", {172, 130, 58}},
      {"scale", {52, 90, 40}},       {"add", {62, 84, 46}},        {"largest", {66, 70, 46}}};
  return all;
}

class Builder {
 public:
  Task add(const std::string& kind, const std::vector<Task>& after) {
    const auto task = static_cast<Task>(kinds_.size());
    kinds_.push_back(kind);
    for (const Task before : after)
      if (before != none) pairs_[{before, task}] = times().at(kind).transfer;
    return task;
  }
  Problem problem() const {
    std::vector<TaskGraph::Edge> edges;
    for (const auto& [pair, bytes] : pairs_) edges.push_back({pair.first, pair.second, bytes});
    Problem made;
    made.graph = *TaskGraph::make(kinds_.size(), std::move(edges));
    made.devices = {{"gpu", 1, 1, {}}, {"cpu", 0, 1, {}}};
    made.links = {{}, {0, 1}, {0, 1}, {}};
    for (const auto& kind : kinds_) {
      made.run_ns.push_back(times().at(kind).first);
      made.run_ns.push_back(times().at(kind).second);
    }
    value_or_throw(made.complete());
    return made;
  }
  static constexpr Task none = static_cast<Task>(-1);

 private:
  std::vector<std::string> kinds_;
  std::map<std::pair<Task, Task>, double> pairs_;
};

/// Tiled Cholesky of `tiles` x `tiles`: tiles (tiles + 1) (tiles + 2) / 6 tasks.
inline Problem cholesky(std::size_t tiles) {
  Builder b;
  std::vector<std::vector<Task>> last(tiles, std::vector<Task>(tiles, Builder::none));
  for (std::size_t k = 0; k < tiles; ++k) {
    last[k][k] = b.add("factor", {last[k][k]});
    for (std::size_t i = k + 1; i < tiles; ++i)
      last[i][k] = b.add("solve", {last[k][k], last[i][k]});
    for (std::size_t i = k + 1; i < tiles; ++i) {
      last[i][i] = b.add("update", {last[i][k], last[i][i]});
      for (std::size_t j = k + 1; j < i; ++j)
        last[i][j] = b.add("multiply", {last[i][k], last[j][k], last[i][j]});
    }
  }
  return b.problem();
}

/// LU without pivoting: tiles (tiles + 1) (2 tiles + 1) / 6 tasks.
inline Problem lu(std::size_t tiles) {
  Builder b;
  std::vector<std::vector<Task>> last(tiles, std::vector<Task>(tiles, Builder::none));
  for (std::size_t k = 0; k < tiles; ++k) {
    last[k][k] = b.add("factor", {last[k][k]});
    for (std::size_t i = k + 1; i < tiles; ++i) {
      last[i][k] = b.add("solve", {last[k][k], last[i][k]});
      last[k][i] = b.add("solve", {last[k][k], last[k][i]});
    }
    for (std::size_t i = k + 1; i < tiles; ++i)
      for (std::size_t j = k + 1; j < tiles; ++j)
        last[i][j] = b.add("multiply", {last[i][k], last[k][j], last[i][j]});
  }
  return b.problem();
}

/// Attention heads, each 9 tasks; with a shared input and a sum over a tree, or apart.
inline Problem attention(std::size_t heads, bool together) {
  Builder b;
  const Task shared = together ? b.add("scale", {}) : Builder::none;
  std::vector<Task> results;
  for (std::size_t head = 0; head < heads; ++head) {
    const Task input = together ? shared : b.add("scale", {});
    const Task q = b.add("multiply", {input}), k = b.add("multiply", {input}),
               v = b.add("multiply", {input});
    const Task scores = b.add("multiply", {q, b.add("transpose", {k})});
    results.push_back(b.add("multiply", {b.add("multiply", {b.add("rows", {scores}), v})}));
  }
  while (together && results.size() > 1) {
    std::vector<Task> sums;
    for (std::size_t i = 0; i + 1 < results.size(); i += 2)
      sums.push_back(b.add("add", {results[i], results[i + 1]}));
    if (results.size() % 2 == 1) sums.push_back(results.back());
    results = sums;
  }
  return b.problem();
}

/// Random layers: each task after one or two of the layer before, or now and then of the one before
/// that.
inline Problem layered(std::size_t layers, std::size_t width, unsigned seed) {
  std::mt19937 random(seed);
  const char* const kinds[] = {"scale", "add", "largest"};
  Builder b;
  std::vector<std::vector<Task>> all;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    std::vector<Task> tasks;
    for (std::size_t i = 0; i < width; ++i) {
      std::vector<Task> after;
      for (std::size_t parents = layer == 0 ? 0 : 1 + random() % 2; parents > 0; --parents)
        after.push_back(all[layer - (layer > 1 && random() % 5 == 0 ? 2 : 1)][random() % width]);
      tasks.push_back(b.add(kinds[random() % 3], after));
    }
    all.push_back(tasks);
  }
  return b.problem();
}

/// Any small graph.
inline Problem small(std::size_t tasks, unsigned seed) {
  std::mt19937 random(seed);
  const char* const kinds[] = {"scale", "add", "largest", "transpose", "rows", "multiply"};
  Builder b;
  for (std::size_t task = 0; task < tasks; ++task) {
    std::vector<Task> after;
    for (std::size_t parents = task == 0 ? 0 : random() % 3; parents > 0; --parents)
      after.push_back(static_cast<Task>(random() % task));
    b.add(kinds[random() % 6], after);
  }
  return b.problem();
}

}  // namespace kiln::graph::cases
