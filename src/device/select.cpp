// Reads a device list: selectors separated by commas. The comma also separates the counts of
// `cpu/1,3`, so a bare number right after a `/…` part belongs to that part. Messages name no
// option: it is called --devices here, --device there, and Mesh::Options::device in a program.
#include <fmt/format.h>

#include <set>

#include "base/data/number.hpp"
#include "base/data/text.hpp"
#include "base/expected.hpp"
#include "device/device.hpp"

namespace kiln {
namespace {

struct Selector {
  std::string text;             // "cpu", "0", "~name"
  std::vector<unsigned> parts;  // after '/': one number = equal parts, several = counts
};

std::vector<Selector> parse_list(std::string_view list) {
  std::vector<Selector> selectors;
  while (true) {
    const auto comma = list.find(',');
    const std::string_view item = list.substr(0, comma);
    const auto slash = item.find('/');
    if (item.empty())
      throw Error(Errc::bad_input,
                  "found an empty item in the list of devices, expected all, gpu, cpu, an index, "
                  "~part of a name, or one of these with /2 or /1,3");
    if (slash == std::string_view::npos && !selectors.empty() && !selectors.back().parts.empty() &&
        parse_number<unsigned>(item)) {
      selectors.back().parts.push_back(*parse_number<unsigned>(item));
    } else if (slash == std::string_view::npos) {
      selectors.push_back({std::string(item), {}});
    } else {
      const auto parts = parse_number<unsigned>(item.substr(slash + 1));
      if (!parts || *parts == 0)
        throw Error(
            Errc::bad_input,
            fmt::format("found the device '{}', expected a positive number after '/'", item));
      selectors.push_back({std::string(item.substr(0, slash)), {*parts}});
    }
    if (comma == std::string_view::npos) return selectors;
    list.remove_prefix(comma + 1);
  }
}

bool matches(const Device& device, std::size_t index, const std::string& text) {
  if (text == "all") return true;
  if (text == "gpu") return device.type == Device::Type::gpu;
  if (text == "cpu") return device.type == Device::Type::cpu;
  if (const auto wanted = parse_number<unsigned>(text)) return *wanted == index;
  return text.starts_with('~') && text.size() > 1 &&
         lower(device.name).find(lower(text.substr(1))) != std::string::npos;
}

std::string known_devices(const std::vector<DevicePtr>& devices) {
  std::string text;
  for (std::size_t i = 0; i < devices.size(); ++i)
    text +=
        fmt::format("{}{} {} ({})", i ? ", " : "", i, devices[i]->name, name_of(devices[i]->type));
  return text;
}

std::vector<DevicePtr> divide(const DevicePtr& device, const std::vector<unsigned>& parts) {
  if (parts.empty()) return {device};
  return value_or_throw(parts.size() == 1 ? partition_equally(device, parts[0])
                                          : partition_by_counts(device, parts));
}

std::vector<DevicePtr> select_or_throw(std::string_view list) {
  const auto selectors = parse_list(list.empty() ? "all" : list);
  const auto devices = value_or_throw(all_devices());
  std::vector<DevicePtr> chosen;
  std::set<DevicePtr> used;
  for (const auto& selector : selectors) {
    bool found = false;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (!matches(*devices[i], i, selector.text)) continue;
      found = true;
      // It would run against itself, be it whole or in parts.
      if (!used.insert(devices[i]).second)
        throw Error(Errc::bad_input, fmt::format("the device {} is named twice", devices[i]->name));
      const auto parts = divide(devices[i], selector.parts);
      chosen.insert(chosen.end(), parts.begin(), parts.end());
    }
    if (!found)
      throw Error(Errc::not_found, fmt::format("no device matches '{}'; present: {}", selector.text,
                                               known_devices(devices)));
  }
  return chosen;
}

}  // namespace

Expected<std::vector<DevicePtr>> select_devices(std::string_view list) {
  return expected_from([&] { return select_or_throw(list); });
}

}  // namespace kiln
