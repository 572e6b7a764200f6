#include "kernel/recorded_call.hpp"

#include <nlohmann/json.hpp>

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

const Fact* RecordedCall::fact(std::string_view wanted) const {
  for (const auto& each : facts)
    if (each.name == wanted) return &each;
  return nullptr;
}

std::string_view RecordedCall::text(std::string_view wanted) const {
  const Fact* found = fact(wanted);
  const auto* value = found == nullptr ? nullptr : std::get_if<std::string>(&found->value);
  return value == nullptr ? std::string_view() : *value;
}

std::int64_t RecordedCall::number(std::string_view wanted, std::int64_t otherwise) const {
  const Fact* found = fact(wanted);
  const auto* value = found == nullptr ? nullptr : std::get_if<std::int64_t>(&found->value);
  return value == nullptr ? otherwise : *value;
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
  // Names of devices and files may be no UTF-8, and a line that nobody can read helps nobody.
  std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.pop_back();
  return text;
}

std::string recorded_line(std::string_view identity, const RecordedCall& counters) {
  std::string line(identity);
  const auto add = [&](const char* name, std::uint64_t value) {
    line += std::string(",\"") + name + "\":" + std::to_string(value);
  };
  add("count", counters.count);
  add("host_ns", counters.host_ns);
  add("prepare_ns", counters.prepare_ns);
  add("timed", counters.timed);
  add("device_ns", counters.device_ns);
  return line + "}\n";
}

}  // namespace kiln
