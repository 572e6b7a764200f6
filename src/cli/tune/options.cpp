// What words and options of `kiln tune` mean together: times, which kind of file --from and
// --replay name, and what cannot be combined.
#include "cli/run/options.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>

#include "base/data/text.hpp"
#include "cli/blas/call_options.hpp"
#include "cli/command/context.hpp"
#include "cli/command/files.hpp"
#include "cli/command/session.hpp"
#include "cli/tune/search.hpp"
#include "kiln/error.hpp"
#include "spec/tune/spec_tunable.hpp"
#include "tune/search/partners.hpp"
#include "tune/share/shared_search.hpp"

namespace kiln::cli {
namespace {

enum class FileKind { unknown, calls, space };

/// By the first bytes: a record of calls begins with its version, a measured space is compressed or
/// has its parameters or its results near the beginning.
FileKind kind_of(const std::string& file) {
  // A pipe can be read only once: its content would be lost.
  std::error_code absent;
  if (!std::filesystem::is_regular_file(file, absent)) return FileKind::unknown;
  std::ifstream in(file, std::ios::binary);
  std::string head(64 << 10, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  if (head.starts_with("\x1f\x8b")) return FileKind::space;
  const auto begin = head.find_first_not_of(" \t\r\n");
  if (begin == head.npos) return FileKind::unknown;
  const std::string line = head.substr(begin, head.find('\n', begin) - begin);
  if (line.find("\"kiln_calls\"") != line.npos) return FileKind::calls;
  for (const char* name : {"\"tune_params", "\"results\"", "\"cache\"", "\"device_name\""})
    if (head.find(name) != head.npos) return FileKind::space;
  return FileKind::unknown;
}

using Names = std::span<const std::string_view>;

/// The options of a part of the command's help, which begins with `first`.
std::vector<std::string_view> group_of(const Context& context, std::string_view first) {
  std::vector<std::string_view> names;
  bool is_inside = false;
  for (const Option* option : own_options(context.command())) {
    for (const OptionGroup& group : context.command().groups)
      if (group.first == option->name) is_inside = option->name == first;
    if (is_inside) names.push_back(option->name);
  }
  return names;
}

constexpr std::string_view of_replay[] = {"from-evaluations", "seeds", "within"};

/// Options that only a search on a device uses.
constexpr std::string_view of_devices[] = {
    "all",     "resume", "fresh",        "dry-run",        "journal",    "report",       "share",
    "budget",  "seed",   "jobs",         "evaluations",    "hang-time",  "from-scratch", "device",
    "compile", "store",  "shared-store", "shared-timeout", "store-size", "system-store",
};
constexpr std::string_view of_campaigns[] = {"dry-run", "share"};

void refuse_together(const Context& context, std::string_view with, Names names,
                     std::string_view why) {
  for (const auto name : names)
    if (context.is_typed(name)) throw bad_input("--{}: found with {}, {}", name, with, why);
}

std::unique_ptr<tune::Tunable> tunable_spec(const Context& context) {
  spec::SpecTuning tuning;
  tuning.file = context.arguments().front();
  tuning.dialect = dialect_of(context);
  tuning.symbols = symbols_of(context);
  tuning.source_dirs = context.paths("source-dir");
  tuning.parameters = context.list("param");
  tuning.constraints = context.list("constraint");
  tuning.inputs = files_of(context, "in");
  tuning.written = files_written_by(context);
  if (context.has("journal")) tuning.written.emplace_back(context.text("journal"));
  tuning.expect = files_of(context, "expect");
  if (context.has("rtol")) tuning.rtol = context.number("rtol");
  return value_or_throw(spec::make_spec_tunable(tuning));
}

}  // namespace

std::chrono::milliseconds time_option(const Context& context, std::string_view option) {
  const std::string& text = context.text(option);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const double milliseconds = unit == "ms"                  ? 1
                              : unit == "s" || unit.empty() ? 1e3
                              : unit == "m"                 ? 60e3
                              : unit == "h"                 ? 3600e3
                                                            : 0;
  constexpr double year = 365.0 * 24 * 3600e3;
  const double time = number * milliseconds;
  if (error != std::errc() || !(time >= 1 && time <= year))
    throw bad_input("--{}: found '{}', expected a time as 90s, 10m or 2h", option, text);
  return std::chrono::milliseconds(std::llround(time));
}

void refuse_calls(const std::string& file, const std::string& option) {
  if (kind_of(file) == FileKind::calls)
    throw bad_input(
        "{}: found a record of calls, {} expected a measured space; kiln tune --from FILE alone "
        "tunes what a record holds",
        one_line(file), option);
}

void refuse_measured_space(const std::string& file) {
  if (kind_of(file) == FileKind::space)
    throw bad_input(
        "{}: found a measured space, expected a record of calls (kiln record); a measured space "
        "goes with --replay",
        one_line(file));
}

void refuse_combinations(const Context& context) {
  // Options that describe a call of BLAS, and those that say how a specification's kernel is tuned.
  const auto of_blas = group_of(context, "precision"), of_specs = group_of(context, "param");
  // A campaign has problems of its own; --precision restricts those of --all.
  std::vector<std::string_view> of_one_subject(of_blas.begin() + 1, of_blas.end());
  of_one_subject.insert(of_one_subject.end(), of_specs.begin(), of_specs.end());
  of_one_subject.insert(of_one_subject.end(), {"journal", "report"});
  const bool all = context.flag("all"), from = context.has("from");
  if (context.has("replay")) {
    refuse_together(context, "--replay", of_devices, "which searches no device");
    refuse_together(context, "--replay", of_blas, "which searches a measured space");
    refuse_together(context, "--replay", of_specs, "which searches a measured space");
    if (!context.arguments().empty())
      throw bad_input("found '{}' with --replay, which says itself what to search",
                      one_line(context.arguments().front()));
    return;
  }
  refuse_together(context, "a search on a device", of_replay, "expected --replay with it");
  if (all && from) throw bad_input("--from: found with --all, expected one of them");
  if (from && !context.arguments().empty())
    throw bad_input("found '{}' with --from, which says itself what to tune; expected one of them",
                    one_line(context.arguments().front()));
  if (all) refuse_together(context, "--all", of_one_subject, "which has problems of its own");
  if (from) {
    of_one_subject.push_back(of_blas.front());
    refuse_together(context, "--from", of_one_subject, "which says itself what to tune");
  }
  if (context.flag("fresh") && context.flag("resume") && context.is_typed("resume"))
    throw bad_input("--fresh: found with --resume, expected one of them");
  if (!all && !from && !context.arguments().empty()) {
    const std::string& word = context.arguments().front();
    if (is_specification(word))
      refuse_together(context, "a specification file", of_blas,
                      "expected a routine of BLAS with it");
    else
      refuse_together(context, "a routine of BLAS", of_specs,
                      "expected a specification file with it");
  }
  if (!all && !from)
    refuse_together(context, "a single search", of_campaigns, "expected --all or --from with it");
  // An invalid server name is an error at once; a server that is down, when it is asked.
  if ((all || from) && context.flag("share"))
    value_or_throw(tune::shared_board(store_settings_of(context), "0"));
}

bool is_specification(const std::string& word) {
  std::error_code error;
  return word.ends_with(".json") || std::filesystem::is_regular_file(word, error);
}

blas::SearchPlace search_place(const Context& context) {
  return {[&context] { return devices_of(context).front(); }, store_settings_of(context),
          compile_policy_of(context)};
}

tune::SearchTask search_task(const Context& context) {
  auto place = search_place(context);
  // Errors in the words are found before a driver is asked.
  if (is_specification(context.arguments().front())) {
    auto tunable = tunable_spec(context);
    auto device = tune::look_at_device(place.find_device);
    return {std::move(tunable), std::move(device), std::move(place.find_device),
            std::move(place.store), place.compile};
  }
  const blas::Call call = call_of(context);
  return blas::blas_task(call, blas::look_at_blas_device(place.find_device), place);
}

tune::SearchSettings search_settings(const Context& context) {
  tune::SearchSettings settings;
  settings.strategy = context.text("strategy");
  if (settings.strategy == "all")
    throw bad_input("--strategy all: compares strategies; expected --replay with it");
  settings.seed = static_cast<std::uint64_t>(context.integer("seed"));
  settings.budget = time_option(context, "budget");
  settings.evaluations = static_cast<std::size_t>(context.integer("evaluations"));
  settings.jobs = static_cast<std::size_t>(std::min<std::int64_t>(context.integer("jobs"), 256));
  settings.hang_time = time_option(context, "hang-time");
  settings.fresh = context.flag("fresh");
  settings.from_scratch = context.flag("from-scratch");
  settings.share = context.flag("share");
  settings.journal = context.text("journal");
  return settings;
}

}  // namespace kiln::cli
