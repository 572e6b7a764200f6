// Runs and verifications as JSON (kiln/json.hpp).
#include "kiln/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kiln/spec/run.hpp"

namespace kiln {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of_object(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

double median_of_runs(std::vector<std::int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return static_cast<double>(*middle);
}

void add_split(const RunSummary& summary, Json& object) {
  object["split"] = summary.split;
  object["reason"] = summary.reason;
  for (const auto& share : summary.shares)
    object["devices"].push_back({{"name", share.device},
                                 {"groups", share.groups},
                                 {"kernel_ms", static_cast<double>(share.kernel_ns) / 1e6},
                                 {"transfer_ms", static_cast<double>(share.transfer_ns) / 1e6}});
}

Json json_of_program(const spec::ProgramLookup& program) {
  Json steps = Json::array();
  for (const auto& step : program.steps)
    steps.push_back({{"layer", step.layer},
                     {"answered", step.answered},
                     {"reason", step.reason},
                     {"ms", static_cast<double>(step.end_ns - step.start_ns) / 1e6}});
  return {{"program", program.program}, {"key", program.key}, {"steps", std::move(steps)}};
}

/// What of the records was used, and why not.
Json json_of_tuning(const spec::SpecResult& run) {
  Json values = Json::object();
  for (const auto& [name, value] : run.tuned) values[name] = value;
  return {{"values", std::move(values)}, {"record", run.tuned_from}, {"reason", run.not_tuned}};
}

}  // namespace

std::string json_of(const RunSummary& summary) {
  Json object{{"seconds", static_cast<double>(summary.wall_ns) / 1e9}};
  add_split(summary, object);
  return text_of_object(object);
}

std::string json_of(const spec::SpecResult& run, Programs programs) {
  Json object{{"spec", run.file},
              {"status", run.difference.empty() ? "ok" : "failed"},
              {"seconds", median_of_runs(run.wall_ns) / 1e9},
              {"message", run.difference}};
  RunSummary summary = run.summary;
  // A cut goes along dimension 0, and every share has all work-groups of the others.
  for (auto& share : summary.shares)
    for (std::size_t d = 1; d < run.bound.global.size(); ++d)
      share.groups *= static_cast<std::size_t>(run.bound.global[d] / run.bound.local[d]);
  add_split(summary, object);
  if (programs == Programs::included) {
    for (const auto& program : run.programs) object["explain"].push_back(json_of_program(program));
    object["tuned"] = json_of_tuning(run);
  }
  return text_of_object(object);
}

std::string json_of(const spec::Verdict& verdict) {
  return text_of_object(
      {{"split", verdict.split}, {"outcome", verdict.outcome}, {"reason", verdict.reason}});
}

}  // namespace kiln
