#include "cli/calls/recorded_devices.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace kiln::cli {
namespace {

/// The sub-devices that a record names of one device; in equal parts where they are equal, as the
/// driver makes them for most programs.
Expected<std::vector<DevicePtr>> parts_of(const DevicePtr& whole,
                                          std::span<const RecordedDevice> recorded,
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
  return partition_by_counts(whole, units);
}

}  // namespace

Expected<std::vector<DevicePtr>> find_devices(std::span<const RecordedDevice> recorded) {
  const auto all = all_devices();
  if (!all) return tl::unexpected(all.error());
  std::vector<DevicePtr> found;
  std::vector<DevicePtr> parts;
  std::size_t next_part = 0;
  for (const auto& wanted : recorded) {
    DevicePtr whole;
    for (const auto& device : *all)
      if (!whole && RecordedDevice::of(*device).fingerprint == wanted.fingerprint) whole = device;
    if (!whole || wanted.units < 1 || wanted.units > whole->compute_units)
      return fail(Errc::not_found,
                  fmt::format("there is no device {} of {} compute units, with this driver, here",
                              one_line(wanted.name), wanted.units));
    if (wanted.units == whole->compute_units) {
      found.push_back(whole);
      continue;
    }
    if (parts.empty()) {
      auto made = parts_of(whole, recorded, wanted.fingerprint);
      if (!made) return tl::unexpected(made.error());
      parts = *std::move(made);
    }
    found.push_back(parts[next_part++ % parts.size()]);
  }
  if (found.empty())
    return fail(Errc::bad_input, "'devices': the list is empty, expected at least one device");
  return found;
}

}  // namespace kiln::cli
