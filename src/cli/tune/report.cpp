// A search as an HTML page: the data that its script (page/report.js) draws.
#include "cli/tune/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "cli/page/page.hpp"
#include "kernel/request/stored_record.hpp"
#include "tune/report/run.hpp"

namespace kiln::cli {
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
