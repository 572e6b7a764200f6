#include "tune/session/journal_line.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_bounds.hpp"

namespace kiln::tune {
namespace {

using Json = nlohmann::ordered_json;

/// A reason that a later program may have added counts as that of most.
Failure failure_named(const std::string& name) {
  for (int i = static_cast<int>(Failure::build); i <= static_cast<int>(Failure::crash); ++i)
    if (name == name_of(static_cast<Failure>(i))) return static_cast<Failure>(i);
  return Failure::launch;
}

constexpr const char* decisions[] = {"play-off", "built-in parameters", "earlier record",
                                     "interrupted"};

/// A decision that a later program may have added counts as that of most.
Decision decision_named(const std::string& name) {
  for (std::size_t i = 0; i < std::size(decisions); ++i)
    if (name == decisions[i]) return static_cast<Decision>(i);
  return Decision::play_off;
}

/// A finite number of at least 0.
std::optional<double> amount_in(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_number()) return std::nullopt;
  const auto value = found->get<double>();
  return value >= 0 && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> whole_in(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

}  // namespace

const char* name_of(Decision decision) { return decisions[static_cast<std::size_t>(decision)]; }

std::string explanation_of(Decision decision, std::size_t finalists, std::size_t rounds) {
  const std::string met =
      finalists > 1 ? fmt::format("Play-off of {} finalists, {} rounds", finalists, rounds)
                    : "No other candidate was close enough for a play-off";
  switch (decision) {
    case Decision::interrupted:
      return "The best so far; the search was ended before the play-off";
    case Decision::built_in:
      return met + "; no candidate was measurably faster than the built-in parameters";
    case Decision::earlier_record:
      return met + "; the earlier record was faster than what this search found";
    case Decision::play_off:
      break;
  }
  return met;
}

std::optional<SearchEnding> ending_of(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto winner = whole_in(json, "winner");
  const auto seconds = amount_in(json, "seconds");
  const auto decided = json.find("decided_by");
  if (!winner || !seconds || *seconds == 0 || decided == json.end() || !decided->is_string())
    return std::nullopt;
  SearchEnding ending{*winner,
                      *seconds,
                      amount_in(json, "built_in_seconds").value_or(0),
                      decision_named(decided->get<std::string>()),
                      whole_in(json, "rounds").value_or(0),
                      {}};
  const auto finalists = json.find("finalists");
  if (finalists == json.end()) return ending;
  if (!finalists->is_array()) return std::nullopt;
  for (const auto& each : *finalists) {
    if (!each.is_object()) return std::nullopt;
    const auto id = whole_in(each, "id"), rounds = whole_in(each, "rounds");
    const auto relative = amount_in(each, "relative");
    if (!id || !relative || !rounds) return std::nullopt;
    ending.finalists.push_back({*id, *relative, *rounds});
  }
  return ending;
}

Json json_of(const SearchEnding& ending) {
  Json finalists = Json::array();
  for (const auto& [id, relative, rounds] : ending.finalists)
    finalists.push_back({{"id", id}, {"relative", relative}, {"rounds", rounds}});
  Json json{{"winner", ending.winner}, {"seconds", ending.seconds}};
  if (ending.standard > 0) json["built_in_seconds"] = ending.standard;
  json.update({{"decided_by", name_of(ending.decision)},
               {"rounds", ending.rounds},
               {"finalists", std::move(finalists)}});
  return json;
}

Json json_of_configuration(const SearchSpace& space, ConfigurationId id) {
  Json configuration = Json::object();
  for (std::size_t p = 0; p < space.parameters().size(); ++p)
    configuration[space.parameters()[p].name] = json_of(space.value(id, p));
  return configuration;
}

std::optional<JournalLine> journal_line_of(const Json& json) {
  if (!json.is_object() || !json.contains("id") || !json["id"].is_number_unsigned())
    return std::nullopt;
  JournalLine line;
  line.id = json["id"].get<ConfigurationId>();
  if (const auto at = json.find("at"); at != json.end()) {
    if (!at->is_number() || !(at->get<double>() >= 0)) return std::nullopt;
    line.at = at->get<double>();
  }
  if (const auto elsewhere = json.find("elsewhere"); elsewhere != json.end()) {
    if (!elsewhere->is_boolean()) return std::nullopt;
    line.report.elsewhere = elsewhere->get<bool>();
  }
  if (const auto time = json.find("seconds"); time != json.end()) {
    if (!time->is_number() || !(time->get<double>() > 0)) return std::nullopt;
    line.report.outcome = Outcome::of_time(time->get<double>());
    return line;
  }
  const auto failure = json.find("failure");
  if (failure == json.end() || !failure->is_string()) return std::nullopt;
  line.report.outcome = Outcome::of(failure_named(failure->get<std::string>()));
  if (const auto message = json.find("message"); message != json.end() && message->is_string())
    line.report.message = message->get<std::string>();
  return line;
}

Json json_of_line(const SearchSpace& space, ConfigurationId id, const Report& report, double at) {
  Json json{{"id", id}, {"configuration", json_of_configuration(space, id)}};
  if (report.outcome.ok())
    json["seconds"] = report.outcome.time;
  else
    json["failure"] = name_of(report.outcome.failure);
  if (!report.message.empty()) json["message"] = report.message;
  if (report.elsewhere) json["elsewhere"] = true;
  json["at"] = std::round(at * 1e3) / 1e3;
  return json;
}

Json json_of(const expr::Value& value) {
  return std::visit(
      [&](const auto& data) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(data)>, expr::List>)
          return value.text();
        else
          return data;
      },
      value.data());
}

std::optional<expr::Value> value_of(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  return std::nullopt;
}

Json parsed_line(std::string_view line) {
  if (!check_json_bounds(line, {.values = 100'000})) return Json(Json::value_t::discarded);
  return Json::parse(line, nullptr, false);
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace kiln::tune
