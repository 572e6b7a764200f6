// `kiln devices`: what there is to run on.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command/options.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/run/options.hpp"
#include "device/device.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr Option devices_options[] = {options::devices, options::json};

constexpr Example devices_examples[] = {
    {"kiln devices", "Lists the OpenCL devices of this machine with their indices."},
    {"kiln devices --devices cpu/2", "Shows which devices a selection gives."},
};

std::string gigabytes(cl_ulong bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1024.0 * 1024 * 1024));
}

/// The number that --devices takes: a device's place among all of this machine. A sub-device has
/// its parent's.
std::size_t index_of(const Device& device) {
  const Device& whole = device.parent ? *device.parent : device;
  const auto all = value_or_throw(all_devices());
  const auto found = std::find_if(all.begin(), all.end(), [&](const DevicePtr& other) {
    return other->handle() == whole.handle();
  });
  return static_cast<std::size_t>(found - all.begin());
}

/// "0", or "0 part 1" for a sub-device.
std::string index_text(const Device& device) {
  const auto index = std::to_string(index_of(device));
  return device.parent ? fmt::format("{} part {}", index, device.part) : index;
}

Json json_of(const Device& device) {
  Json object{{"index", index_of(device)},
              {"name", device.name},
              {"type", device.type_name()},
              {"vendor", device.vendor},
              {"version", device.version},
              {"driver_version", device.driver_version},
              {"platform", device.platform_name},
              {"platform_version", device.platform_version},
              {"compute_units", device.compute_units},
              {"max_work_group_size", device.max_work_group_size},
              {"global_memory", device.global_memory},
              {"local_memory", device.local_memory},
              {"host_memory", device.host_memory},
              {"fingerprint", device.fingerprint()}};
  if (device.parent) object["part"] = device.part;
  return object;
}

}  // namespace

constinit const Command devices_command{
    .name = "devices",
    .summary = "list the OpenCL devices of this machine",
    .description =
        "Lists the devices in the order of their indices, with their platform, driver "
        "and size. With --devices it lists only what the selection gives.",
    .options = devices_options,
    .examples = devices_examples,
};

int list_devices(Context& context) {
  const auto devices = value_or_throw(select_devices(context.text("devices")));
  if (context.flag("json")) {
    for (const auto& device : devices) print_json(json_of(*device));
    return 0;
  }
  Table table({"index", "type", "units", "memory", "driver", "platform", "name"});
  for (const auto& listed : devices) {
    const Device& device = *listed;
    table.row({index_text(device), device.type_name(), std::to_string(device.compute_units),
               gigabytes(device.global_memory), device.driver_version, device.platform_name,
               device.name});
  }
  print(table.text());
  return 0;
}

}  // namespace kiln::cli
