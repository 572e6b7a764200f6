#pragma once

#include <cstdlib>
#include <type_traits>

#include "cli/command/context.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/options.hpp"
#include "cli/output/output.hpp"
#include "kiln/graph.hpp"

/// The options of `kiln graph` and what they come to.
namespace kiln::cli {

namespace options {

inline constexpr std::string_view graph_policies[] = {"auto",    "heft",  "peft",      "lookahead",
                                                      "cluster", "eager", "one-device"};
inline constexpr Option graph_policy =
    Option::choice("policy", "NAME", graph_policies,
                   "How tasks are placed: by one of the published schedulers, on one device, or "
                   "auto, the best of all, improved.",
                   "auto");
inline constexpr Option graph_specs =
    Option::folder("specs", "DIR",
                   "A folder with the graph's specifications, before the graph's own, specs and "
                   "info in it, and specs and info next to it.")
        .repeatable();
inline constexpr Option graph_set =
    Option::assignment("set", "NAME=VALUE",
                       "Gives a symbol of all specifications that know it a value, in place of the "
                       "graph's.")
        .repeatable();
inline constexpr Option graph_pins =
    Option::flag("pins",
                 "Runs a task of partition 10 on the first device and one of partition 0 on the "
                 "second; without, partitions do not bind.");
inline constexpr Option graph_queues =
    Option::integer("queues", "N",
                    "Command queues of each device with memory of its own. Default: 2.")
        .at_least(1);
inline constexpr Option graph_memory_limit =
    Option::text("memory-limit", "BYTES",
                 "How much of each such device's memory the graph may take (500M, 2G). What does "
                 "not fit is put aside to the host's.");
inline constexpr Option graph_whole =
    Option::flag("whole",
                 "Leaves all tasks whole. Without, auto cuts large ones into parts, one a device, "
                 "where that is faster.");
inline constexpr Option graph_timeout =
    Option::number("timeout", "SECONDS", "The time that a run may take; 0 is no bound.", "0");

}  // namespace options

inline constexpr Positional graph_file = Positional::file(
    "GRAPH", "A graph: the text of two sections, a JSON list, or Kiln's own JSON.");

/// What the options say of reading a graph, and of its plan. Throw Error (bad input).
graph::FileOptions graph_file_options(const Context& context);
GraphPlanOptions graph_plan_options(const Context& context);
GraphRunOptions graph_run_options(const Context& context);

/// Does what runs a graph. A kernel that hangs can only be ended with the process: it ends here
/// where one has not ended in time.
template <class Body>
std::invoke_result_t<Body> within_time(const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    stop_if_interrupted();
    if (error.code() != Errc::timeout) throw;
    complain(error.message());
    flush_output();
    std::_Exit(1);
  }
}

/// "3.2": a task's id and an argument's position, of NAME=FILE options.
std::map<std::pair<std::int64_t, std::uint32_t>, std::string> graph_ends_of(
    const Context& context, std::string_view option);

/// A plan for people: a line a task in order of their begin, then bounds and what would help.
void print_graph_plan(const GraphReport& report, bool says_why);

}  // namespace kiln::cli
