#include "tune/conduct/known_device.hpp"

#include <nlohmann/json.hpp>

#include "tune/search/journal.hpp"
#include "tune/worker/child.hpp"
#include "tune/worker/worker.hpp"

namespace kiln::tune {

KnownDevice look_at_device(const FindDevice& find_device,
                           const std::function<std::string(const Device&)>& more) {
  const auto look = [&] {
    const auto device = find_device();
    return dumped({{"name", device->name},
                   {"speed", device->speed_identity()},
                   {"doubles", device->doubles},
                   {"fingerprint", RecordedDevice::of(*device).fingerprint},
                   {"type", device->type_name()},
                   {"vendor", device->vendor},
                   {"units", device->compute_units},
                   {"floats", device->native_floats},
                   {"local", device->local_memory},
                   {"more", more ? more(*device) : ""}});
  };
  const auto json = nlohmann::json::parse(value_or_throw(in_child(look, longest_opening)));
  return {json["name"],
          json["speed"],
          json["type"] == "cpu",
          json["doubles"],
          {json["name"], json["fingerprint"], json["units"]},
          {json["type"], json["vendor"], json["units"], json["floats"], json["local"]},
          json["more"]};
}

}  // namespace kiln::tune
