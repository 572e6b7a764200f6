// Searches as one JSON object.
#include <nlohmann/json.hpp>

#include "tune/report/exports.hpp"

namespace kiln::tune {
namespace {

using Json = nlohmann::ordered_json;

Json configuration_json(const TuningRun& run, const std::vector<std::size_t>& positions) {
  Json configuration = Json::object();
  for (std::size_t p = 0; p < run.parameters.size(); ++p)
    configuration[run.parameters[p].name] = json_of(run.parameters[p].values[positions[p]]);
  return configuration;
}

Json json_of_evaluation(const TuningRun& run, const Evaluation& evaluation) {
  Json json{{"id", evaluation.id},
            {"configuration", configuration_json(run, evaluation.positions)}};
  if (evaluation.outcome.ok())
    json["seconds"] = evaluation.outcome.time;
  else
    json["failure"] = name_of(evaluation.outcome.failure);
  if (!evaluation.message.empty()) json["message"] = evaluation.message;
  if (evaluation.at) json["at"] = *evaluation.at;
  return json;
}

}  // namespace

std::string json_of(const std::vector<TuningRun>& runs) {
  Json all = Json::array();
  for (const auto& run : runs) {
    Json evaluations = Json::array();
    for (const auto& evaluation : run.evaluations)
      evaluations.push_back(json_of_evaluation(run, evaluation));
    Json search{{"identity", run.identity}, {"device", run.device},
                {"strategy", run.strategy}, {"seed", run.seed},
                {"space", run.space},       {"evaluations", std::move(evaluations)}};
    if (run.winner) {
      Json winner = json_of(run.winner->ending);
      winner["configuration"] = configuration_json(run, run.winner->positions);
      search["winner"] = std::move(winner);
    }
    all.push_back(std::move(search));
  }
  return Json{{"kiln tuning searches", 1}, {"searches", std::move(all)}}.dump(
             1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace kiln::tune
