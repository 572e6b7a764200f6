#include "cli/graph/graph_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/command/session.hpp"
#include "cli/output/output.hpp"
#include "cli/run/options.hpp"

namespace kiln::cli {

std::map<std::pair<std::int64_t, std::uint32_t>, std::string> graph_ends_of(
    const Context& context, std::string_view option) {
  std::map<std::pair<std::int64_t, std::uint32_t>, std::string> ends;
  for (const auto& [name, file] : context.assignments(option)) {
    std::int64_t task = 0;
    std::uint32_t position = 0;
    const char* const end = name.data() + name.size();
    const auto first = std::from_chars(name.data(), end, task);
    const bool has_both = first.ec == std::errc() && first.ptr < end && *first.ptr == '.';
    const auto second = has_both ? std::from_chars(first.ptr + 1, end, position) : first;
    if (!has_both || second.ec != std::errc() || second.ptr != end)
      throw bad_input("--{}: found '{}', expected TASK.ARGUMENT=FILE, as 3.2=c.npy", option, name);
    if (!ends.emplace(std::pair(task, position), file).second)
      throw bad_input("--{}: found {} twice, expected each argument once", option, name);
  }
  return ends;
}

graph::FileOptions graph_file_options(const Context& context) {
  graph::FileOptions made;
  made.spec_folders = context.paths("specs");
  made.source_folders = context.paths("source-dir");
  made.set = symbols_of(context).set;
  made.pins = context.flag("pins");
  if (context.defines("seed")) made.seed = static_cast<std::uint64_t>(context.integer("seed"));
  if (context.defines("in"))
    for (auto& [end, file] : graph_ends_of(context, "in"))
      made.in.emplace(end, spec::InputData(file));
  for (const char* option : {"out", "expect"})
    if (context.defines(option))
      for (const auto& [end, file] : graph_ends_of(context, option))
        made.results.push_back({end.first, end.second});
  return made;
}

GraphPlanOptions graph_plan_options(const Context& context) {
  GraphPlanOptions made;
  if (context.defines("policy")) made.policy = context.text("policy");
  if (context.has("queues")) made.queues = static_cast<unsigned>(context.integer("queues"));
  if (context.has("memory-limit"))
    made.memory_limit = static_cast<std::size_t>(bytes_option(context, "memory-limit"));
  made.may_cut = !context.flag("whole");
  const GraphRunOptions runs = graph_run_options(context);
  made.timeout = runs.timeout;
  made.stop = runs.stop;
  return made;
}

GraphRunOptions graph_run_options(const Context& context) {
  GraphRunOptions made;
  made.stop = interrupted;
  made.timeout =
      std::chrono::nanoseconds(static_cast<std::int64_t>(context.number("timeout") * 1e9));
  return made;
}

void print_graph_plan(const GraphReport& report, bool says_why) {
  std::vector<const GraphReport::Task*> order;
  for (const auto& task : report.tasks) order.push_back(&task);
  std::ranges::stable_sort(order, {}, &GraphReport::Task::start_ns);
  for (std::size_t device = 0; device < report.devices.size(); ++device)
    print_text("device {}  {}\n", device, report.devices[device]);
  print("{:>12} {:>12}  {:<10} task\n", "begin us", "end us", "where");
  for (const auto* task : order) {
    const std::string where =
        task->on_host ? "host" : fmt::format("{}, {}", task->device, task->queue);
    print_text("{:>12.1f} {:>12.1f}  {:<10} {}\n", task->start_ns / 1000, task->end_ns / 1000,
               where, task->name);
    if (says_why) print_text("{:>38}{}\n", "", task->why);
  }
  const auto line = [&](const char* what, double ns) {
    print("{:<22} {:>12.1f} us{}\n", what, ns / 1000,
          ns > 0 && ns != report.makespan_ns
              ? fmt::format("  ({:.3f} of it)", report.makespan_ns / ns)
              : "");
  };
  if (report.cut_tasks > 0) print("{:<22} {:>12}\n", "tasks in parts", report.cut_tasks);
  line("planned", report.makespan_ns);
  line("longest way", report.path_bound_ns);
  line("all work", report.work_bound_ns);
  line("bound", report.bound_ns);
  for (const auto& [policy, ns] : report.policies)
    print("{:<22} {:>12.1f} us\n", "by " + policy, ns / 1000);
  if (report.commands > 0)
    print("{} commands, {} waits, {} bytes to devices, {} back\n", report.commands, report.waits,
          report.bytes_to_devices, report.bytes_to_host);
  for (const auto& advice : report.advice) print_text("{}\n", advice);
  if (report.is_kept) print("planned before: found in the store\n");
  if (!report.times_are_known)
    print("the times of some tasks are not known yet: the next runs are for finding them\n");
}

}  // namespace kiln::cli
