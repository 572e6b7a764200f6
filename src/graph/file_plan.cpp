// Graphs of files as work: values for all arguments, and plans over devices or over given times.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/expected.hpp"
#include "base/os/file.hpp"
#include "graph/graph_plan.hpp"
#include "graph/loaded_file.hpp"
#include "schedule/graph_work/kernel_work.hpp"
#include "spec/run/arrays.hpp"
#include "spec/run/job.hpp"

namespace kiln::graph {
namespace {

using spec::ArgumentKind;

/// Fills a graph's work from a file. Values are by task and argument.
class Filling {
 public:
  Filling(const LoadedFile::State& loaded, const Runtime& runtime,
          std::vector<std::unique_ptr<HostArray>>& inputs)
      : loaded_(loaded), runtime_(runtime), inputs_(inputs), values_(loaded.file.tasks.size()) {
    task_of_.resize(loaded.file.tasks.size());
  }

  WorkGraph fill(std::map<std::pair<std::int64_t, std::uint32_t>, ValueId>& results) {
    for (const std::uint32_t task : loaded_.order) add(task);
    for (const auto& [from, to] : loaded_.orders) work_.add_order(task_of_[from], task_of_[to]);
    const auto keep = [&](const task_graph::End& end) {
      const ValueId value = values_[loaded_.number_of.at(end.task)].at(end.position);
      work_.keep(value);
      results[{end.task, end.position}] = value;
    };
    for (const auto& end : loaded_.file.results) keep(end);
    for (const auto& end : loaded_.options.results) keep(end);
    if (loaded_.file.results.empty())
      for (std::uint32_t task = 0; task < values_.size(); ++task)
        for (const auto& argument : loaded_.kernels[task]->bound.arguments)
          if (argument.is_buffer() && argument.kind != ArgumentKind::input &&
              work_.values()[values_[task].at(argument.position)].readers.empty())
            keep({loaded_.file.tasks[task].id, argument.position});
    return std::move(work_);
  }

 private:
  void add(std::uint32_t task) {
    const BoundKernel& kernel = *loaded_.kernels[task];
    const WorkPtr work = work_of(loaded_.kernels[task]);
    std::vector<ValueId> reads;
    std::vector<std::uint32_t> positions;
    for (const auto& argument : kernel.bound.arguments) {
      if (!argument.is_buffer()) continue;
      positions.push_back(argument.position);
      reads.push_back(argument.kind == ArgumentKind::output ? none : value_for(task, argument));
    }
    WorkGraph::TaskOptions options;
    options.label = loaded_.names[task];
    const auto& entry = loaded_.file.tasks[task];
    if (loaded_.options.pins && entry.partition && *entry.partition % 10 == 0)
      options.device = *entry.partition == 10 || runtime_.devices().size() == 1 ? 0 : 1;
    if (entry.cluster) options.cluster = static_cast<std::uint32_t>(*entry.cluster);
    const Task added = work_.add(work, reads, options);
    task_of_[task] = added;
    for (std::size_t use = 0; use < positions.size(); ++use) {
      const bool is_input = kernel.bound.arguments[positions[use]].kind == ArgumentKind::input;
      values_[task][positions[use]] = is_input ? reads[use] : work_.written(added, use);
    }
  }

  ValueId value_for(std::uint32_t task, const spec::BoundArgument& argument) {
    const auto feed = loaded_.feeds[task].find(argument.position);
    if (feed != loaded_.feeds[task].end())
      return values_[feed->second.task].at(feed->second.position);
    const auto id = loaded_.file.tasks[task].id;
    // Each task has random numbers of its own, the same on every machine.
    spec::BoundSpec alone;
    alone.arguments = {argument};
    alone.arguments[0].position = 0;
    spec::Inputs given;
    const auto found = loaded_.options.in.find({id, argument.position});
    if (found != loaded_.options.in.end()) given.emplace(0, found->second);
    const std::uint64_t seed =
        loaded_.options.seed * 1000003 + static_cast<std::uint64_t>(id) * 64 + argument.position;
    auto arrays = spec::Arrays::make(alone, seed, given);
    if (!arrays)
      throw Error(arrays.error().code(), fmt::format("task {}, argument {}: {}", id,
                                                     argument.position, arrays.error().message()));
    inputs_.push_back(std::make_unique<HostArray>(graph_input(runtime_, std::move(arrays->at(0)))));
    return work_.add_input(*inputs_.back());
  }

  WorkPtr work_of(const std::shared_ptr<const BoundKernel>& kernel) {
    WorkPtr& made = works_[kernel.get()];
    if (made) return made;
    auto& resolver = runtime_.state().resolver();
    Job job = value_or_throw(spec::make_job(kernel->spec, kernel->bound, kernel->source));
    made = std::make_shared<KernelWork>(job, resolver, queue_);
    spec::check_job_types(kernel->bound, job, resolver, queue_);
    return made;
  }

