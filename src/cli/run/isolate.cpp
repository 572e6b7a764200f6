#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/clock.hpp"
#include "base/data/text.hpp"
#include "base/os/environment.hpp"
#include "base/os/file.hpp"
#include "base/os/process.hpp"
#include "cli/command/files.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/run/run_output.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Tells a child to end with its parent. It is in the child's environment, for it is no option of
/// the user's.
constexpr const char* child_mark = "KILN_ISOLATED_CHILD";

struct IsolatedOutcome {
  std::string spec, status, message;
  double seconds = 0;
  KernelText printed = {};
};

bool is_set_for_child(std::string_view option) {
  return option == "json" || option == "isolate" || option == "quiet" || option == "timeout";
}

/// The options of this run that `passed` names as words for a child of it, which runs specs and
/// reports as JSON. They hold what came from the config file and the environment, so the child
/// reads no file again.
std::vector<std::string> words_for_child(const Context& context,
                                         const std::function<bool(std::string_view)>& passed) {
  std::vector<std::string> words{"run",
                                 "--json",
                                 "--no-isolate",
                                 "--no-quiet",
                                 "--timeout=0",
                                 "--config=off",
                                 "--log=" + context.text("log")};
  for (const Option* option : own_options(context.command()))
    if (!is_set_for_child(option->name) && passed(option->name))
      for (std::string& word : context.words_of(*option)) words.push_back(std::move(word));
  return words;
}

/// The last line of what a child said, for people.
std::string last_line(std::string_view text) {
  text = trimmed(text);
  return std::string(text.substr(text.rfind('\n') + 1));
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
    print("{:<8} {:>8.3f} s  {}{}\n", outcome.status, outcome.seconds, outcome.spec,
          short_message(outcome));
  }
  flush_output();
  if (!context.flag("json")) outcome.printed.show();
}

