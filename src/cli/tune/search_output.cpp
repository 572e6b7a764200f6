#include "cli/tune/search_output.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/output.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const tune::SearchSpace& space, tune::ConfigurationId id) {
  Json json = Json::object();
  for (std::size_t i = 0; i < space.parameters().size(); ++i)
    json[space.parameters()[i].name] = space.value(id, i).to_integer().value_or(0);
  return json;
}

}  // namespace

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

std::string decision_text(const tune::TunerResult& result) {
  const auto& winner = *result.winner;
  const std::string met =
      winner.finalists > 1
          ? fmt::format("Play-off of {} finalists, {} rounds", winner.finalists, winner.rounds)
          : "No other candidate was close enough for a play-off";
  switch (result.decision) {
    case tune::Decision::interrupted:
      return "The best so far; the search was ended before the play-off";
    case tune::Decision::built_in:
      return met + "; no candidate was measurably faster than the built-in parameters";
    case tune::Decision::earlier_record:
      return met + "; the earlier record was faster than what this search found";
    case tune::Decision::play_off:
      break;
  }
  return met;
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

Json json_of_search(const tune::Tunable& tunable, const std::string& device,
                    const std::filesystem::path& journal, const tune::TunerResult& result) {
  Json json{{"tuned", tunable.label()},
            {"device", device},
            {"configurations", tunable.space().size()},
            {"evaluated", result.state.evaluated},
            {"failed", result.state.failed}};
  if (result.winner)
    json.update({{"best", json_of(tunable.space(), result.winner->id)},
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
