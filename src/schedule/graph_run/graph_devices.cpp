#include "schedule/graph_run/graph_devices.hpp"

#include <map>

namespace kiln::graph {

GraphDevices::GraphDevices(const Runtime& runtime, const Options& options) : runtime_(runtime) {
  auto& state = runtime_.state();
  // Of an application's contexts nothing is made anew; others are made for their platform's devices
  // together.
  std::map<std::string, std::vector<DevicePtr>> by_platform;
  for (const DevicePtr& device : state.devices())
    by_platform[options.as_if_foreign ? std::to_string(by_platform.size())
                                      : device->platform_name + device->platform_version]
        .push_back(device);
  std::map<const Device*, ContextPtr> context_of;
  if (state.is_adopted()) {
    for (const Queue& queue : state.queues()) context_of[queue.device().get()] = queue.context();
  } else {
    for (const auto& [platform, devices] : by_platform) {
      const ContextPtr context = Context::create(devices);
      for (const auto& device : devices) context_of[device.get()] = context;
    }
  }
  for (const DevicePtr& device : state.devices()) {
    Entry entry;
    entry.device = device;
    const ContextPtr& context = context_of.at(device.get());
    const bool is_apart = !device->host_memory || options.as_if_apart;
    if (is_apart) entry.memory = static_cast<std::uint32_t>(memories_++);
    const std::uint32_t count = is_apart ? std::max(options.lanes, 1u) : 1;
    entry.lanes = count;
    entry.directions = is_apart ? 2 : 0;
    entry.context = context;
    entries_.push_back(std::move(entry));
  }
}

const GraphDevices::Queues& GraphDevices::Entry::queues(Queue::Times times) const {
  Queues& queues = times == Queue::Times::taken ? timed_ : untimed_;
  while (queues.lanes.size() < lanes) queues.lanes.emplace_back(context, device, times);
  while (queues.transfers.size() < directions)
    queues.transfers.emplace_back(context, device, times);
  return queues;
}

}  // namespace kiln::graph
