#include "cli/tune/search_output.hpp"

#include <nlohmann/json.hpp>

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
                 {"finalists", result.winner->finalists}});
  json.update({{"seconds", result.seconds},
               {"compiling_seconds", result.compiling},
               {"running_seconds", result.running},
               {"replaced_processes", result.replaced},
               {"started_from", result.started_from},
               {"journal", journal.string()}});
  if (result.seconds > 0)
    json["overhead"] = 1 - (result.compiling + result.running) / result.seconds;
  return json;
}

}  // namespace kiln::cli
