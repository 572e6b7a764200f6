#include "kernel/calls/recorded_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "base/expected.hpp"

// A call as a line of the file, and back.
namespace kiln {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Fact& fact) {
  return std::visit([](const auto& value) { return Json(value); }, fact.value);
}

}  // namespace

RecordedDevice RecordedDevice::of(const Device& device) {
  return {device.name, blake2b(as_bytes(device.fingerprint())).brief(), device.compute_units};
}

namespace {

/// The sub-devices that a record names of one device; in equal parts where they are equal, as the
/// driver makes them for most programs.
std::vector<DevicePtr> parts_of(const DevicePtr& whole, std::span<const RecordedDevice> recorded,
                                const std::string& fingerprint) {
  std::vector<unsigned> units;
  unsigned sum = 0;
  for (const auto& device : recorded) {
    if (device.fingerprint != fingerprint || device.units == whole->compute_units) continue;
    units.push_back(static_cast<unsigned>(device.units));
    sum += units.back();
  }
  // More than the device has: several queues on one part.
  if (sum > whole->compute_units) units = {units.front()};
  return value_or_throw(partition_by_counts(whole, units));
}

}  // namespace

Expected<std::vector<DevicePtr>> find_devices(std::span<const RecordedDevice> recorded) {
  return expected_from([&] {
    const auto all = value_or_throw(all_devices());
    std::vector<DevicePtr> found, parts;
    for (std::size_t next_part = 0; const auto& wanted : recorded) {
      const auto whole = std::ranges::find(all, wanted.fingerprint, [](const DevicePtr& device) {
        return RecordedDevice::of(*device).fingerprint;
      });
      if (whole == all.end() || wanted.units < 1 || wanted.units > (*whole)->compute_units)
        throw Error(Errc::not_found,
                    fmt::format("there is no device {} of {} compute units, with this driver, here",
                                one_line(wanted.name), wanted.units));
      const bool is_part = wanted.units != (*whole)->compute_units;
      if (is_part && parts.empty()) parts = parts_of(*whole, recorded, wanted.fingerprint);
      found.push_back(is_part ? parts[next_part++ % parts.size()] : *whole);
    }
    if (found.empty())
      throw Error(Errc::bad_input, "'devices': the list is empty, expected at least one device");
    return found;
  });
}

std::string identity_line(const RecordedCall& call) {
  Json line{{"kiln_calls", 1}, {"kind", call.kind}, {"name", call.name}};
  Json& facts = line["facts"] = Json::object();
  for (const auto& fact : call.facts) facts[fact.name] = json_of(fact);
  Json& devices = line["devices"] = Json::array();
  for (const auto& device : call.devices)
    devices.push_back(
        {{"name", device.name}, {"fingerprint", device.fingerprint}, {"units", device.units}});
  line["flops"] = call.flops;
  line["bytes"] = call.bytes;
  // Names of devices and files may not be UTF-8, and then the line could not be read again.
  std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.pop_back();
  return text;
}

std::string recorded_line(std::string_view identity, const RecordedCall& counters) {
  std::string line(identity);
  for (const auto& [name, value] : call_totals)
    line += fmt::format(",\"{}\":{}", name, counters.*value);
  return line + "}\n";
}

// Reading a file of them.

namespace {

constexpr std::uint64_t most_bytes = 1ull << 30;
// Of a number that JSON's readers keep exactly.
constexpr std::uint64_t most_counted = 1ull << 53;

/// The first thing that is wrong with a line; parse_calls() says where it is.
Error wrong(std::string text) { return {Errc::bad_input, std::move(text)}; }

const Json& field(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) throw wrong(fmt::format("missing '{}'", name));
  return *found;
}

const Json& field(const Json& object, const char* name, Json::value_t type) {
  const Json& found = field(object, name);
  if (found.type() != type)
    throw wrong(fmt::format("'{}': found a JSON value of type {}, expected {}", name,
                            found.type_name(), Json(type).type_name()));
  return found;
}

std::string text_field(const Json& object, const char* name) {
  return field(object, name, Json::value_t::string).get<std::string>();
}

std::uint64_t count_field(const Json& object, const char* name) {
  const Json& value = field(object, name);
  if (!value.is_number_unsigned())
    throw wrong(fmt::format("'{}': found {}, expected an integer 0..2^53", name,
                            one_line(value.dump().substr(0, 80))));
  if (value.get<std::uint64_t>() > most_counted)
    throw wrong(fmt::format("'{}': found {}, expected at most 2^53", name, value.dump()));
  return value.get<std::uint64_t>();
}

double work_field(const Json& object, const char* name) {
  const Json& value = field(object, name);
  if (!value.is_number() || value.get<double>() < 0)
    throw wrong(fmt::format("'{}': expected a number of at least 0", name));
  return value.get<double>();
}

Fact fact_of(const std::string& name, const Json& value) {
  if (value.is_string()) return {name, value.get<std::string>()};
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
    throw wrong(
        fmt::format("'facts': '{}': found {}, expected at most 2^63 - 1", name, value.dump()));
  if (value.is_number_integer()) return {name, value.get<std::int64_t>()};
  throw wrong(
      fmt::format("'facts': '{}': found a JSON value of type {}, expected an integer "
                  "or a text",
                  name, value.type_name()));
}

