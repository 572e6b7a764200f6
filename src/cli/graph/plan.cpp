// `kiln graph check`, `plan` and `explain`: what a graph's file says, and where its tasks will run.
#include <nlohmann/json.hpp>

#include "cli/command/commands.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/session.hpp"
#include "cli/graph/graph_options.hpp"
#include "cli/output/output.hpp"
#include "kernel/runtime.hpp"
#include "kiln/json.hpp"

namespace kiln::cli {
namespace {

graph::LoadedFile load(const Context& context) {
  EndsAtOnce reading;
  return value_or_throw(
      graph::LoadedFile::load(context.arguments().front(), graph_file_options(context)));
}

int check_graph(Context& context) {
  const auto loaded = load(context);
  const auto& file = loaded.file();
  print_notes(file.warnings, "warning");
  print_either(
      context.flag("json"),
      {{"file", file.name},
       {"format", task_graph::name_of(file.format)},
       {"tasks", file.tasks.size()},
       {"edges", file.edges.size()},
       {"data_edges", loaded.data_edges()},
       {"bytes", loaded.bytes()},
       {"warnings", file.warnings}},
      fmt::format("{}: {} tasks, {} edges, {} of them with data, {} bytes in all\n", file.name,
                  file.tasks.size(), file.edges.size(), loaded.data_edges(), loaded.bytes()));
  return 0;
}

GraphReport planned(const Context& context) {
  const auto loaded = load(context);
  const GraphPlanOptions options = graph_plan_options(context);
  if (context.has("costs")) return value_or_throw(loaded.plan_with(context.text("costs"), options));
  const Runtime runtime(std::shared_ptr<Runtime::State>(make_runtime(context)));
  return within_time([&] { return loaded.plan(runtime, options).report(true); });
}

int plan_graph(Context& context) {
  const GraphReport report = planned(context);
  if (context.flag("json"))
    print_json_line(json_of(report));
  else
    print_graph_plan(report, false);
  return 0;
}

int explain_graph(Context& context) {
  const GraphReport report = planned(context);
  if (context.flag("json"))
    print_json_line(json_of(report));
  else
    print_graph_plan(report, true);
  return 0;
}

constexpr Option costs = Option::file(
    "costs", "FILE",
    "Times of kernels on a GPU and a processor, as the original's statistics files have them: the "
    "plan is for these, and nothing runs.");

}  // namespace

const Command graph_check_command{
    .name = "graph check",
    .summary = "say whether a graph of kernels is sound",
    .description =
        "Reads a graph, the specifications and the kernels that it names, and works out all sizes. "
        "Nothing is compiled and no device is needed.",
    .options = {{options::graph_specs, options::source_dir, options::graph_set, options::graph_pins,
                 options::json}},
    .positional = graph_file,
    .examples = {{"kiln graph check dag.graph", "Is it sound?"}},
    .body = check_graph,
};

const Command graph_plan_command{
    .name = "graph plan",
    .summary = "show where and when the tasks of a graph would run",
    .description =
        "Places the tasks of a graph by a policy and prints the plan: for each task its device and "
        "queue, begin and end; then the makespan, what no plan can go below, what other policies "
        "would promise, and what would help. Times that are not on record are found by running the "
        "graph.",
    .options = {{options::graph_policy, costs, options::devices, options::graph_queues,
                 options::graph_memory_limit, options::graph_whole, options::graph_specs,
                 options::source_dir, options::graph_set, options::graph_pins,
                 options::graph_timeout, options::json},
                options::stores},
    .positional = graph_file,
    .examples = {{"kiln graph plan dag.graph --devices cpu/2", "Where would its tasks run?"},
                 {"kiln graph plan dag.graph --policy heft --costs costs.json",
                  "What would HEFT make of these times?"}},
    .body = plan_graph,
};

const Command graph_explain_command{
    .name = "graph explain",
    .summary = "say why each task of a graph is where it is",
    .description =
        "As `kiln graph plan`, with a reason for each task: what it would take elsewhere, "
        "and when its data could be there.",
    .options = {{options::graph_policy, costs, options::devices, options::graph_queues,
                 options::graph_memory_limit, options::graph_whole, options::graph_specs,
                 options::source_dir, options::graph_set, options::graph_pins,
                 options::graph_timeout, options::json},
                options::stores},
    .positional = graph_file,
    .examples = {{"kiln graph explain dag.graph --devices gpu,cpu",
                  "Why is each task where it is?"}},
    .body = explain_graph,
};

}  // namespace kiln::cli
