#include "graph/problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>

#include "base/expected.hpp"

namespace kiln::bench {
namespace {

namespace families = graph_families;
using graph::Problem;
using graph::Task;

/// Microseconds on the GPU, on the processor, and of a transfer of what a task needs.
struct TaskTimes {
  double first, second, transfer;
};

/// Products, transposes, rows and vectors of a size: a GPU and a processor of about 2015.
const std::map<std::size_t, std::map<std::string, TaskTimes>>& by_size() {
  static const std::map<std::size_t, std::map<std::string, TaskTimes>> all{
      {64,
       {{"product", {39.1, 154.5, 16.9}},
        {"transpose", {12.6, 34.3, 2.6}},
        {"softmax", {44.6, 24.3, 2.6}},
        {"scale", {11.7, 7.6, 2.6}}}},
      {128,
       {{"product", {114, 756.3, 31.2}},
        {"transpose", {26.5, 53.4, 13.4}},
        {"softmax", {89.2, 47.4, 8.6}},
        {"scale", {10.5, 8.3, 8.3}}}},
      {256,
       {{"product", {589.1, 5253, 155}},
        {"transpose", {7.9, 114.4, 23.8}},
        {"softmax", {190.5, 88.5, 24.8}},
        {"scale", {4.5, 6.2, 29.3}}}},
      {512,
       {{"product", {3918, 33880, 466.6}},
        {"transpose", {16.7, 418.9, 93.7}},
        {"softmax", {477.3, 349.8, 92.3}},
        {"scale", {5, 8.6, 94.4}}}}};
  return all;
}

/// The same of kernels whose size does not matter here.
TaskTimes usual_times(const std::string& kernel) {
  static const std::map<std::string, TaskTimes> all{{"cholesky_tile", {968, 550, 62}},
                                                    {"solve_lower_transposed", {410, 1300, 62}},
                                                    {"product_off_transposed", {372, 2900, 62}},
                                                    {"lu_tile", {968, 550, 62}},
                                                    {"solve_unit_lower", {410, 1300, 62}},
                                                    {"solve_upper", {410, 1300, 62}},
                                                    {"product_off", {372, 2900, 62}},
                                                    {"product", {402, 3100, 58}},
                                                    {"bump", {52, 90, 40}},
                                                    {"scale", {52, 90, 40}},
                                                    {"blend", {62, 84, 46}},
                                                    {"gap", {44, 94, 46}},
                                                    {"peak", {66, 70, 46}},
                                                    {"add", {62, 84, 46}}};
  const auto found = all.find(kernel);
  return found != all.end() ? found->second : TaskTimes{120, 310, 50};
}

}  // namespace

Problem problem_of(const families::Graph& graph) {
  const std::size_t n =
      graph.name.starts_with("transformer ")
          ? static_cast<std::size_t>(std::stoul(graph.name.substr(graph.name.find(' ', 12))))
          : 0;
  const auto sized = by_size().find(n);
  const auto times = [&](Task task) {
    const std::string& kernel = graph.kernels[graph.tasks[task].kernel].name;
    if (sized != by_size().end())
      if (const auto found = sized->second.find(kernel); found != sized->second.end())
        return found->second;
    return usual_times(kernel);
  };
  // Data edges carry the reader's transfer as bytes of 1 ns; the rest are orders.
  std::vector<graph::TaskGraph::Edge> edges;
  std::vector<Task> writer(graph.buffers.size(), static_cast<Task>(-1));
  const auto before = families::predecessors(graph);
  for (Task task = 0; task < graph.tasks.size(); ++task) {
    const auto carries = [&](Task other) {
      return std::ranges::any_of(graph.tasks[task].accesses, [&](const families::Access& access) {
        return access.mode != families::Mode::write && writer[access.buffer] == other;
      });
    };
    for (const Task other : before[task])
      edges.push_back({other, task, carries(other) ? times(task).transfer * 1000 : 0});
    for (const families::Access& access : graph.tasks[task].accesses)
      if (access.mode != families::Mode::read) writer[access.buffer] = task;
  }
  Problem made;
  made.graph = value_or_throw(graph::TaskGraph::make(graph.tasks.size(), std::move(edges)));
  made.devices = {{"gpu", 1, 1, {}}, {"cpu", 0, 1, {}}};
  made.links = {{}, {0, 1}, {0, 1}, {}};
  for (Task task = 0; task < graph.tasks.size(); ++task) {
    made.run_ns.push_back(times(task).first * 1000);
    made.run_ns.push_back(times(task).second * 1000);
  }
  value_or_throw(made.complete());
  return made;
}

std::vector<NamedProblem> all_problems() {
  std::vector<std::string> names{
      "cholesky 4 64",    "cholesky 8 64", "cholesky 16 64", "lu 4 64",
      "lu 8 64",          "chain 64",      "chain 1000",     "independent 128",
      "independent 1000", "layered 60 64", "layered 600 64", "layered 6000 64",
      "2mm 64",           "3mm 64",        "atax 64",        "bicg 64",
      "mvt 64",           "gemver 64",     "corr 64",        "covar 64",
      "fdtd 2 64",        "fdtd 20 64",    "fdtd 100 64",    "gramschmidt 2 64",
      "gramschmidt 32 64"};
  for (const char* heads : {"1", "2", "4", "8", "12", "16"})
    for (const char* size : {" 64", " 128", " 256", " 512"})
      for (const char* form : {"", " shared"})
        names.push_back(std::string("transformer ") + heads + size + form);
  std::vector<NamedProblem> all;
  for (const std::string& name : names) all.push_back({name, problem_of(families::make(name))});
  if (const char* folder = std::getenv("KILN_STG")) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".stg") files.push_back(entry.path());
    std::ranges::sort(files);
    for (const auto& file : files)
      all.push_back({file.filename().string(), value_or_throw(standard_graph(file))});
  }
  return all;
}

