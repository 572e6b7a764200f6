// `kiln devices`: what there is to run on.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/command/options.hpp"
#include "cli/command/session.hpp"
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

/// What the driver of a device was found to do, a line each.
void print_findings(const std::vector<DriverTopic>& topics) {
  for (const DriverTopic& topic : topics) {
    if (topic.findings.empty()) print("  {:<11} not tried yet\n", topic.name);
    std::string_view name = topic.name;
    for (const DriverFinding& finding : topic.findings) {
      print_text("  {:<11} {:<3} {}{}{}\n", name, finding.holds ? "yes" : "no",
                 one_line(finding.name), finding.reason.empty() ? "" : ": ",
                 one_line(finding.reason));
      name = {};
    }
  }
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
  const bool is_verbose = context.flag("verbose");
  // Findings are in the store; without them none is opened.
  const Runtime runtime =
      is_verbose
          ? Runtime(std::make_shared<Runtime::State>(
                std::make_unique<Resolver>(value_or_throw(open_store(store_settings_of(context)))),
                context.text("devices"), Runtime::State::Single::whole))
          : Runtime({.devices = context.text("devices"), .store = "off"});
  const auto devices = runtime.devices();
  if (context.flag("json")) {
    for (const auto& device : devices)
      print_json_line(is_verbose ? json_of(device, runtime.findings(device)) : json_of(device));
    return 0;
  }
  if (is_verbose) {
    for (const auto& device : devices) {
      print_text("{}", described(device));
      print_findings(runtime.findings(device));
    }
    return 0;
  }
  Table table({"index", "type", "units", "memory", "driver", "platform", "name"});
  for (const auto& device : devices)
    table.row(index_text(device), name_of(device.type), device.compute_units,
              gigabytes(device.memory_bytes), device.driver, device.platform, device.name);
  print(table.text());
  return 0;
}

constexpr Option verbose_option =
    Option::flag("verbose",
                 "Prints all that is known of each: also in which languages it takes programs "
                 "(OpenCL C, SPIR-V), and what its driver was found to do, by trying it at its "
                 "first use: yes or no, and why. What was found is in the store; nothing is tried "
                 "now.")
        .with_letter('v');

}  // namespace

const Command devices_command{
    .name = "devices",
    .summary = "list the OpenCL devices of this machine",
    .description =
        "Lists the devices in the order of their indices, with their platform, driver and size. "
        "With --devices it lists only what the selection gives.\n\n"
        "Kiln assumes nothing of a driver because of its name or version: whether a program can be "
        "compiled in another process, whether threads can be pinned, whether a built-in function "
        "keeps the lanes of a vector apart is tried once and kept. With --verbose what was found "
        "so far is listed, too, and in which languages each device takes programs.",
    .options = {{options::devices, verbose_option, options::store, options::system_store,
                 options::shared_store, options::shared_timeout, options::json}},
    .examples = {{"kiln devices", "Lists the OpenCL devices of this machine with their indices."},
                 {"kiln devices --devices cpu/2", "Shows which devices a selection gives."},
                 {"kiln devices -v", "Shows what the drivers were found to do."}},
    .body = list_devices,
};

}  // namespace kiln::cli
