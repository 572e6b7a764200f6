// A search of the store as JSON, and back: names and values once, then a row of numbers for each
// evaluation.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/data/digest.hpp"
#include "base/data/text.hpp"
#include "base/expected.hpp"
#include "store/layer/entry_form.hpp"
#include "tune/records/kept_run.hpp"

namespace kiln::tune {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kept_mark = "kiln tuning search";
constexpr int kept_layout = 1;
constexpr std::size_t most_parameters = 1000, longest_message = 300;

Json json_of_facts(const DeviceFacts& facts) {
  return {{"type", facts.type},
          {"vendor", facts.vendor},
          {"units", facts.compute_units},
          {"floats", facts.native_floats},
          {"local", facts.local_memory}};
}

[[noreturn]] void refuse(const std::string& expected) {
  throw Error(Errc::corrupt, "a search on record: expected " + expected);
}

template <class T>
T get(const Json& of, const char* name) {
  const auto found = of.is_object() ? of.find(name) : of.end();
  if (!of.is_object() || found == of.end()) refuse(name);
  if constexpr (std::is_same_v<T, std::string>) {
    if (!found->is_string()) refuse(name);
  } else if constexpr (std::is_same_v<T, Json>) {
    if (!found->is_array() && !found->is_object()) refuse(name);
  } else {
    if (!found->is_number_integer()) refuse(name);
  }
  return found->template get<T>();
}

std::vector<Parameter> parameters_of(const Json& json) {
  std::vector<Parameter> parameters;
  if (!json.is_object() || json.empty() || json.size() > most_parameters) refuse("parameters");
  for (const auto& [name, values] : json.items()) {
    Parameter parameter{name, {}};
    if (!values.is_array()) refuse("lists of values");
    for (const auto& each : values) {
      auto value = value_of(each);
      if (!value) refuse("values");
      parameter.values.push_back(*std::move(value));
    }
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

/// The positions of a value of each parameter, from the `first` number of a list on.
std::vector<std::size_t> positions_of(const Json& list, std::size_t first,
                                      const std::vector<Parameter>& parameters,
                                      const char* expected) {
  if (!list.is_array() || list.size() != first + parameters.size()) refuse(expected);
  std::vector<std::size_t> positions;
  for (const auto& parameter : parameters) {
    const Json& at = list[first + positions.size()];
    if (!at.is_number_unsigned() || at.get<std::uint64_t>() >= parameter.values.size())
      refuse(expected);
    positions.push_back(at.get<std::size_t>());
  }
  return positions;
}

/// [id, at, time in seconds or a failure, positions…]
Evaluation evaluation_of(const Json& row, const std::vector<Parameter>& parameters) {
  constexpr const char* what = "rows of evaluations";
  if (!row.is_array() || row.size() != 3 + parameters.size()) refuse(what);
  Json line{{"id", row[0]}};
  line[row[2].is_string() ? "failure" : "seconds"] = row[2];
  if (!row[1].is_null()) line["at"] = row[1];
  const auto read = journal_line_of(line);
  if (!read) refuse(what);
  return {read->id, positions_of(row, 3, parameters, "positions of values"), read->report.outcome,
          "", read->at};
}

/// As a journal's line, with the positions of the values and the evaluations until then.
RunWinner winner_of(const Json& json, const std::vector<Parameter>& parameters) {
  const auto ending = ending_of(json);
  if (!ending) refuse("a winner");
  return {*ending, positions_of(get<Json>(json, "positions"), 0, parameters, "a winner"),
          get<std::size_t>(json, "evaluations")};
}

KeptRun read(const Json& json) {
  if (!json.is_object() || !json.contains(kept_mark) || json[kept_mark] != kept_layout)
    refuse(kept_mark);
  KeptRun kept;
  kept.problem = {get<std::string>(json, "family"), get<std::int64_t>(json, "version"),
                  get<std::string>(json, "problem_class"), get<std::int64_t>(json, "size")};
  const Json facts = get<Json>(json, "facts");
  kept.facts = {get<std::string>(facts, "type"), get<std::string>(facts, "vendor"),
                get<std::int64_t>(facts, "units"), get<std::int64_t>(facts, "floats"),
                get<std::int64_t>(facts, "local")};
  kept.kiln = get<std::string>(json, "kiln");
  kept.system = get<std::string>(json, "system");
  kept.date = get<std::int64_t>(json, "date");
  kept.evaluated = get<std::size_t>(json, "evaluated");
  TuningRun& run = kept.run;
  run.identity = get<std::string>(json, "identity");
  run.device = get<std::string>(json, "device");
  run.strategy = get<std::string>(json, "strategy");
  run.seed = get<std::uint64_t>(json, "seed");
  run.space = get<std::string>(json, "space");
  run.parameters = parameters_of(get<Json>(json, "parameters"));
  for (const auto& row : get<Json>(json, "evaluations"))
    run.evaluations.push_back(evaluation_of(row, run.parameters));
  if (run.evaluations.empty()) refuse("evaluations");
  if (const auto winner = json.find("winner"); winner != json.end())
    run.winner = winner_of(*winner, run.parameters);
  const Json messages = get<Json>(json, "messages");
  for (const auto& [number, message] : messages.items()) {
    const std::size_t at = std::strtoull(number.c_str(), nullptr, 10);
    if (!message.is_string() || at >= run.evaluations.size()) refuse("messages");
    run.evaluations[at].message = message.get<std::string>();
  }
  return kept;
}

std::string id_of(std::string_view json) { return blake2b(as_bytes(json)).brief(); }

}  // namespace

std::string kept_json_of(const KeptRun& kept) {
  const TuningRun& run = kept.run;
  Json parameters = Json::object(), rows = Json::array(), messages = Json::object();
  for (const auto& parameter : run.parameters) {
    Json& values = parameters[parameter.name] = Json::array();
    for (const auto& value : parameter.values) values.push_back(json_of(value));
  }
  std::vector<Failure> told;
  for (std::size_t i = 0; i < run.evaluations.size(); ++i) {
    const auto& [id, positions, outcome, message, at] = run.evaluations[i];
    Json row = Json::array({id, at ? Json(*at) : Json(),
                            outcome.ok() ? Json(outcome.time) : Json(name_of(outcome.failure))});
    for (const auto position : positions) row.push_back(position);
    rows.push_back(std::move(row));
    if (message.empty() || std::find(told.begin(), told.end(), outcome.failure) != told.end())
      continue;
    told.push_back(outcome.failure);
    messages[fmt::format("{}", i)] = without_folders(message).substr(0, longest_message);
  }
  Json json{{kept_mark, kept_layout},
            {"family", kept.problem.family},
            {"version", kept.problem.version},
            {"problem_class", kept.problem.problem_class},
            {"size", kept.problem.size},
            {"identity", run.identity},
            {"device", run.device},
            {"facts", json_of_facts(kept.facts)},
            {"strategy", run.strategy},
            {"seed", run.seed},
            {"kiln", kept.kiln},
            {"system", kept.system},
            {"date", kept.date},
            {"space", run.space},
            {"evaluated", kept.evaluated},
            {"parameters", std::move(parameters)},
            {"evaluations", std::move(rows)},
            {"messages", std::move(messages)}};
  if (run.winner) {
    json["winner"] = json_of(run.winner->ending);
    json["winner"]["evaluations"] = run.winner->evaluations;
    json["winner"]["positions"] = run.winner->positions;
  }
  return dumped(json);
}

Expected<KeptRun> read_kept_run(std::string_view text) {
  // The text may come from a server that others write to: its size and depth are bounded first.
  if (const auto within = check_json_bounds(text); !within)
    return fail(Errc::corrupt, "a search on record: " + within.error().message());
  return expected_from([&] {
    KeptRun kept = read(Json::parse(text, nullptr, false));
    kept.id = id_of(text);
    return kept;
  });
}

}  // namespace kiln::tune