Expected<Problem> standard_graph(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::size_t tasks = 0;
  const auto wrong = [&](const std::string& what) {
    return fail(Errc::bad_input, fmt::format("{}: {}", file.string(), what));
  };
  // A dummy task at either end is not counted.
  if (!(stream >> tasks) || tasks == 0 || tasks > 1000000)
    return wrong("found no number of tasks, expected 1 to 1000000");
  tasks += 2;
  std::mt19937 random(7);
  Problem made;
  made.devices = {{"first", 0, 1, {}}, {"second", 0, 1, {}}};
  made.links = {{}};
  std::vector<graph::TaskGraph::Edge> edges;
  for (std::size_t task = 0; task < tasks; ++task) {
    std::size_t number = 0, count = 0;
    double time = 0;
    if (!(stream >> number >> time >> count) || number != task || time < 0 || count > task)
      return wrong(fmt::format("task {}: found no number, time and count of predecessors", task));
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t from = 0;
      if (!(stream >> from) || from >= task)
        return wrong(
            fmt::format("task {}: found a predecessor that does not come before it", task));
      edges.push_back({static_cast<Task>(from), static_cast<Task>(task), 0});
    }
    const double factor = 0.5 + static_cast<double>(random() % 1024) / 1024;
    made.run_ns.push_back(std::max(time, 0.001) * 1000);
    made.run_ns.push_back(std::max(time, 0.001) * 1000 * factor);
  }
  auto graph = graph::TaskGraph::make(tasks, std::move(edges));
  if (!graph) return wrong(graph.error().message());
  made.graph = *std::move(graph);
  if (auto complete = made.complete(); !complete) return wrong(complete.error().message());
  return made;
}

namespace {

class Search {
 public:
  explicit Search(const Problem& problem)
      : problem_(problem),
        waits_(problem.graph.size()),
        end_(problem.graph.size()),
        device_(problem.graph.size()),
        free_(problem.devices.size()) {
    for (Task task = 0; task < waits_.size(); ++task)
      waits_[task] = problem.graph.predecessors(task).size();
  }
  double best() {
    place(0, 0);
    return best_;
  }

 private:
  void place(std::size_t placed, double makespan) {
    if (makespan >= best_) return;
    if (placed == waits_.size()) {
      best_ = makespan;
      return;
    }
    for (Task task = 0; task < waits_.size(); ++task) {
      if (waits_[task] != 0) continue;
      waits_[task] = static_cast<std::size_t>(-1);
      for (const auto& next : problem_.graph.successors(task)) --waits_[next.task];
      for (std::size_t device = 0; device < free_.size(); ++device) {
        double start = free_[device];
        for (const auto& from : problem_.graph.predecessors(task))
          start = std::max(
              start, end_[from.task] + problem_.transfer(from.bytes, device_[from.task], device));
        const double before = free_[device];
        device_[task] = device;
        free_[device] = end_[task] = start + problem_.run(task, device);
        place(placed + 1, std::max(makespan, end_[task]));
        free_[device] = before;
      }
      for (const auto& next : problem_.graph.successors(task)) ++waits_[next.task];
      waits_[task] = 0;
    }
  }

  const Problem& problem_;
  std::vector<std::size_t> waits_;
  std::vector<double> end_;
  std::vector<std::size_t> device_;
  std::vector<double> free_;
  double best_ = graph::never;
};

}  // namespace

double optimum_ns(const Problem& problem) { return Search(problem).best(); }

}  // namespace kiln::bench