void print_summary(const std::map<std::string, std::size_t>& counts, std::size_t total) {
  Table table({"status", "specs"});
  for (const char* status : {"ok", "failed", "crashed", "timeout", "refused"})
    if (const auto found = counts.find(status); found != counts.end())
      table.row(status, found->second);
  table.row("all", total);
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
      throw bad_input(
          "--{} with --isolate: found {} specs, expected one: each would write the same file",
          option, specs.size());
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

// The look of --check-bounds on oclgrind's device.

namespace {

/// Tells a child that it runs on oclgrind's device already. In its environment, and no option: only
/// this file uses it.
constexpr const char* oclgrind_mark = "KILN_OCLGRIND_CHILD";
constexpr std::uint64_t longest_log = 64u << 20;

/// oclgrind's driver: next to the program oclgrind, which PATH has.
std::filesystem::path oclgrind_driver() {
  const auto program = find_in_path("oclgrind");
  const auto driver = program.parent_path().parent_path() / "lib/oclgrind/liboclgrind-rt-icd.so";
  std::error_code error;
  return !program.empty() && std::filesystem::exists(driver, error) ? driver
                                                                    : std::filesystem::path();
}

/// Options that decide what the kernel does are passed to the child; those that say where it runs
/// and where results go are not.
bool matters_to_kernel(std::string_view option) {
  constexpr std::array<std::string_view, 9> kept{
      "set", "set-if", "in", "seed", "source-dir", "dialect", "compile", "local-size", "rtol"};
  return std::find(kept.begin(), kept.end(), option) != kept.end();
}

Expected<ProcessResult> run_on_oclgrind(const Context& context, const std::string& spec,
                                        const std::filesystem::path& driver,
                                        const std::filesystem::path& log, const char* bounds) {
  ProcessRequest request;
  request.program = std::filesystem::canonical("/proc/self/exe");
  request.arguments = words_for_child(context, matters_to_kernel);
  for (const char* word : {"--devices=all", "--partition=10", "--store=off", bounds, "--"})
    request.arguments.emplace_back(word);
  request.arguments.push_back(spec);
  // Its own standard input is a pipe from this process, which has kept what came by its own.
  const std::string kept = fmt::format("/proc/{}/fd/0", ::getpid());
  for (auto& argument : request.arguments)
    if (argument == standard_input || argument.ends_with(std::string("=") + standard_input))
      argument.replace(argument.size() - std::string_view(standard_input).size(), std::string::npos,
                       kept);
  request.environment = {{oclgrind_mark, "1"},
                         {child_mark, "1"},
                         {"OCL_ICD_VENDORS", driver.string()},
                         {"OCLGRIND_LOG", log.string()}};
  request.stop = interrupted;
  auto result = run_process(request);
  stop_if_interrupted();
  return result;
}

std::string line_after(std::string_view text, std::string_view mark) {
  const auto at = text.find(mark);
  if (at == text.npos) return "";
  text.remove_prefix(at + mark.size());
  return std::string(text.substr(0, text.find('\n')));
}

/// "global memory address 0x2000000000040" → "byte 64 of buffer 2": oclgrind numbers buffers in the
/// upper bits.
std::string place_of(std::string_view where) {
  const auto hex = where.find("0x");
  const std::string space(where.substr(0, where.find(' ')));
  std::uint64_t address = 0;
  if (hex != where.npos) {
    const auto digits = where.substr(hex + 2);
    std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
  }
  constexpr std::uint64_t offset_bits = (std::uint64_t{1} << 48) - 1;
  if (space == "global" && address >> 48 != 0)
    return fmt::format("byte {} of buffer {}", address & offset_bits, address >> 48);
  return fmt::format("{} memory, byte {}", space, address & offset_bits);
}

}  // namespace

std::string invalid_access_in(std::string_view log) {
  constexpr std::string_view mark = "Invalid ";
  std::size_t count = 0;
  std::string first;
  for (std::size_t at = log.find(mark); at != log.npos; at = log.find(mark, at + 1)) {
    if (at > 0 && log[at - 1] != '\n') continue;
    std::string_view entry = log.substr(at);
    entry = entry.substr(0, entry.find("\n\n"));
    const std::string head(entry.substr(0, entry.find('\n')));  // "Invalid read of size 4 at …"
    const std::string bytes = line_after(head, "of size "), where = line_after(head, " at ");
    if (bytes.empty() || where.empty()) continue;
    if (count++ > 0) continue;
    const std::string kind = head.find("write") != head.npos ? "writes" : "reads";
    const std::string source = line_after(entry, "At line ");
    first = fmt::format("kernel {} {} {} bytes outside of memory that it has ({})",
                        trimmed(line_after(entry, "Kernel: ")), kind,
                        bytes.substr(0, bytes.find(' ')), place_of(where));
    // Its quotation of that line is not of the file: it takes no notice of #line.
    if (!source.empty()) first += " at line " + source.substr(0, source.find(' '));
  }
  if (count > 1) first += fmt::format(" (and {} more such accesses)", count - 1);
  return one_line(first);
}

std::optional<std::string> oclgrind_finding(const Context& context, const std::string& spec) {
  if (std::getenv(oclgrind_mark) != nullptr) return {};
  const auto driver = oclgrind_driver();
  if (driver.empty()) return {};
  const auto folder = TemporaryFolder::create("kiln-oclgrind");
  if (!folder) return {};
  const auto log_file = folder->path() / "log";
  const auto child = run_on_oclgrind(context, spec, driver, log_file, "--no-check-bounds");
  const auto text = read_text(log_file, longest_log);
  std::string found = text ? invalid_access_in(*text) : "";
  if (found.empty()) {
    if (child && child->exit_code == 0) return "";
    complain("note: oclgrind did not run " + spec + "; only writes near buffers are found");
    return {};
  }
  // Once more with zones around the buffers: they show which parameter it is, and how much of it.
  const auto zones = run_on_oclgrind(context, spec, driver, log_file, "--check-bounds");
  const auto report = zones ? nlohmann::json::parse(zones->output, nullptr, false)
                            : nlohmann::json(nlohmann::json::value_t::discarded);
  if (report.is_object() && report.value("code", "") == "device" &&
      report.value("message", "").find(" writes outside of ") != std::string::npos)
    return report.value("message", "");
  return found;
}

}  // namespace kiln::cli
