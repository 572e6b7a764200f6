// `kiln graph run` and `bench`: runs a graph by a plan, compares it with another one.
#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/command/commands.hpp"
#include "cli/command/session.hpp"
#include "cli/graph/graph_options.hpp"
#include "cli/timeline/timeline.hpp"
#include "graph/graph_plan.hpp"
#include "graph/loaded_file.hpp"
#include "kernel/runtime.hpp"

namespace kiln::cli {
namespace {

struct Runs {
  std::vector<double> wall_ms;
  double median_ms() const {
    auto sorted = wall_ms;
    std::ranges::sort(sorted);
    return sorted.empty() ? 0 : sorted[sorted.size() / 2];
  }
};

GraphRunSummary run_once(GraphPlan& plan, const GraphRunOptions& options) {
  return within_time([&] { return plan.run(options); });
}

std::string difference_of(const GraphPlan& one, const GraphPlan& other) {
  for (const auto& [end, value] : one.state().results) {
    const auto a = one.result(end.first, end.second), b = other.result(end.first, end.second);
    const auto differs = std::ranges::mismatch(a, b);
    if (differs.in1 != a.end())
      return fmt::format("task {}, argument {}: byte {} differs", end.first, end.second,
                         differs.in1 - a.begin());
  }
  return "";
}

int run_graph(Context& context) {
  const auto loaded = [&] {
    EndsAtOnce reading;
    return value_or_throw(
        graph::LoadedFile::load(context.arguments().front(), graph_file_options(context)));
  }();
  print_notes(loaded.file().warnings, "warning");
  const Runtime runtime(std::shared_ptr<Runtime::State>(make_runtime(context)));
  const auto planned = [&](const GraphPlanOptions& asked) {
    return within_time([&] { return loaded.plan(runtime, asked); });
  };
  GraphPlan plan = planned(graph_plan_options(context));
  const GraphRunOptions options = graph_run_options(context);
  Runs runs;
  for (std::int64_t i = 0; i < context.integer("runs"); ++i) {
    stop_if_interrupted();
    runs.wall_ms.push_back(static_cast<double>(run_once(plan, options).wall_ns) / 1e6);
  }
  if (context.has("trace") || context.has("gantt")) {
    Timeline timeline;
    GraphRunOptions recorded = options;
    recorded.timeline = true;
    for (auto& span : run_once(plan, recorded).timeline)
      timeline.add({std::move(span.lane), std::move(span.name), std::move(span.category),
                    span.start_ns, span.end_ns, std::move(span.details), span.id,
                    std::move(span.after)});
    timeline.mark({"bound", static_cast<std::int64_t>(plan.report().bound_ns)});
    write_timeline(context, timeline);
  }
  const GraphReport report = plan.report();
  nlohmann::ordered_json object{{"file", loaded.file().name},
                                {"policy", report.policy},
                                {"tasks", loaded.file().tasks.size()},
                                {"tasks_in_parts", report.cut_tasks},
                                {"devices", report.devices},
                                {"ms", runs.median_ms()},
                                {"runs_ms", runs.wall_ms},
                                {"planned_ms", report.makespan_ns / 1e6},
                                {"bound_ms", report.bound_ns / 1e6},
                                {"bytes_to_devices", report.bytes_to_devices},
                                {"bytes_to_host", report.bytes_to_host}};
  std::vector<std::size_t> tasks_on(report.devices.size());
  for (const auto& task : report.tasks)
    if (!task.on_host) ++tasks_on[task.device];
  object["tasks_on_devices"] = tasks_on;
  const std::string in_parts =
      report.cut_tasks > 0 ? fmt::format(" ({} cut into parts)", report.cut_tasks) : "";
  std::string text = fmt::format("{}: {} tasks{} in {:.3f} ms (planned {:.3f}, bound {:.3f})\n",
                                 loaded.file().name, loaded.file().tasks.size(), in_parts,
                                 runs.median_ms(), report.makespan_ns / 1e6, report.bound_ns / 1e6);
  for (std::size_t device = 0; device < tasks_on.size(); ++device)
    text += fmt::format("  device {}  {}: {} tasks{}\n", device, report.devices[device],
                        tasks_on[device], report.cut_tasks > 0 ? " and parts" : "");
  int code = 0;
  if (context.has("compare")) {
    GraphPlanOptions other_options = graph_plan_options(context);
    other_options.policy = context.text("compare");
    GraphPlan other = planned(other_options);
    Runs others;
    for (std::int64_t i = 0; i < context.integer("runs"); ++i)
      others.wall_ms.push_back(static_cast<double>(run_once(other, options).wall_ns) / 1e6);
    const std::string difference = difference_of(plan, other);
    object["compared_with"] = other_options.policy;
    object["compared_ms"] = others.median_ms();
    object["difference"] = difference;
    text += fmt::format("  {}: {:.3f} ms, {}\n", other_options.policy, others.median_ms(),
                        difference.empty() ? "equal results" : "other results: " + difference);
    if (!difference.empty()) code = 1;
  }
  for (const auto& [end, file] : graph_ends_of(context, "out"))
    graph::save_result(loaded, plan, end, file);
  for (const auto& [end, file] : graph_ends_of(context, "expect")) {
    const std::string difference = graph::compare_result(
        loaded, plan, end, file, context.has("rtol") ? context.number("rtol") : 1e-5);
    if (difference.empty()) continue;
    object["difference"] = difference;
    text += fmt::format("  task {}, argument {} differs from {}: {}\n", end.first, end.second, file,
                        difference);
    code = 1;
  }
  print_either(context.flag("json"), object, text);
  return code;
}

int bench_graph(Context& context) {
  const auto loaded = value_or_throw(
      graph::LoadedFile::load(context.arguments().front(), graph_file_options(context)));
  const Runtime runtime(std::shared_ptr<Runtime::State>(make_runtime(context)));
  const GraphRunOptions options = graph_run_options(context);
  std::vector<std::pair<std::string, GraphPlan>> plans;
  for (const std::string_view policy : options::graph_policies) {
    GraphPlanOptions asked = graph_plan_options(context);
    asked.policy = policy;
    plans.emplace_back(policy, within_time([&] { return loaded.plan(runtime, asked); }));
  }
  std::vector<Runs> runs(plans.size());
  for (auto& [policy, plan] : plans) run_once(plan, options);
  // In turns, so that what disturbs the machine disturbs all.
  const std::int64_t rounds = context.has("rounds") ? context.integer("rounds") : 15;
  for (std::int64_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < plans.size(); ++i) {
      stop_if_interrupted();
      runs[i].wall_ms.push_back(static_cast<double>(run_once(plans[i].second, options).wall_ns) /
                                1e6);
    }
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const GraphReport report = plans[i].second.report();
    const double ratio =
        report.makespan_ns > 0 ? runs[i].median_ms() * 1e6 / report.makespan_ns : 0;
    print_either(context.flag("json"),
                 {{"file", loaded.file().name},
                  {"policy", plans[i].first},
                  {"ms", runs[i].median_ms()},
                  {"planned_ms", report.makespan_ns / 1e6},
                  {"bound_ms", report.bound_ns / 1e6}},
                 fmt::format("{:<12} {:>10.3f} ms, {:.3f} of what was planned\n", plans[i].first,
                             runs[i].median_ms(), ratio));
  }
  return 0;
}

}  // namespace

