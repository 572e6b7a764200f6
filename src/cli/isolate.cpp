#include "cli/isolate.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/clock.hpp"
#include "base/process.hpp"
#include "cli/interrupt.hpp"
#include "cli/json_line.hpp"
#include "cli/kernel_output.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/run_output.hpp"
#include "cli/settings.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

struct IsolatedOutcome {
  std::string spec, status, message;
  double seconds = 0;
  KernelText printed = {};
};

bool is_set_for_child(std::string_view option) {
  return option == "json" || option == "isolate" || option == "quiet" || option == "timeout";
}

}  // namespace

std::vector<std::string> words_for_child(const Context& context,
                                         const std::function<bool(std::string_view)>& passed) {
  std::vector<std::string> words{"run",
                                 "--json",
                                 "--no-isolate",
                                 "--no-quiet",
                                 "--timeout=0",
                                 "--config=off",
                                 "--log=" + context.text("log")};
  for (const Option& option : context.command().options) {
    if (is_set_for_child(option.name) || !context.has(option.name) || !passed(option.name))
      continue;
    const std::string name(option.name);
    if (option.kind == Kind::flag)
      words.push_back((context.flag(option.name) ? "--" : "--no-") + name);
    else
      for (const auto& value : context.list(option.name))
        words.push_back("--" + name + "=" + value);
  }
  return words;
}

namespace {

/// The last line of what a child said, for people.
std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of("\n ");
  if (end == std::string::npos) return "";
  const auto begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? std::string::npos : begin));
}

IsolatedOutcome outcome_of(const std::string& spec, const ProcessResult& result, double limit) {
  if (result.timed_out) return {spec, "timeout", fmt::format("stopped after {} s", limit), 0};
  if (result.signal != 0) {
    const auto said = last_line(result.errors);
    return {spec, "crashed", signal_name(result.signal) + (said.empty() ? "" : ": " + said), 0};
  }
  // Another line tells of what failed after the run.
  const std::string first_line = result.output.substr(0, result.output.find('\n'));
  const auto report = Json::parse(first_line, nullptr, false);
  if (report.is_discarded() || !report.is_object() || !report.contains("status")) {
    const auto said = last_line(result.errors);
    return {spec, "failed",
            said.empty() ? fmt::format("the process ended itself, with exit code {}, before the "
                                       "run had ended",
                                       result.exit_code)
                         : fmt::format("exit code {}: {}", result.exit_code, said),
            0};
  }
  const std::string status = report.value("status", "failed");
  KernelText printed{report.value("kernel_output", ""), 0};
  printed.bytes = report.value("kernel_output_bytes", std::uint64_t{printed.text.size()});
  // The run went well, and then something did not: the timeline's file, mostly.
  if (status == "ok" && result.exit_code != 0)
    return {spec, "failed", last_line(result.errors), 0, std::move(printed)};
  return {spec, status, report.value("message", ""), 0, std::move(printed)};
}

std::chrono::milliseconds bound_of(double seconds) {
  constexpr double longest = 1e9;  // thirty years; more would not fit the clock
  // No milliseconds at all would mean no bound.
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(std::ceil(std::min(seconds, longest) * 1000)));
}

IsolatedOutcome run_isolated_child(const Context& context, const std::string& spec) {
  ProcessRequest request;
  request.program = std::filesystem::canonical("/proc/self/exe");
  request.arguments = words_for_child(context, [](std::string_view) { return true; });
  request.arguments.insert(request.arguments.end(), {"--", spec});
  const double limit = context.number("timeout");
  request.environment = {{child_mark, "1"}};
  request.limit = bound_of(limit);
  request.output_limit = 1u << 20;
  request.stop = interrupted;
  const auto started = now_ns();
  const auto result = run_process(request);
  stop_if_interrupted();
  IsolatedOutcome outcome = result ? outcome_of(spec, *result, limit)
                                   : IsolatedOutcome{spec, "failed", result.error().message(), 0};
  outcome.seconds = static_cast<double>(now_ns() - started) / 1e9;
  return outcome;
}

/// The first line; of a compiler's log, which a line announces, the first one too.
std::string head_of(const std::string& text) {
  const auto end = text.find('\n');
  if (end == std::string::npos || end == 0 || text[end - 1] != ':') return text.substr(0, end);
  return text.substr(0, end) + " " + text.substr(end + 1, text.find('\n', end + 1) - (end + 1));
}

/// What follows the spec's name in a line for people. Most messages begin with the file already.
std::string short_message(const IsolatedOutcome& outcome) {
  if (outcome.message.empty()) return "";
  const std::string text = head_of(outcome.message);
  return text.starts_with(outcome.spec + ":") ? text.substr(outcome.spec.size()) : ": " + text;
}

void print_outcome(const Context& context, const IsolatedOutcome& outcome) {
  if (context.flag("json")) {
    Json object{{"spec", outcome.spec},
                {"status", outcome.status},
                {"seconds", outcome.seconds},
                {"message", outcome.message}};
    outcome.printed.add_to(object);
    print_json(object);
  } else if (!context.flag("quiet") || outcome.status != "ok") {
    print(fmt::format("{:<8} {:>8.3f} s  {}{}\n", outcome.status, outcome.seconds, outcome.spec,
                      short_message(outcome)));
  }
  flush_output();
  if (!context.flag("json")) outcome.printed.show();
}

void print_summary(const std::map<std::string, std::size_t>& counts, std::size_t total) {
  Table table({"status", "specs"});
  for (const char* status : {"ok", "failed", "crashed", "timeout", "refused"})
    if (const auto found = counts.find(status); found != counts.end())
      table.row({status, std::to_string(found->second)});
  table.row({"all", std::to_string(total)});
  print("\n" + table.text());
}

}  // namespace

void end_with_parent() {
  if (std::getenv(child_mark) == nullptr) return;
  std::thread([] {
    char byte;
    while (::read(0, &byte, 1) > 0) {
    }
    std::_Exit(1);
  }).detach();
}

int run_isolated(const Context& context) {
  std::map<std::string, std::size_t> counts;
  const auto& specs = context.arguments();
  for (const char* option : {"trace", "gantt"})
    if (context.has(option) && specs.size() > 1)
      throw Error(Errc::bad_input,
                  fmt::format("--{} with --isolate: found {} specs, expected one: each would write "
                              "the same file",
                              option, specs.size()));
  Progress progress("run", specs.size());
  for (const auto& spec : specs) {
    stop_if_interrupted();
    progress.note(spec);
    const IsolatedOutcome outcome = run_isolated_child(context, spec);
    ++counts[outcome.status];
    progress.hide();
    print_outcome(context, outcome);
    progress.advance();
  }
  progress.hide();
  if (!context.flag("json") && !context.flag("quiet") && specs.size() > 1)
    print_summary(counts, specs.size());
  return counts["ok"] == specs.size() ? 0 : 1;
}

}  // namespace kiln::cli
