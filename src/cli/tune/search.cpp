// One search as `kiln tune` shows it: its settings by the options, and what it came to.
#include "cli/tune/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/command/context.hpp"
#include "cli/output/output.hpp"
#include "cli/tune/commands.hpp"

namespace kiln::cli {

tune::SearchSettings search_settings(const Context& context) {
  tune::SearchSettings settings;
  settings.strategy = context.text("strategy");
  if (settings.strategy == "all")
    throw Error(Errc::bad_input, "--strategy all: compares strategies; expected --replay with it");
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

std::optional<tune::MachineLock> lock_of_tuners() {
  auto lock = tune::MachineLock::open();
  if (lock) return *std::move(lock);
  complain(fmt::format(
      "note: {}; tunes without the lock, so that another tuner may disturb the measurements",
      lock.error().message()));
  return std::nullopt;
}

void print_beginning(const Context& context, const tune::SearchBeginning& beginning) {
  const std::string journal = beginning.journal.string();
  if (!beginning.lost_start.empty())
    complain(fmt::format(
        "note: {}: the search {} that this one started from is no longer on record; goes on "
        "without it",
        journal, beginning.lost_start));
  if (context.flag("json")) return;
  if (beginning.resumed > 0)
    print_text(fmt::format("Continues the search in {}: {} evaluations (--fresh begins anew).\n",
                           journal, beginning.resumed));
  if (!beginning.started_from.empty())
    print_text(fmt::format("Starts from {}.\n", beginning.started_from));
  flush_output();
}

std::string WaitNotice::note(const tune::TunerState& state) {
  if (!state.waiting || state.waiting->since < std::chrono::seconds(1)) return "";
  const auto holder = state.waiting->holder;
  const std::string who =
      fmt::format("another tuner of this user{}",
                  holder > 0 ? fmt::format(" (process {})", holder) : std::string());
  if (!std::exchange(is_said_, true))
    complain(fmt::format("note: waits for {}, which measures now; Ctrl-C ends the search", who));
  return ", waits for " + who;
}

void print_kernel_output(const tune::TunerResult& result) {
  if (result.printed_bytes == 0) return;
  const bool whole = result.printed_bytes <= result.printed.size();
  complain(fmt::format("note: kernels printed {} bytes while they were measured{}:\n{}",
                       result.printed_bytes, whole ? "" : "; they begin", result.printed));
}

double faster_by(const tune::TunerResult& result) {
  return result.winner && result.standard > 0 ? result.standard / result.winner->time : 1;
}

nlohmann::ordered_json json_of_search(const tune::Tunable& tunable, const std::string& device,
                                      const std::filesystem::path& journal,
                                      const tune::TunerResult& result) {
  nlohmann::ordered_json json{{"tuned", tunable.label()},
                              {"device", device},
                              {"configurations", tunable.space().size()},
                              {"evaluated", result.state.evaluated},
                              {"failed", result.state.failed}};
  if (result.winner)
    json.update({{"best", tune::json_of_configuration(tunable.space(), result.winner->id)},
                 {"best_seconds", result.winner->time},
                 {"standard_seconds", result.standard},
                 {"faster_by", faster_by(result)},
                 {"finalists", result.winner->finalists},
                 {"rounds", result.winner->rounds},
                 {"decided_by", name_of(result.decision)}});
  json.update({{"seconds", result.seconds},
               {"compiling_seconds", result.compiling},
               {"running_seconds", result.running},
               {"replaced_processes", result.replaced},
               {"resumed_evaluations", result.resumed},
               {"started_from", result.started_from},
               {"journal", journal.string()}});
  if (result.printed_bytes > 0)
    json.update({{"kernel_output", result.printed}, {"kernel_output_bytes", result.printed_bytes}});
  if (result.seconds > 0)
    json["overhead"] = 1 - (result.compiling + result.running) / result.seconds;
  return json;
}

}  // namespace kiln::cli