const Command graph_run_command{
    .name = "graph run",
    .summary = "run a graph of kernels over the devices of this machine",
    .description =
        "Reads a graph, plans it over the devices, and runs it. Results are those of running its "
        "tasks one by one, whatever the plan. Where times of its tasks are not on record yet, it "
        "is "
        "run some times before to find them.",
    .options =
        {{options::devices,
          options::graph_policy,
          options::graph_queues,
          options::graph_memory_limit,
          options::graph_whole,
          options::graph_specs,
          options::source_dir,
          options::graph_set,
          options::graph_pins,
          Option::choice("compare", "POLICY", options::graph_policies,
                         "Runs it by this policy, too, on the same inputs: a byte that differs "
                         "gives exit code 1."),
          Option::file_assignment("in", "T.P=FILE",
                                  "Reads the data of task T's argument P, an input that no edge "
                                  "feeds, from a .npy file.")
              .repeatable(),
          Option::file_assignment("out", "T.P=FILE",
                                  "Writes task T's argument P to a .npy file after the run.",
                                  Access::write)
              .repeatable(),
          Option::file_assignment("expect", "T.P=FILE",
                                  "Compares task T's argument P with a .npy file after the run; a "
                                  "difference gives exit code 1.")
              .repeatable(),
          options::rtol,
          Option::integer("seed", "N", "Start of the random numbers that fill inputs without --in.",
                          "0"),
          Option::integer("runs", "N", "How often it runs; the time is the median.", "1")
              .at_least(1),
          options::graph_timeout,
          options::trace,
          options::gantt,
          options::json},
         options::stores},
    .positional = graph_file,
    .examples = {{"kiln graph run dag.graph --devices gpu,cpu", "Runs a graph on two devices."},
                 {"kiln graph run dag.graph --devices cpu/2 --policy heft --compare one-device",
                  "Is HEFT's result that of one device?"},
                 {"kiln graph run dag.graph --gantt run.html", "Draws what ran where and when."}},
    .body = run_graph,
};

const Command graph_bench_command{
    .name = "graph bench",
    .summary = "measure a graph of kernels by each policy",
    .description =
        "Runs a graph by each policy in turns and prints the medians, and how near each "
        "comes to what was planned.",
    .options =
        {{options::devices, options::graph_queues, options::graph_memory_limit,
          options::graph_whole, options::graph_specs, options::source_dir, options::graph_set,
          options::graph_pins,
          Option::integer("rounds", "N", "How often each policy runs. Default: 15.").at_least(1),
          options::graph_timeout, options::json},
         options::stores},
    .positional = graph_file,
    .examples = {{"kiln graph bench dag.graph --devices cpu/2", "Which policy is the fastest?"}},
    .body = bench_graph,
};

}  // namespace kiln::cli
