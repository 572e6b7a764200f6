#include "kernel/request/shipped_file.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/data/text.hpp"
#include "kernel/request/record_json.hpp"

namespace kiln {
namespace {

using ShippedJson = nlohmann::ordered_json;
constexpr const char* shipped_mark = "kiln shipped records";
constexpr int shipped_layout = 1;

ShippedJson json_of_device(const DeviceFacts& device) {
  return {{"type", device.type},           {"vendor", device.vendor},
          {"model", device.model},         {"architecture", device.architecture},
          {"units", device.compute_units}, {"floats", device.native_floats},
          {"local", device.local_memory}};
}

std::int64_t read_count(const ShippedJson& of, const char* name) {
  const auto* found = member_of(of, name);
  const auto count = read_integer(found, name);
  if (count < 0) refuse_member(found, name, "0 or more");
  return count;
}

DeviceFacts read_device(const ShippedJson& head) {
  const auto* device = member_of(head, "device");
  if (device == nullptr || !device->is_object()) refuse_member(device, "device", "an object");
  DeviceFacts facts;
  facts.type = read_text_member(*device, "type");
  if (facts.type != "CPU" && facts.type != "GPU" && facts.type != "other")
    refuse_member(member_of(*device, "type"), "type", "CPU, GPU or other");
  facts.vendor = read_text_member(*device, "vendor");
  facts.model = read_text_member(*device, "model");
  if (facts.model.empty()) refuse_member(member_of(*device, "model"), "model", "a name");
  facts.architecture = read_text_member(*device, "architecture");
  facts.compute_units = read_count(*device, "units");
  facts.native_floats = read_count(*device, "floats");
  facts.local_memory = read_count(*device, "local");
  return facts;
}

ShippedRecord read_record(const ShippedJson& line) {
  ShippedRecord shipped{read_text_member(line, "family"), read_wide_member(line, "version"),
                        read_text_member(line, "problem_class"), read_measured(line)};
  if (shipped.family.empty()) refuse_member(member_of(line, "family"), "family", "a name");
  for (const auto& one : shipped.record.history)
    if (one.of != Measurement::Of::kiln || one.gain() <= 0)
      refuse_member(member_of(line, "measured"), "measured",
                    "kernels of Kiln, with the time of the built-in parameters");
  return shipped;
}

/// Calls `read` with each line as an object. What it throws gets the line's number.
template <class Read>
Expected<void> each_line(std::string_view text, std::string_view name, const Read& read) {
  int number = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    try {
      // A record has far fewer: objects of more would take long to read.
      if (const auto within = check_json_bounds(line, {.values = 20'000}); !within)
        throw Error(within.error());
      const auto json = ShippedJson::parse(line, nullptr, false);
      if (!json.is_object()) throw Error(Errc::bad_input, "no JSON, expected an object");
      if (!read(json, number)) return {};
    } catch (const Error& refusal) {
      return fail(Errc::bad_input,
                  fmt::format("{}: line {}: {}", one_line(name), number, refusal.message()));
    }
  }
  if (number == 0) return fail(Errc::bad_input, fmt::format("{}: it is empty", one_line(name)));
  return {};
}

void check_head(const ShippedJson& head) {
  const auto* mark = member_of(head, shipped_mark);
  if (mark == nullptr || *mark != shipped_layout)
    refuse_member(mark, shipped_mark, fmt::format("version {}", shipped_layout));
}

}  // namespace

std::string text_of(const ShippedFile& file) {
  std::string text = one_line_of({{shipped_mark, shipped_layout},
                                  {"device", json_of_device(file.device)},
                                  {"made", file.made}}) +
                     "\n";
  for (const auto& one : file.records) {
    ShippedJson measured = ShippedJson::array();
    for (const auto& measurement : one.record.history) measured.push_back(json_of(measurement));
    text += one_line_of({{"family", one.family},
                         {"version", std::to_string(one.version)},
                         {"problem_class", one.problem_class},
                         {"measured", std::move(measured)}}) +
            "\n";
  }
  return text;
}

namespace {

/// "2026-11-28"; empty for 0.
std::string day_of(std::int64_t seconds) {
  if (seconds <= 0) return "";
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return fmt::format(", {:%Y-%m-%d}", parts);
}

bool has_generator(const std::string& family) {
  return family != "spec" && family != "source" && !family.starts_with("program");
}

}  // namespace

std::vector<ShippedRecord> records_to_ship(const std::vector<StoredRecord>& records) {
  // Of several versions of a family's kernels the one that was tuned last.
  std::map<std::pair<std::string, std::string>, const StoredRecord*> latest;
  for (const auto& stored : records) {
    if (!has_generator(stored.subject.family)) continue;
    auto& known = latest[{stored.subject.family, stored.subject.problem_class}];
    if (known == nullptr || known->created <= stored.created) known = &stored;
  }
  std::vector<ShippedRecord> all;
  for (const auto& [subject, of_subject] : latest) {
    const StoredRecord& stored = *of_subject;
    ShippedRecord shipped{
        stored.subject.family, stored.subject.version, stored.subject.problem_class, {}};
    std::set<std::int64_t> sizes;
    for (const auto& one : stored.record.history) sizes.insert(one.size);
    for (const auto size : sizes) {
      const auto* best = stored.record.best(size, [&](const Measurement& one) {
        return one.size == size && one.of == Measurement::Of::kiln && one.gain() > 0;
      });
      if (best == nullptr) continue;
      shipped.record.history.push_back(*best);
      shipped.record.history.back().from += day_of(stored.created);
    }
    if (!shipped.record.history.empty()) all.push_back(std::move(shipped));
  }
  return all;
}

Expected<ShippedFile> read_shipped_file(std::string_view text, std::string_view name) {
  ShippedFile file;
  std::set<std::pair<std::string, std::string>> known;
  const auto read = each_line(text, name, [&](const ShippedJson& line, int number) {
    if (number == 1) {
      check_head(line);
      file.device = read_device(line);
      file.made = read_text_member(line, "made");
      return true;
    }
    auto record = read_record(line);
    if (!known.insert({record.family, record.problem_class}).second)
      throw Error(Errc::bad_input, fmt::format("{} {} stands twice", one_line(record.family),
                                               one_line(record.problem_class)));
    file.records.push_back(std::move(record));
    return true;
  });
  if (!read) return tl::unexpected(read.error());
  return file;
}

Expected<DeviceFacts> read_shipped_device(std::string_view text, std::string_view name) {
  DeviceFacts device;
  const auto read = each_line(text, name, [&](const ShippedJson& line, int) {
    check_head(line);
    device = read_device(line);
    return false;
  });
  if (!read) return tl::unexpected(read.error());
  return device;
}

}  // namespace kiln
