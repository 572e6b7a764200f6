// The results format of the autotuning community, T4 1.0.0: github.com/odgaard/TuningSchema.
#include <map>
#include <nlohmann/json.hpp>

#include "tune/report/exports.hpp"

namespace kiln::tune {
namespace {

using Json = nlohmann::ordered_json;

/// The schema's word for a reason.
const char* invalidity(Failure failure) {
  switch (failure) {
    case Failure::none:
      return "correct";
    case Failure::build:
      return "compile";
    case Failure::resources:
      return "constraints";
    case Failure::timeout:
      return "timeout";
    case Failure::wrong_result:
      return "correctness";
    case Failure::launch:
    case Failure::crash:
      break;
  }
  return "runtime";
}

Json result_of(const TuningRun& run, const Evaluation& evaluation) {
  Json configuration = Json::object();
  for (std::size_t p = 0; p < run.parameters.size(); ++p)
    configuration[run.parameters[p].name] = json_of(run.value(evaluation, p));
  const bool ok = evaluation.outcome.ok();
  const double milliseconds = evaluation.outcome.time * 1e3;
  Json result{{"configuration", std::move(configuration)},
              {"objectives", {"time"}},
              {"times", Json::object()},
              {"invalidity", invalidity(evaluation.outcome.failure)},
              {"correctness", ok ? 1 : 0},
              {"measurements", Json::array()}};
  if (ok) {
    result["times"]["runtimes"] = {milliseconds};
    result["measurements"].push_back({{"name", "time"}, {"value", milliseconds}, {"unit", "ms"}});
  }
  return result;
}

}  // namespace

std::string t4_of(const TuningRun& run) {
  std::map<ConfigurationId, const Evaluation*> last;
  for (const auto& evaluation : run.evaluations) last[evaluation.id] = &evaluation;
  Json results = Json::array();
  for (const auto& evaluation : run.evaluations)
    if (last[evaluation.id] == &evaluation) results.push_back(result_of(run, evaluation));
  // Names and devices are no members of the schema, but it lets others stand beside its own.
  const Json file{{"schema_version", "1.0.0"},
                  {"device_name", run.device_name()},
                  {"kernel_name", run.identity},
                  {"results", std::move(results)}};
  return file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kiln::tune
