// What words and options of `kiln tune` mean together: times, which kind of file --from and
// --replay name, and what cannot be combined.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>

#include "base/data/text.hpp"
#include "cli/command/context.hpp"
#include "cli/command/session.hpp"
#include "cli/tune/commands.hpp"
#include "cli/tune/subject.hpp"
#include "kiln/error.hpp"
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

/// Options that describe one call or specification: a campaign has its own.
constexpr std::string_view of_one_subject[] = {
    "size-m",     "size-n", "size-k",  "order",      "side",    "uplo",   "trans-a",
    "trans-b",    "diag",   "param",   "set",        "set-if",  "in",     "expect",
    "constraint", "rtol",   "dialect", "source-dir", "journal", "report",
};
/// Options that describe a call of BLAS.
constexpr std::string_view of_blas[] = {"precision", "size-m", "size-n",  "size-k",  "order",
                                        "side",      "uplo",   "trans-a", "trans-b", "diag"};
/// Options that say how a specification file's kernel is tuned.
constexpr std::string_view of_specs[] = {"param",      "constraint", "set",    "set-if", "dialect",
                                         "source-dir", "in",         "expect", "rtol"};
constexpr std::string_view of_replay[] = {"from-evaluations", "seeds", "within"};

/// Options that only a search on a device uses.
constexpr std::string_view of_devices[] = {
    "all",     "resume", "fresh",        "dry-run",        "journal",    "report",       "share",
    "budget",  "seed",   "jobs",         "evaluations",    "hang-time",  "from-scratch", "device",
    "compile", "store",  "shared-store", "shared-timeout", "store-size", "system-store",
};
constexpr std::string_view of_campaigns[] = {"dry-run", "share"};
constexpr std::string_view of_calls[] = {"precision"};

bool is_typed(const Context& context, std::string_view option) {
  return context.has(option) && context.origin(option).from == Origin::From::command_line;
}

void refuse_together(const Context& context, std::string_view with, Names names,
                     std::string_view why) {
  for (const auto name : names)
    if (is_typed(context, name))
      throw Error(Errc::bad_input, fmt::format("--{}: found with {}, {}", name, with, why));
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
    throw Error(Errc::bad_input,
                fmt::format("--{}: found '{}', expected a time as 90s, 10m or 2h", option, text));
  return std::chrono::milliseconds(std::llround(time));
}

void refuse_calls(const std::string& file, const std::string& option) {
  if (kind_of(file) == FileKind::calls)
    throw Error(Errc::bad_input,
                fmt::format("{}: found a record of calls, {} expected a measured space; kiln tune "
                            "--from FILE alone tunes what a record holds",
                            one_line(file), option));
}

void refuse_measured_space(const std::string& file) {
  if (kind_of(file) == FileKind::space)
    throw Error(Errc::bad_input,
                fmt::format("{}: found a measured space, expected a record of calls (kiln record); "
                            "a measured space goes with --replay",
                            one_line(file)));
}

void refuse_combinations(const Context& context) {
  const bool all = context.flag("all"), from = context.has("from");
  if (context.has("replay")) {
    refuse_together(context, "--replay", of_devices, "which searches no device");
    refuse_together(context, "--replay", of_blas, "which searches a measured space");
    refuse_together(context, "--replay", of_specs, "which searches a measured space");
    if (!context.arguments().empty())
      throw Error(Errc::bad_input,
                  fmt::format("found '{}' with --replay, which says itself what to search",
                              one_line(context.arguments().front())));
    return;
  }
  refuse_together(context, "a search on a device", of_replay, "expected --replay with it");
  if (all && from) throw Error(Errc::bad_input, "--from: found with --all, expected one of them");
  if (from && !context.arguments().empty())
    throw Error(Errc::bad_input,
                fmt::format("found '{}' with --from, which says itself what to tune; expected one "
                            "of them",
                            one_line(context.arguments().front())));
  if (all) refuse_together(context, "--all", of_one_subject, "which has problems of its own");
  if (from) {
    refuse_together(context, "--from", of_one_subject, "which says itself what to tune");
    refuse_together(context, "--from", of_calls, "which says itself what to tune");
  }
  if (context.flag("fresh") && context.flag("resume") && is_typed(context, "resume"))
    throw Error(Errc::bad_input, "--fresh: found with --resume, expected one of them");
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

}  // namespace kiln::cli
