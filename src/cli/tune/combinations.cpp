#include "cli/tune/combinations.hpp"

#include <fmt/format.h>

#include <span>
#include <string_view>

#include "base/text.hpp"
#include "cli/context.hpp"
#include "cli/store_settings.hpp"
#include "cli/tune/subject.hpp"
#include "tune/share/board.hpp"

namespace kiln::cli {
namespace {

using Names = std::span<const std::string_view>;

/// What says which call or specification: a campaign has its own.
constexpr std::string_view of_one_subject[] = {
    "size-m",     "size-n", "size-k",  "order",      "side",    "uplo",   "trans-a",
    "trans-b",    "diag",   "param",   "set",        "set-if",  "in",     "expect",
    "constraint", "rtol",   "dialect", "source-dir", "journal", "report",
};
/// What says which call of BLAS.
constexpr std::string_view of_blas[] = {"precision", "size-m", "size-n",  "size-k",  "order",
                                        "side",      "uplo",   "trans-a", "trans-b", "diag"};
/// What says how a specification file's kernel is tuned.
constexpr std::string_view of_specs[] = {"param",      "constraint", "set",    "set-if", "dialect",
                                         "source-dir", "in",         "expect", "rtol"};
constexpr std::string_view of_replay[] = {"from-evaluations", "seeds", "within"};

bool is_typed(const Context& context, std::string_view option) {
  return context.has(option) && context.origin(option).from == Origin::From::command_line;
}

void refuse_together(const Context& context, std::string_view with, Names names,
                     std::string_view why) {
  for (const auto name : names)
    if (is_typed(context, name))
      throw Error(Errc::bad_input, fmt::format("--{}: found with {}, {}", name, with, why));
}

/// What only a search on a device uses.
constexpr std::string_view of_devices[] = {
    "all",     "resume", "fresh",        "dry-run",        "journal",    "report",       "share",
    "budget",  "seed",   "jobs",         "evaluations",    "hang-time",  "from-scratch", "device",
    "compile", "store",  "shared-store", "shared-timeout", "store-size", "system-store",
};
constexpr std::string_view of_campaigns[] = {"dry-run", "share"};
constexpr std::string_view of_calls[] = {"precision"};

}  // namespace

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
  // A server that cannot be is said at once; one that is away, when it is asked.
  if ((all || from) && context.flag("share"))
    value_or_throw(tune::shared_board(store_settings_of(context), "0"));
}

}  // namespace kiln::cli
