#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "kernel/request/record_json.hpp"
#include "kernel/request/stored_record.hpp"
#include "tune/report/run.hpp"

// All formats but SQLite (exports_sqlite.cpp), one after the other: CSV, T4, JSON of searches, JSON
// of records.
namespace kiln::tune {
namespace {

using Json = nlohmann::ordered_json;

/// For people to look into as well; bytes that are no UTF-8 are replaced.
std::string pretty(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json configuration_json(const TuningRun& run, const std::vector<std::size_t>& positions) {
  Json configuration = Json::object();
  for (std::size_t p = 0; p < run.parameters.size(); ++p)
    configuration[run.parameters[p].name] = json_of(run.parameters[p].values[positions[p]]);
  return configuration;
}

}  // namespace

// Comma-separated values as RFC 4180 has them.

namespace {

std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string quoted = "\"";
  for (const char letter : text) quoted.append(letter == '"' ? 2 : 1, letter);
  return quoted + '"';
}

/// A text as itself, without Python's quotes.
std::string plain(const expr::Value& value) {
  const auto* text = std::get_if<std::string>(&value.data());
  return text != nullptr ? *text : value.text();
}

bool have_same_parameters(const TuningRun& a, const TuningRun& b) {
  return std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(),
                    b.parameters.end(),
                    [](const Parameter& x, const Parameter& y) { return x.name == y.name; });
}

std::string line_of(const TuningRun& run, std::size_t number, const Evaluation& evaluation) {
  std::string line = fmt::format("{},{},{},{}", field(run.identity), field(model_of(run.device)),
                                 number, evaluation.id);
  for (std::size_t p = 0; p < run.parameters.size(); ++p)
    line += "," + field(plain(run.value(evaluation, p)));
  const bool ok = evaluation.outcome.ok();
  return line + fmt::format(",{},{},{},{}\r\n",
                            ok ? fmt::format("{}", evaluation.outcome.time) : "",
                            ok ? "" : name_of(evaluation.outcome.failure),
                            evaluation.at ? fmt::format("{}", *evaluation.at) : "",
                            field(evaluation.message));
}

std::string text_of(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

}  // namespace

Expected<std::string> csv_of(const std::vector<TuningRun>& runs) {
  std::string text = "search,device,evaluation,configuration";
  if (!runs.empty())
    for (const auto& parameter : runs.front().parameters) text += "," + field(parameter.name);
  text += ",seconds,failure,at,message\r\n";
  for (const auto& run : runs) {
    if (!have_same_parameters(run, runs.front()))
      return fail(Errc::bad_input,
                  "the searches have different parameters, which are columns; expected one "
                  "JOURNAL, or the formats json or sqlite");
    for (std::size_t i = 0; i < run.evaluations.size(); ++i)
      text += line_of(run, i + 1, run.evaluations[i]);
  }
  return text;
}

std::string csv_of(const std::vector<StoredRecord>& records) {
  std::string text =
      "family,version,problem_class,size,milliseconds,parameters,kernels,from,device,"
      "built_in_milliseconds\r\n";
  for (const auto& [key, subject, record, created, elsewhere] : records)
    for (const auto& one : record.history)
      text += fmt::format(
          "{},{},{},{},{},{},{},{},{},{}\r\n", field(subject.family), subject.version,
          field(subject.problem_class), one.size,
          one.milliseconds > 0 ? fmt::format("{}", one.milliseconds) : "",
          field(text_of(one.parameters)), word_of(one.of), field(one.from), field(subject.device),
          one.standard_milliseconds > 0 ? fmt::format("{}", one.standard_milliseconds) : "");
  return text;
}

// The results format of the autotuning community, T4 1.0.0: github.com/odgaard/TuningSchema.

namespace {

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
  const bool ok = evaluation.outcome.ok();
  const double milliseconds = evaluation.outcome.time * 1e3;
  Json result{{"configuration", configuration_json(run, evaluation.positions)},
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
  // The schema does not define the names of device and kernel, but it allows additional members.
  const Json file{{"schema_version", "1.0.0"},
                  {"device_name", model_of(run.device)},
                  {"kernel_name", run.identity},
                  {"results", std::move(results)}};
  return pretty(file);
}

// Searches as one JSON object.

namespace {

Json json_of_evaluation(const TuningRun& run, const Evaluation& one) {
  Json json =
      json_of_result(one.id, configuration_json(run, one.positions), one.outcome, one.message);
  if (one.at) json["at"] = *one.at;
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
  return pretty(Json{{"kiln tuning searches", 1}, {"searches", std::move(all)}});
}

// What a store has on record, as JSON for other machines, and back.

namespace {

constexpr const char* records_mark = "kiln tuning records";
constexpr int records_version = 1;
Json json_of_record(const StoredRecord& stored) {
  Json measured = Json::array();
  for (const auto& one : stored.record.history) measured.push_back(kiln::json_of(one));
  return {{"family", stored.subject.family},
          // A digest of 64 bits, often: as a number it would lose some of them in many programs.
          {"version", fmt::format("{}", stored.subject.version)},
          {"problem_class", stored.subject.problem_class},
          {"device", stored.subject.device},
          {"measured", std::move(measured)},
          {"key", stored.key.hex()},
          {"created", stored.created},
          {"made_elsewhere", stored.made_elsewhere}};
}

StoredRecord record_of(const Json& json) {
  if (!json.is_object()) refuse_member(&json, "it", "an object");
  StoredRecord stored;
  stored.subject = {read_text_member(json, "family"), read_wide_member(json, "version"),
                    read_text_member(json, "problem_class"), read_text_member(json, "device")};
  if (stored.subject.family.empty()) refuse_member(member_of(json, "family"), "family", "a name");
  if (stored.subject.device.find('|') == std::string::npos)
    refuse_member(member_of(json, "device"), "device", "a device's identity, parts between |");
  stored.record = read_measured(json);
  return stored;
}

}  // namespace

std::string json_of(const std::vector<StoredRecord>& records) {
  Json all = Json::array();
  for (const auto& record : records) all.push_back(json_of_record(record));
  return pretty(Json{{records_mark, records_version}, {"records", std::move(all)}});
}

std::string json_line_of(const StoredRecord& record) { return dumped(json_of_record(record)); }

Expected<std::vector<StoredRecord>> read_records(ByteView bytes, std::string_view name) {
  const auto bad = [&](const std::string& why) {
    return fail(Errc::bad_input, fmt::format("{}: {}", one_line(name), why));
  };
  if (const auto within = check_json_bounds(as_text(bytes)); !within)
    return bad(within.error().message());
  Json json;
  try {
    json = Json::parse(as_text(bytes));
  } catch (const Json::parse_error& error) {
    return bad(fmt::format("byte {}: no JSON, expected what kiln tuned export --format json writes",
                           error.byte));
  } catch (const Json::out_of_range&) {
    return bad("found a number beyond all that a double can hold");
  }
  const Json* head = json.is_object() ? member_of(json, records_mark) : nullptr;
  const Json* all = head == nullptr ? nullptr : member_of(json, "records");
  if (head == nullptr || *head != records_version || all == nullptr || !all->is_array())
    return bad(
        fmt::format("found no '{}' of version {} with a list of records, expected what kiln "
                    "tuned export --format json writes",
                    records_mark, records_version));
  std::vector<StoredRecord> records;
  for (std::size_t i = 0; i < all->size(); ++i) try {
      records.push_back(record_of((*all)[i]));
    } catch (const Error& refusal) {
      return bad(fmt::format("record {}: {}", i + 1, refusal.message()));
    }
  return records;
}

}  // namespace kiln::tune