  const LoadedFile::State& loaded_;
  const Runtime& runtime_;
  const Queue queue_ = graph_queue(runtime_);
  std::vector<std::unique_ptr<HostArray>>& inputs_;
  WorkGraph work_;
  std::vector<std::map<std::uint32_t, ValueId>> values_;
  std::vector<Task> task_of_;
  std::map<const BoundKernel*, WorkPtr> works_;
};

}  // namespace

GraphPlan LoadedFile::plan(const Runtime& runtime, const GraphPlanOptions& options) const {
  std::vector<std::unique_ptr<HostArray>> inputs;
  std::map<std::pair<std::int64_t, std::uint32_t>, ValueId> results;
  WorkGraph work = Filling(*state_, runtime, inputs).fill(results);
  auto made = std::make_shared<GraphPlan::State>();
  made->inputs = std::move(inputs);
  made->results = std::move(results);
  made->planned = plan_graph(runtime, std::move(work), plan_options(options));
  return GraphPlan(std::move(made));
}

Expected<Problem> problem_with_costs(const LoadedFile::State& loaded,
                                     const std::filesystem::path& costs) {
  const auto bytes = read_file(costs);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto json = nlohmann::json::parse(bytes->begin(), bytes->end(), nullptr, false);
  const auto wrong = [&](const std::string& what) {
    return fail(Errc::bad_input, fmt::format("{}: {}", costs.string(), what));
  };
  if (!json.is_object()) return wrong("found no JSON object, expected one entry a kernel");
  std::optional<Error> failure;
  const auto nanoseconds = [&](std::uint32_t task, const char* what) {
    const auto& kernel = loaded.kernels[task]->spec.name;
    const auto entry = json.find(kernel);
    if (entry == json.end() || !entry->is_object() || !entry->contains(what) ||
        !(*entry)[what].is_number() || !((*entry)[what].get<double>() >= 0)) {
      if (!failure)
        failure = Error(Errc::bad_input, fmt::format("{}: kernel {}: found no {}, expected seconds",
                                                     costs.string(), kernel, what));
      return 0.0;
    }
    // Whole nanoseconds, so that sums in any order are equal.
    return std::round((*entry)[what].get<double>() * 1e9);
  };
  Problem problem;
  problem.devices = {{"GPU", 1, 1, {}}, {"processor", 0, 1, {}}};
  problem.links = {{}, {0, 1}, {0, 1}, {}};  // an edge's bytes are its nanoseconds
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> pairs;
  for (const auto& pair : loaded.orders) pairs[pair] = nanoseconds(pair.second, "h2d_time");
  std::vector<TaskGraph::Edge> edges;
  for (const auto& [pair, time] : pairs) edges.push_back({pair.first, pair.second, time});
  for (std::uint32_t task = 0; task < loaded.file.tasks.size(); ++task) {
    const auto& partition = loaded.file.tasks[task].partition;
    const bool pinned = loaded.options.pins && partition && *partition % 10 == 0;
    for (const auto& [what, device] : {std::pair("exec_gpu", 10), std::pair("exec_cpu", 0)})
      problem.run_ns.push_back(pinned && *partition != device ? never : nanoseconds(task, what));
  }
  if (failure) return tl::unexpected(*failure);
  auto graph = TaskGraph::make(loaded.file.tasks.size(), std::move(edges));
  if (!graph) return tl::unexpected(graph.error());
  problem.graph = *std::move(graph);
  if (auto complete = problem.complete(); !complete) return tl::unexpected(complete.error());
  return problem;
}

Expected<GraphReport> LoadedFile::plan_with(const std::filesystem::path& costs,
                                            const GraphPlanOptions& asked) const {
  return expected_from([&] {
    const Problem problem = value_or_throw(problem_with_costs(*state_, costs));
    const PlanOptions options = plan_options(asked);
    std::vector<std::uint32_t> cluster_of;
    for (const auto& task : state_->file.tasks)
      cluster_of.push_back(task.cluster ? static_cast<std::uint32_t>(*task.cluster) : no_cluster);
    const Timetable table = timetable_by(problem, options.policy, options.device, cluster_of);
    GraphReport report = report_of(problem, table, state_->names);
    report.policy = name_of(options.policy);
    report.times_are_known = true;
    compare_policies(problem, report);
    return report;
  });
}

namespace {

const spec::BoundArgument& argument_of(const LoadedFile& loaded,
                                       const std::pair<std::int64_t, std::uint32_t>& end) {
  const auto& state = loaded.state();
  return state.kernels[state.number_of.at(end.first)]->bound.arguments[end.second];
}

}  // namespace

void save_result(const LoadedFile& loaded, const GraphPlan& plan,
                 const std::pair<std::int64_t, std::uint32_t>& end,
                 const std::filesystem::path& file) {
  const auto bytes = plan.result(end.first, end.second);
  value_or_throw(spec::save_npy(argument_of(loaded, end), bytes, file));
}

std::string compare_result(const LoadedFile& loaded, const GraphPlan& plan,
                           const std::pair<std::int64_t, std::uint32_t>& end,
                           const std::filesystem::path& file, double rtol) {
  const auto bytes = plan.result(end.first, end.second);
  return value_or_throw(spec::compare_with_npy(argument_of(loaded, end), bytes, file, rtol));
}

}  // namespace kiln::graph
