#include "spec/tune/device_arrays.hpp"

#include <cstring>

#include "spec/tune/tuned_binding.hpp"
#include "tune/measure/bench.hpp"

namespace kiln::spec {
DeviceArrays::DeviceArrays(const BoundSpec& bound, const Arrays& initial, const Queue& queue)
    : queue_(queue), initial_(initial), slots_(bound.arguments.size()) {
  const Device& device = *queue_.device();
  for (const auto& argument : bound.arguments) {
    if (!argument.is_buffer()) continue;
    Slot& slot = slots_[argument.position];
    slot.kind = argument.kind;
    if (device.host_memory) slot.host = HostArray(argument.bytes);
    slot.buffer = make_buffer(*queue_.context(), device,
                              device.host_memory ? slot.host.data() : nullptr, argument.bytes);
  }
}

void DeviceArrays::reset(Which which) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    if (!slot.is_buffer() || (which == Which::inout && slot.kind != ArgumentKind::inout)) continue;
    const ByteView contents = initial_.at(static_cast<std::uint32_t>(i)).view();
    if (slot.buffer.is_host_memory)
      std::memcpy(slot.host.data(), contents.data(), contents.size());
    else
      enqueue_write(queue_, slot.buffer.cl, 0, contents, {.waits = true});
  }
}

void DeviceArrays::set_arguments(Launch& launch) const {
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].is_buffer()) launch.set_buffer(static_cast<unsigned>(i), slots_[i].buffer.cl);
}

ByteView DeviceArrays::contents(std::uint32_t position) {
  Slot& slot = slots_[position];
  if (slot.buffer.is_host_memory) return slot.host.view();
  if (slot.host.empty()) slot.host = HostArray(slot.buffer.bytes);
  enqueue_read(queue_, slot.buffer.cl, 0, slot.host.span(), {.waits = true});
  return slot.host.view();
}

DeviceArraySets::DeviceArraySets(const BoundSpec& bound, const Arrays& initial,
                                 const Queue& queue) {
  for (auto left = tune::data_sets(static_cast<std::uint64_t>(problem_size(bound))); left > 0;
       --left)
    sets_.emplace_back(bound, initial, queue);
  reset(DeviceArrays::Which::all);
}

void DeviceArraySets::reset(DeviceArrays::Which which) {
  for (auto& set : sets_) set.reset(which);
}

}  // namespace kiln::spec