RecordedCall call_of(const Json& line) {
  if (!line.is_object())
    throw wrong(fmt::format("found a JSON {}, expected an object", line.type_name()));
  const Json& version = field(line, "kiln_calls", Json::value_t::number_unsigned);
  if (version != 1)
    throw wrong(fmt::format("'kiln_calls': found version {}, expected 1", version.dump()));
  RecordedCall call;
  call.kind = text_field(line, "kind");
  call.name = text_field(line, "name");
  for (const auto& [name, value] : field(line, "facts", Json::value_t::object).items())
    call.facts.push_back(fact_of(name, value));
  for (const Json& device : field(line, "devices", Json::value_t::array)) {
    if (!device.is_object()) throw wrong("'devices': expected objects");
    call.devices.push_back({text_field(device, "name"), text_field(device, "fingerprint"),
                            static_cast<std::int64_t>(count_field(device, "units"))});
  }
  call.flops = work_field(line, "flops");
  call.bytes = work_field(line, "bytes");
  for (const auto& [name, value] : call_totals) call.*value = count_field(line, name);
  return call;
}

/// By the work alone, for any device: the ratio of computing to memory is what most devices of the
/// last ten years have within a factor of three. The scale does not matter where nothing was timed,
/// and is found from the times where something was.
double nominal_ns(const RecordedCall& call) {
  constexpr double flops_each_ns = 200, bytes_each_ns = 20;
  return std::max({call.flops / flops_each_ns, call.bytes / bytes_each_ns, 1.0});
}

std::string device_text(const RecordedCall& call) {
  std::string text;
  for (const auto& device : call.devices)
    text += fmt::format("{}/{};", device.fingerprint, device.units);
  return text;
}

void estimate(std::vector<RecordedCall>& calls) {
  struct Scale {
    double measured = 0, nominal = 0;
  };
  std::map<std::string, Scale> scales;
  for (const auto& call : calls) {
    if (call.timed == 0) continue;
    Scale& scale = scales[device_text(call)];
    scale.measured += static_cast<double>(call.device_ns);
    scale.nominal += nominal_ns(call) * static_cast<double>(call.timed);
  }
  double all = 0;
  for (auto& call : calls) {
    if (call.timed > 0) {
      call.estimated_ns = static_cast<double>(call.device_ns) / static_cast<double>(call.timed);
    } else {
      const auto scale = scales.find(device_text(call));
      const double factor =
          scale == scales.end() ? 1 : scale->second.measured / scale->second.nominal;
      call.estimated_ns = nominal_ns(call) * factor;
    }
    all += call.estimated_ns * static_cast<double>(call.count);
  }
  for (auto& call : calls)
    if (all > 0) call.share = call.estimated_ns * static_cast<double>(call.count) / all;
  std::stable_sort(calls.begin(), calls.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
}

/// The call of a line; nothing where the line was cut short.
std::optional<RecordedCall> parse_line(std::string_view text) {
  // A call's line has some hundred values.
  value_or_throw(check_json_bounds(text, {.values = 100'000}));
  try {
    return call_of(Json::parse(text));
  } catch (const Json::parse_error& error) {
    // A process that is killed while it writes leaves the beginning of a line: JSON that is right
    // as far as it goes. The next writer begins a new line.
    if (error.byte > text.size() && text.starts_with('{')) return std::nullopt;
    throw wrong(
        fmt::format("byte {}: not JSON, expected a line that kiln record wrote", error.byte));
  } catch (const Json::exception& error) {
    throw wrong(one_line(error.what()));
  }
}

}  // namespace

Expected<RecordedCalls> parse_calls(std::string_view text, const std::string& name) {
  RecordedCalls result;
  std::map<std::string, std::size_t> known;
  std::size_t number = 0;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    ++number;
    if (line.empty()) continue;
    try {
      auto call = parse_line(line);
      if (!call) {
        ++result.lines_cut;
        continue;
      }
      const auto [place, is_new] = known.emplace(identity_line(*call), result.calls.size());
      if (is_new) {
        result.calls.push_back(*std::move(call));
        continue;
      }
      RecordedCall& sum = result.calls[place->second];
      // Sums that cannot wrap: a file may say anything.
      for (const auto& [total, value] : call_totals)
        if (__builtin_add_overflow(sum.*value, *call.*value, &(sum.*value)))
          sum.*value = std::numeric_limits<std::uint64_t>::max();
    } catch (const Error& error) {
      return fail(Errc::bad_input,
                  fmt::format("{}:{}: {}", one_line(name), number, one_line(error.message())));
    }
  }
  if (result.calls.empty())
    return fail(Errc::bad_input, fmt::format("{}: the record has no calls", one_line(name)));
  estimate(result.calls);
  return result;
}

Expected<RecordedCalls> read_calls(const std::filesystem::path& file) {
  const auto bytes = read_input(file, most_bytes);
  if (!bytes) return tl::unexpected(bytes.error());
  return parse_calls({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, file.string());
}

}  // namespace kiln
