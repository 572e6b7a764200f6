#include "cli/isolate.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/process.hpp"
#include "cli/interrupt.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/run_output.hpp"
#include "cli/settings.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Outcome {
  std::string spec, status, message;
  double seconds = 0;
};

/// The options of this run as words for the child, which runs one spec and reports as JSON.
std::vector<std::string> child_words(const Context& context, const std::string& spec) {
  std::vector<std::string> words{"run", "--json", "--no-isolate", "--no-quiet"};
  for (const Option& option : context.command().options) {
    const std::string name = "--" + std::string(option.name);
    if (option.name == "json" || option.name == "isolate" || option.name == "quiet" ||
        option.name == "timeout" || !context.has(option.name))
      continue;
    if (option.kind == Kind::flag) {
      if (context.flag(option.name)) words.push_back(name);
    } else {
      for (const auto& value : context.list(option.name)) {
        words.push_back(name);
        words.push_back(value);
      }
    }
  }
  words.push_back("--");
  words.push_back(spec);
  return words;
}

/// The last line of what a child said, for people.
std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of("\n ");
  if (end == std::string::npos) return "";
  const auto begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? std::string::npos : begin));
}

Outcome outcome_of(const std::string& spec, const ProcessResult& result, double limit) {
  if (result.timed_out) return {spec, "timeout", fmt::format("stopped after {} s", limit), 0};
  if (result.signal != 0) {
    const auto said = last_line(result.errors);
    return {spec, "crashed", signal_name(result.signal) + (said.empty() ? "" : ": " + said), 0};
  }
  const auto report = Json::parse(result.output, nullptr, false);
  if (report.is_discarded() || !report.is_object() || !report.contains("status"))
    return {spec, "failed",
            fmt::format("exit code {}: {}", result.exit_code, last_line(result.errors)), 0};
  return {spec, report.value("status", "failed"), report.value("message", ""), 0};
}

Outcome run_child(const Context& context, const std::string& spec) {
  ProcessRequest request;
  request.program = std::filesystem::canonical("/proc/self/exe");
  request.arguments = child_words(context, spec);
  const double limit = context.number("timeout");
  request.limit = std::chrono::milliseconds(static_cast<std::int64_t>(limit * 1000));
  request.output_limit = 1u << 20;
  const auto started = now_ns();
  const auto result = value_or_throw(run_process(request));
  Outcome outcome = outcome_of(spec, result, limit);
  outcome.seconds = static_cast<double>(now_ns() - started) * 1e-9;
  return outcome;
}

void print_outcome(const Context& context, const Outcome& outcome) {
  if (context.flag("json")) {
    const Json object{{"spec", outcome.spec},
                      {"status", outcome.status},
                      {"seconds", outcome.seconds},
                      {"message", outcome.message}};
    print(object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  } else if (!context.flag("quiet") || outcome.status != "ok") {
    print(fmt::format("{:<8} {:>8.3f} s  {}{}\n", outcome.status, outcome.seconds, outcome.spec,
                      outcome.message.empty()
                          ? ""
                          : ": " + outcome.message.substr(0, outcome.message.find('\n'))));
  }
  flush_output();
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

int run_isolated(const Context& context) {
  std::map<std::string, std::size_t> counts;
  const auto& specs = context.arguments();
  Progress progress("run", specs.size());
  for (const auto& spec : specs) {
    stop_if_interrupted();
    progress.note(spec);
    const Outcome outcome = run_child(context, spec);
    ++counts[outcome.status];
    progress.hide();
    print_outcome(context, outcome);
    progress.advance();
  }
  progress.hide();
  if (!context.flag("json") && specs.size() > 1) print_summary(counts, specs.size());
  return counts["ok"] == specs.size() ? 0 : 1;
}

}  // namespace kiln::cli
