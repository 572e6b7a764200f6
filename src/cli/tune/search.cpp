// One search as `kiln tune` shows it: its beginning, what it came to, and as an HTML page the data
// that its script (page/report.js) draws.
#include "cli/tune/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/data/text.hpp"
#include "cli/command/context.hpp"
#include "cli/output/output.hpp"
#include "kernel/request/stored_record.hpp"
#include "tune/report/run.hpp"

namespace kiln::cli {
std::optional<tune::MachineLock> lock_of_tuners() {
  auto lock = tune::MachineLock::open();
  if (lock) return *std::move(lock);
  complain("note: {}; tunes without the lock, so that another tuner may disturb the measurements",
           lock.error().message());
  return std::nullopt;
}

void print_beginning(const Context& context, const tune::SearchBeginning& beginning) {
  const std::string journal = beginning.journal.string();
  if (!beginning.lost_start.empty())
    complain(
        "note: {}: the search {} that this one started from is no longer on record; goes on "
        "without it",
        journal, beginning.lost_start);
  if (context.flag("json")) return;
  if (beginning.resumed > 0)
    print_text("Continues the search in {}: {} evaluations (--fresh begins anew).\n", journal,
               beginning.resumed);
  if (!beginning.started_from.empty()) print_text("Starts from {}.\n", beginning.started_from);
  flush_output();
}

std::string WaitNotice::note(const tune::TunerState& state) {
  if (!state.waiting || state.waiting->since < std::chrono::seconds(1)) return "";
  const auto holder = state.waiting->holder;
  const std::string who =
      fmt::format("another tuner of this user{}",
                  holder > 0 ? fmt::format(" (process {})", holder) : std::string());
  if (!std::exchange(is_said_, true))
    complain("note: waits for {}, which measures now; Ctrl-C ends the search", who);
  return ", waits for " + who;
}

void print_kernel_output(const tune::TunerResult& result) {
  if (result.printed_bytes == 0) return;
  const bool whole = result.printed_bytes <= result.printed.size();
  complain("note: kernels printed {} bytes while they were measured{}:\n{}", result.printed_bytes,
           whole ? "" : "; they begin", result.printed);
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

namespace {

using ReportData = nlohmann::ordered_json;
using tune::Evaluation;
using tune::TuningRun;

constexpr std::size_t shown_best = 10;

ReportData parameters_of(const TuningRun& run) {
  ReportData all = ReportData::array();
  for (const auto& parameter : run.parameters) {
    all.push_back({{"name", parameter.name}, {"values", ReportData::array()}});
    for (const auto& value : parameter.values) all.back()["values"].push_back(value.text());
  }
  return all;
}

ReportData evaluations_of(const TuningRun& run) {
  ReportData all = ReportData::array();
  for (const auto& evaluation : run.evaluations) {
    ReportData data = {nullptr, nullptr};
    if (evaluation.outcome.ok()) data[0] = evaluation.outcome.time;
    if (evaluation.at) data[1] = *evaluation.at;
    for (const std::size_t position : evaluation.positions) data.push_back(position);
    all.push_back(std::move(data));
  }
  return all;
}

ReportData top_of(const TuningRun& run) {
  ReportData all = ReportData::array();
  for (const Evaluation* one : run.standing())
    if (all.size() < shown_best) all.push_back(one - run.evaluations.data());
  return all;
}

ReportData importance_data(const TuningRun& run) {
  const auto importance = tune::importance_of(run);
  if (!importance) return nullptr;
  ReportData shares = ReportData::array();
  for (const auto& share : importance->shares)
    shares.push_back({share.parameter, share.alone, share.with_others});
  return {{"measured", importance->measured},
          {"explained", importance->explained},
          {"shares", std::move(shares)}};
}

ReportData failures_of(const TuningRun& run) {
  ReportData all = ReportData::array();
  for (const auto& [failure, count, message] : run.reasons())
    all.push_back({tune::name_of(failure), count, message});
  return all;
}

/// How the winner was found; null for a search that has not ended.
ReportData ending_of(const TuningRun& run) {
  if (!run.winner) return nullptr;
  const auto& ending = run.winner->ending;
  ReportData finalists = ReportData::array();
  for (const auto& finalist : ending.finalists) {
    const auto found = std::find_if(run.evaluations.begin(), run.evaluations.end(),
                                    [&](const Evaluation& one) { return one.id == finalist.id; });
    finalists.push_back({finalist.relative, finalist.rounds, nullptr});
    if (found != run.evaluations.end()) finalists.back()[2] = found - run.evaluations.begin();
  }
  const std::size_t all = run.evaluations.size(), then = run.winner->evaluations;
  return {{"explanation", explanation_of(ending.decision, ending.finalists.size(), ending.rounds)},
          {"after", all - std::min(all, then)},
          {"builtIn", ending.standard},
          {"finalists", std::move(finalists)}};
}

}  // namespace

std::string report_page(const TuningRun& run) {
  ReportData data = {
      {"identity", run.identity},
      {"device", model_of(run.device)},
      {"strategy", run.strategy},
      {"seed", std::to_string(run.seed)},  // more digits than a script's numbers have
      {"parameters", parameters_of(run)},
      {"evaluations", evaluations_of(run)},
      {"top", top_of(run)},
      {"best", nullptr},
      {"importance", importance_data(run)},
      {"leastForImportance", tune::kLeastForImportance},
      {"failures", failures_of(run)},
      {"ending", ending_of(run)}};
  std::string summary = fmt::format("None of {} evaluations has a time.", run.evaluations.size());
  if (const auto best = run.best()) {
    data["best"] = {{"text", best->text}, {"seconds", best->seconds}};
    summary = fmt::format("{} of {} evaluations: {}, with {}.",
                          best->is_final ? "Winner" : "Fastest so far", run.evaluations.size(),
                          duration(best->seconds * 1e9), best->text);
  }
  return filled_page(report_html, summary, data);
}

}  // namespace kiln::cli
