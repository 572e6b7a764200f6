// What a store has on record, as JSON for other machines, and back.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_bounds.hpp"
#include "base/text.hpp"
#include "tune/report/exports.hpp"

namespace kiln::tune {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* mark = "kiln tuning records";
constexpr int version = 1;
constexpr std::size_t longest_text = 4096, shown = 60;
constexpr std::size_t most_parameters = 1000;

Json json_of_parameters(const Parameters& parameters) {
  Json json = Json::object();
  for (const auto& [name, value] : parameters) json[name] = value;
  return json;
}

Json json_of_record(const StoredRecord& stored) {
  Json measured = Json::array();
  for (const auto& one : stored.record.history) {
    Json json{{"parameters", json_of_parameters(one.parameters)},
              {"size", one.size},
              {"milliseconds", one.milliseconds > 0 ? Json(one.milliseconds) : Json()},
              {"kernels", one.of == Measurement::Of::kiln ? "kiln" : "others"},
              {"from", one.from}};
    if (one.standard_milliseconds > 0) json["built_in_milliseconds"] = one.standard_milliseconds;
    if (!one.original.empty()) json["original"] = json_of_parameters(one.original);
    measured.push_back(std::move(json));
  }
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

/// Why a part of a file is not as it must be; never leaves this file.
struct Refusal {
  std::string message;
};

[[noreturn]] void refuse(const Json* found, std::string_view name, std::string_view expected) {
  const std::string text =
      found == nullptr ? "nothing" : "'" + dumped(*found).substr(0, shown) + "'";
  throw Refusal{fmt::format("{}: found {}, expected {}", name, text, expected)};
}

const Json* member(const Json& of, const char* name) {
  const auto found = of.find(name);
  return found == of.end() ? nullptr : &*found;
}

std::string text_of(const Json& of, const char* name) {
  const Json* found = member(of, name);
  if (found == nullptr || !found->is_string() ||
      found->get_ref<const std::string&>().size() > longest_text)
    refuse(found, name, fmt::format("a text of at most {} bytes", longest_text));
  return found->get<std::string>();
}

std::int64_t integer_of(const Json* found, std::string_view name) {
  if (found == nullptr || !found->is_number_integer() ||
      (found->is_number_unsigned() && found->get<std::uint64_t>() > INT64_MAX))
    refuse(found, name, "an integer");
  return found->get<std::int64_t>();
}

std::int64_t version_of(const Json& of) {
  const std::string text = text_of(of, "version");
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    refuse(member(of, "version"), "version", "an integer of 64 bits, as a text");
  return value;
}

Parameters parameters_of(const Json& of, const char* name) {
  const Json* found = member(of, name);
  if (found == nullptr || !found->is_object() || found->empty() || found->size() > most_parameters)
    refuse(found, name, "an object of integers");
  Parameters parameters;
  for (const auto& [key, value] : found->items()) {
    if (key.empty() || key.size() > longest_text) refuse(found, name, "names");
    parameters.set(key, integer_of(&value, one_line(key)));
  }
  return parameters;
}

/// 0 where there is none.
double time_of(const Json& of, const char* name) {
  const Json* time = member(of, name);
  if (time == nullptr || time->is_null()) return 0;
  if (!time->is_number() || !(time->get<double>() > 0) || !std::isfinite(time->get<double>()))
    refuse(time, name, "a time above 0, or null");
  return time->get<double>();
}

Measurement measurement_of(const Json& json) {
  if (!json.is_object()) refuse(&json, "it", "an object");
  Measurement measurement;
  measurement.parameters = parameters_of(json, "parameters");
  measurement.size = integer_of(member(json, "size"), "size");
  if (measurement.size < 0) refuse(member(json, "size"), "size", "0 or more");
  measurement.milliseconds = time_of(json, "milliseconds");
  measurement.standard_milliseconds = time_of(json, "built_in_milliseconds");
  const Json* kernels = member(json, "kernels");
  if (kernels == nullptr || (*kernels != "kiln" && *kernels != "others"))
    refuse(kernels, "kernels", "kiln or others");
  measurement.of = *kernels == "kiln" ? Measurement::Of::kiln : Measurement::Of::others;
  measurement.from = text_of(json, "from");
  if (member(json, "original") != nullptr) measurement.original = parameters_of(json, "original");
  return measurement;
}

StoredRecord record_of(const Json& json) {
  if (!json.is_object()) refuse(&json, "it", "an object");
  StoredRecord stored;
  stored.subject = {text_of(json, "family"), version_of(json), text_of(json, "problem_class"),
                    text_of(json, "device")};
  if (stored.subject.family.empty()) refuse(member(json, "family"), "family", "a name");
  if (stored.subject.device.find('|') == std::string::npos)
    refuse(member(json, "device"), "device", "a device's identity, parts between |");
  const Json* measured = member(json, "measured");
  if (measured == nullptr || !measured->is_array() || measured->empty() ||
      measured->size() > TuningRecord::most_measurements)
    refuse(measured, "measured",
           fmt::format("a list of 1 to {} measurements", TuningRecord::most_measurements));
  for (std::size_t i = 0; i < measured->size(); ++i) try {
      stored.record.history.push_back(measurement_of((*measured)[i]));
    } catch (const Refusal& refusal) {
      throw Refusal{fmt::format("measurement {}: {}", i + 1, refusal.message)};
    }
  return stored;
}

}  // namespace

std::string json_of(const std::vector<StoredRecord>& records) {
  Json all = Json::array();
  for (const auto& record : records) all.push_back(json_of_record(record));
  return Json{{mark, version}, {"records", std::move(all)}}.dump(1, ' ', false,
                                                                 Json::error_handler_t::replace) +
         "\n";
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
  const Json* head = json.is_object() ? member(json, mark) : nullptr;
  const Json* all = head == nullptr ? nullptr : member(json, "records");
  if (head == nullptr || *head != version || all == nullptr || !all->is_array())
    return bad(
        fmt::format("found no '{}' of version {} with a list of records, expected what kiln "
                    "tuned export --format json writes",
                    mark, version));
  std::vector<StoredRecord> records;
  for (std::size_t i = 0; i < all->size(); ++i) try {
      records.push_back(record_of((*all)[i]));
    } catch (const Refusal& refusal) {
      return bad(fmt::format("record {}: {}", i + 1, refusal.message));
    }
  return records;
}

}  // namespace kiln::tune
