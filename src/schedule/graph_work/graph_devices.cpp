#include "schedule/graph_work/graph_devices.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "device/transfer.hpp"

namespace kiln::graph {

namespace {

/// Smaller arrays gain nothing by memory that is pinned, which takes tens of microseconds to get.
constexpr std::size_t least_pinned_bytes = std::size_t{256} << 10;

/// The contexts of a Runtime's graphs, and so their programs, are made once.
class GraphContexts {
 public:
  explicit GraphContexts(Resolver&) {}

  /// For transfers that belong to no graph.
  Queue queue_of(const ContextPtr& context, const DevicePtr& device) {
    const std::lock_guard lock(mutex_);
    const auto found = queues_.find(context);
    if (found != queues_.end()) return found->second;
    return queues_.emplace(context, Queue(context, device, Queue::Times::none)).first->second;
  }
  ContextPtr of(const std::vector<DevicePtr>& devices) {
    const std::lock_guard lock(mutex_);
    ContextPtr& context = contexts_[devices];
    if (!context) context = Context::create(devices);
    return context;
  }

 private:
  std::mutex mutex_;
  std::map<std::vector<DevicePtr>, ContextPtr> contexts_;
  std::map<ContextPtr, Queue> queues_;
};

/// By device: the Runtime's own, but for several devices of a platform that have one each there.
/// Of an application's contexts nothing is made anew.
std::map<const Device*, ContextPtr> contexts_of(Runtime::State& state, bool as_if_foreign) {
  std::map<const Device*, ContextPtr> context_of;
  std::map<std::string, std::vector<DevicePtr>> by_platform;
  for (const Queue& queue : state.queues()) {
    const DevicePtr& device = queue.device();
    context_of[device.get()] = queue.context();
    by_platform[device->platform_name + device->platform_version].push_back(device);
  }
  if (state.is_adopted()) return context_of;
  auto& made = state.front_end<GraphContexts>();
  for (const auto& [platform, devices] : by_platform) {
    const ContextPtr first = context_of.at(devices.front().get());
    const bool is_shared = std::ranges::all_of(
        devices, [&](const DevicePtr& device) { return context_of.at(device.get()) == first; });
    for (const auto& device : devices)
      if (as_if_foreign)
        context_of[device.get()] = made.of({device});
      else if (!is_shared)
        context_of[device.get()] = made.of(devices);
  }
  return context_of;
}

}  // namespace

GraphDevices::GraphDevices(const Runtime& runtime, const Options& options) : runtime_(runtime) {
  auto& state = runtime_.state();
  const auto context_of = contexts_of(state, options.as_if_foreign);
  for (const DevicePtr& device : state.devices()) {
    Entry entry;
    entry.device = device;
    const ContextPtr& context = context_of.at(device.get());
    const bool is_apart =
        !device->host_memory || options.as_if_apart || (options.is_first_apart && entries_.empty());
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

HostArray GraphDevices::host_memory(std::size_t bytes) const {
  const auto apart = std::ranges::find_if(entries_, [](const Entry& e) { return e.memory != 0; });
  if (apart == entries_.end() || bytes < least_pinned_bytes) return HostArray::undefined(bytes);
  return transfer_memory(apart->queues(Queue::Times::none).transfers.front(), bytes);
}

HostArray graph_input(const Runtime& runtime, HostArray contents) {
  if (contents.size() < least_pinned_bytes) return contents;
  auto& state = runtime.state();
  const auto apart = std::ranges::find_if(
      state.devices(), [](const DevicePtr& device) { return !device->host_memory; });
  if (apart == state.devices().end()) return contents;
  const ContextPtr context = contexts_of(state, false).at(apart->get());
  HostArray memory =
      transfer_memory(state.front_end<GraphContexts>().queue_of(context, *apart), contents.size());
  std::memcpy(memory.data(), contents.data(), contents.size());
  return memory;
}

Queue graph_queue(const Runtime& runtime) {
  auto& state = runtime.state();
  const DevicePtr& device = state.devices().front();
  return {contexts_of(state, false).at(device.get()), device, Queue::Times::none};
}

}  // namespace kiln::graph
