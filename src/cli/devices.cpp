// `kiln devices`: what there is to run on.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/run.hpp"
#include "device/device.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string gigabytes(cl_ulong bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1024.0 * 1024 * 1024));
}

Json json_of(const Device& device, std::size_t index) {
  return {{"index", index},
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
}

}  // namespace

int list_devices(Context& context) {
  const auto devices = value_or_throw(all_devices());
  if (context.flag("json")) {
    Json list = Json::array();
    for (std::size_t i = 0; i < devices.size(); ++i) list.push_back(json_of(*devices[i], i));
    print(list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    return 0;
  }
  Table table({"index", "type", "units", "memory", "driver", "platform", "name"});
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const Device& device = *devices[i];
    table.row({std::to_string(i), device.type_name(), std::to_string(device.compute_units),
               gigabytes(device.global_memory), device.driver_version, device.platform_name,
               device.name});
  }
  print(table.text());
  return 0;
}

}  // namespace kiln::cli
