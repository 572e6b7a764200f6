// Devices and what is in a store, as JSON (kiln/json.hpp).
#include "kiln/json.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "kiln/runtime.hpp"
#include "kiln/store.hpp"

namespace kiln {
namespace {

using Json = nlohmann::ordered_json;

std::string line_of(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// "2026-11-21T08:14:05Z"; "" for 0.
std::string iso_date(std::int64_t seconds) {
  if (seconds <= 0) return "";
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", parts);
}

Json json_of_kind(const StoreStatistics::PerKind& kind) {
  return {{"entries", kind.entries}, {"bytes", kind.bytes}};
}

}  // namespace

namespace {

Json device_object(const DeviceInfo& device) {
  Json object{{"index", device.index},
              {"name", device.name},
              {"type", name_of(device.type)},
              {"vendor", device.vendor},
              {"version", device.version},
              {"driver_version", device.driver},
              {"platform", device.platform},
              {"platform_version", device.platform_version},
              {"il_versions", device.il_versions},
              {"compute_units", device.compute_units},
              {"max_work_group_size", device.largest_work_group},
              {"global_memory", device.memory_bytes},
              {"local_memory", device.local_memory},
              {"host_memory", device.uses_host_memory},
              {"fingerprint", device.fingerprint}};
  if (device.part) object["part"] = *device.part;
  return object;
}

}  // namespace

std::string json_of(const DeviceInfo& device) { return line_of(device_object(device)); }

std::string json_of(const DeviceInfo& device, std::span<const DriverTopic> findings) {
  Json object = device_object(device);
  Json& topics = object["findings"] = Json::object();
  for (const DriverTopic& topic : findings) {
    Json& list = topics[topic.name] = Json::array();
    for (const DriverFinding& finding : topic.findings)
      list.push_back(
          {{"name", finding.name}, {"holds", finding.holds}, {"reason", finding.reason}});
  }
  return line_of(object);
}

std::string json_of(const EntryInfo& entry) {
  const Metadata& metadata = entry.metadata;
  Json object{{"key", entry.key.hex()},
              {"kind", name_of(entry.kind)},
              {"label", metadata.label},
              {"size", entry.size},
              {"cost_seconds", metadata.cost_seconds},
              {"hits", entry.hits},
              {"created", iso_date(entry.created)},
              {"last_used", iso_date(entry.last_used)},
              {"fingerprint", metadata.fingerprint},
              {"schema", metadata.schema},
              {"options", metadata.options},
              {"build_log", metadata.build_log},
              {"in_file", entry.in_file},
              {"made_elsewhere", metadata.made_elsewhere}};
  object["source"] = metadata.source ? metadata.source->hex() : "";
  object["signer"] = metadata.signature ? metadata.signature->signer.hex() : "";
  return line_of(object);
}

std::string json_of(const StoreExplanation& explanation) {
  Json object{{"key", explanation.entry.key.hex()}, {"layers", Json::array()}};
  for (const auto& answer : explanation.layers)
    object["layers"].push_back(
        {{"layer", answer.layer},
         {"answered", answer.answered},
         {"reason", answer.reason},
         {"seconds", static_cast<double>(answer.end_ns - answer.start_ns) * 1e-9}});
  if (const auto& nearest = explanation.nearest)
    object["nearest"] = {{"key", nearest->key.hex()},
                         {"label", nearest->label},
                         {"difference", nearest->difference}};
  return line_of(object);
}

std::string json_of(const StoreStatistics& statistics) {
  return line_of({{"bytes", statistics.bytes},
                  {"limit", statistics.limit},
                  {"artifacts", json_of_kind(statistics.artifacts)},
                  {"plans", json_of_kind(statistics.plans)},
                  {"records", json_of_kind(statistics.records)},
                  {"damaged_rows", statistics.damaged_rows},
                  {"files", statistics.files},
                  {"set_aside", statistics.set_aside}});
}

std::string json_of(const StoreCheck& check) {
  return line_of({{"entries", check.entries},
                  {"bytes", check.bytes},
                  {"faults", check.fault_count()},
                  {"damaged_rows", check.damaged_rows},
                  {"unused_files", check.unused_files},
                  {"repaired", check.is_repaired}});
}

std::string json_of(const StoreFault& fault) {
  return line_of({{fault.file ? "file" : "key", fault.file ? fault.file->hex() : fault.key.hex()},
                  {"kind", name_of(fault.kind)},
                  {"label", fault.label},
                  {"reason", fault.reason}});
}

std::string json_of(const GcReport& report) {
  return line_of({{"stale", report.stale},
                  {"evicted", report.evicted},
                  {"damaged", report.damaged},
                  {"files", report.files},
                  {"file_bytes", report.file_bytes},
                  {"bytes_before", report.bytes_before},
                  {"bytes_after", report.bytes_after},
                  {"dry_run", report.dry_run}});
}

}  // namespace kiln
