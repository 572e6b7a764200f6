// `kiln devices`: what there is to run on.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/command/options.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "kiln/json.hpp"
#include "kiln/runtime.hpp"

namespace kiln::cli {
namespace {

std::string gigabytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1024.0 * 1024 * 1024));
}

/// "0", or "0 part 1" for a sub-device.
std::string index_text(const DeviceInfo& device) {
  return device.part ? fmt::format("{} part {}", device.index, *device.part)
                     : std::to_string(device.index);
}

/// All that is known of a device, a line for each.
std::string described(const DeviceInfo& device) {
  const std::string programs =
      "OpenCL C" + (device.il_versions.empty() ? "" : ", " + device.il_versions);
  return fmt::format(
      "{}: {}\n"
      "  type        {}, {} compute units\n"
      "  platform    {}, {}\n"
      "  driver      {}\n"
      "  version     {}\n"
      "  programs    {}\n"
      "  memory      {}, {} of it in one buffer, {} local\n"
      "  work-group  {} work-items at most\n",
      index_text(device), device.name, name_of(device.type), device.compute_units, device.platform,
      device.platform_version, device.driver, device.version, programs,
      gigabytes(device.memory_bytes), gigabytes(device.largest_buffer),
      byte_count_text(device.local_memory), device.largest_work_group);
}

int list_devices(Context& context) {
  const auto devices = Runtime({.devices = context.text("devices"), .store = "off"}).devices();
  if (context.flag("json")) {
    for (const auto& device : devices) print_json_line(json_of(device));
    return 0;
  }
  if (context.flag("verbose")) {
    for (const auto& device : devices) print("{}", described(device));
    return 0;
  }
  Table table({"index", "type", "units", "memory", "driver", "platform", "name"});
  for (const auto& device : devices)
    table.row(index_text(device), name_of(device.type), device.compute_units,
              gigabytes(device.memory_bytes), device.driver, device.platform, device.name);
  print(table.text());
  return 0;
}

}  // namespace

const Command devices_command{
    .name = "devices",
    .summary = "list the OpenCL devices of this machine",
    .description =
        "Lists the devices in the order of their indices, with their platform, driver and size. "
        "With --devices it lists only what the selection gives.",
    .options = {{options::devices, options::json,
                 Option::flag("verbose",
                              "Prints all that is known of each: also its version of OpenCL, and "
                              "in which languages it takes programs (OpenCL C, SPIR-V).")
                     .with_letter('v')}},
    .examples = {{"kiln devices", "Lists the OpenCL devices of this machine with their indices."},
                 {"kiln devices --devices cpu/2", "Shows which devices a selection gives."},
                 {"kiln devices -v", "Shows which of them take SPIR-V."}},
    .body = list_devices,
};

}  // namespace kiln::cli
