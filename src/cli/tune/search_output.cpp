#include "cli/tune/search_output.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/output.hpp"
#include "tune/session/journal_line.hpp"

namespace kiln::cli {

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
