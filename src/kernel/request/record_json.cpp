#include "kernel/request/record_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/data/number.hpp"
#include "base/data/text.hpp"
#include "kiln/error.hpp"

namespace kiln {
namespace {

/// Bounds on what is read, which may be from anywhere; and how much of it errors quote.
constexpr std::size_t longest_text = 4096, longest_quote = 60;
constexpr std::size_t most_settings = 1000;

Parameters read_parameters(const RecordJson& of, const char* name) {
  const RecordJson* found = member_of(of, name);
  if (found == nullptr || !found->is_object() || found->empty() || found->size() > most_settings)
    refuse_member(found, name, "an object of integers");
  Parameters parameters;
  for (const auto& [key, value] : found->items()) {
    if (key.empty() || key.size() > longest_text) refuse_member(found, name, "names");
    parameters.set(key, read_integer(&value, one_line(key)));
  }
  return parameters;
}

/// 0 where there is none.
double read_time(const RecordJson& of, const char* name) {
  const RecordJson* time = member_of(of, name);
  if (time == nullptr || time->is_null()) return 0;
  if (!time->is_number() || !(time->get<double>() > 0) || !std::isfinite(time->get<double>()))
    refuse_member(time, name, "a time above 0, or null");
  return time->get<double>();
}

}  // namespace

std::string one_line_of(const RecordJson& json) {
  return json.dump(-1, ' ', false, RecordJson::error_handler_t::replace);
}

RecordJson json_of(const Parameters& parameters) {
  RecordJson json = RecordJson::object();
  for (const auto& [name, value] : parameters) json[name] = value;
  return json;
}

const char* word_of(Measurement::Of kernels) {
  return kernels == Measurement::Of::kiln ? "kiln" : "others";
}

RecordJson json_of(const Measurement& one) {
  RecordJson json{
      {"parameters", json_of(one.parameters)},
      {"size", one.size},
      {"milliseconds", one.milliseconds > 0 ? RecordJson(one.milliseconds) : RecordJson()},
      {"kernels", word_of(one.of)},
      {"from", one.from}};
  if (one.standard_milliseconds > 0) json["built_in_milliseconds"] = one.standard_milliseconds;
  if (!one.original.empty()) json["original"] = json_of(one.original);
  return json;
}

void refuse_member(const RecordJson* found, std::string_view name, std::string_view expected) {
  const std::string text =
      found == nullptr ? "nothing" : "'" + one_line_of(*found).substr(0, longest_quote) + "'";
  throw Error(Errc::bad_input, fmt::format("{}: found {}, expected {}", name, text, expected));
}

const RecordJson* member_of(const RecordJson& of, const char* name) {
  const auto found = of.find(name);
  return found == of.end() ? nullptr : &*found;
}

std::string read_text_member(const RecordJson& of, const char* name) {
  const RecordJson* found = member_of(of, name);
  if (found == nullptr || !found->is_string() ||
      found->get_ref<const std::string&>().size() > longest_text)
    refuse_member(found, name, fmt::format("a text of at most {} bytes", longest_text));
  return found->get<std::string>();
}

std::int64_t read_integer(const RecordJson* found, std::string_view name) {
  if (found == nullptr || !found->is_number_integer() ||
      (found->is_number_unsigned() && found->get<std::uint64_t>() > INT64_MAX))
    refuse_member(found, name, "an integer");
  return found->get<std::int64_t>();
}

std::int64_t read_wide_member(const RecordJson& of, const char* name) {
  const auto value = parse_number<std::int64_t>(read_text_member(of, name));
  if (!value) refuse_member(member_of(of, name), name, "an integer of 64 bits, as a text");
  return *value;
}

Measurement read_measurement(const RecordJson& json) {
  if (!json.is_object()) refuse_member(&json, "it", "an object");
  Measurement measurement;
  measurement.parameters = read_parameters(json, "parameters");
  measurement.size = read_integer(member_of(json, "size"), "size");
  if (measurement.size < 0) refuse_member(member_of(json, "size"), "size", "0 or more");
  measurement.milliseconds = read_time(json, "milliseconds");
  measurement.standard_milliseconds = read_time(json, "built_in_milliseconds");
  const RecordJson* kernels = member_of(json, "kernels");
  if (kernels == nullptr || (*kernels != "kiln" && *kernels != "others"))
    refuse_member(kernels, "kernels", "kiln or others");
  measurement.of = *kernels == "kiln" ? Measurement::Of::kiln : Measurement::Of::others;
  measurement.from = read_text_member(json, "from");
  if (member_of(json, "original") != nullptr)
    measurement.original = read_parameters(json, "original");
  return measurement;
}

TuningRecord read_measured(const RecordJson& of) {
  const RecordJson* measured = member_of(of, "measured");
  if (measured == nullptr || !measured->is_array() || measured->empty() ||
      measured->size() > TuningRecord::most_measurements)
    refuse_member(measured, "measured",
                  fmt::format("a list of 1 to {} measurements", TuningRecord::most_measurements));
  TuningRecord record;
  for (std::size_t i = 0; i < measured->size(); ++i) try {
      record.history.push_back(read_measurement((*measured)[i]));
    } catch (const Error& refusal) {
      throw Error(Errc::bad_input, fmt::format("measurement {}: {}", i + 1, refusal.message()));
    }
  return record;
}

}  // namespace kiln
