#include "schedule/graph_steps/memory_table.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace kiln::graph {

using Place = Residency::Place;

std::uint32_t MemoryTable::buffer(Steps& steps, const Place& place, std::uint32_t device) {
  const auto at = static_cast<std::uint32_t>(steps.memory.size());
  steps.memory.push_back(nullptr);
  if (place.kind == Place::Kind::array)
    steps.array_memory.push_back({at, place.index, device});
  else
    buffers_.push_back({place, at, device});
  return at;
}

std::uint32_t MemoryTable::host(Steps& steps, const Place& place) {
  const auto at = static_cast<std::uint32_t>(steps.host_memory.size());
  steps.host_memory.push_back(nullptr);
  if (place.kind == Place::Kind::array)
    steps.array_host_memory.push_back({at, place.index, none});
  else
    hosts_.push_back({place, at, none});
  return at;
}

std::byte* MemoryTable::address(Steps& steps, const Place& place) const {
  switch (place.kind) {
    case Place::Kind::arena:
      return steps.host_arenas[place.chunk].data() + place.offset;
    case Place::Kind::input:
      // Read only: who changes it changes a copy.
      return const_cast<std::byte*>(work_.values()[place.index].input->data());
    case Place::Kind::result:
      return steps.results[place.index].data();
    default:
      throw Error(Errc::internal, "a value without a place");
  }
}

void MemoryTable::make(Steps& steps, const Residency& residency) {
  const auto& arenas = residency.arenas();
  const auto host_memory = [&](std::size_t bytes) { return devices_.host_memory(bytes); };
  for (const Arena& arena : arenas[0]) steps.host_arenas.push_back(host_memory(arena.size()));
  steps.results.resize(residency.results());
  for (ValueId value = 0; value < work_.values().size(); ++value)
    if (const auto result = steps.result_of[value]; result != none)
      steps.results[result] = host_memory(work_.values()[value].bytes);
  // Devices with memory of their own: a buffer a chunk, and parts of it.
  std::map<std::pair<std::uint32_t, std::uint32_t>, cl::Buffer> chunks;
  for (const auto& entry : devices_.all()) {
    if (entry.memory == 0) continue;
    for (std::uint32_t chunk = 0; chunk < arenas[entry.memory].size(); ++chunk) {
      Buffer made =
          make_buffer(*entry.context, *entry.device, nullptr, arenas[entry.memory][chunk].size());
      chunks[{entry.memory, chunk}] = made.cl;
      steps.chunks.push_back(std::move(made.cl));
    }
  }
  // Values that begin at the same byte, one after the other, share the part that is long enough for
  // all: NVIDIA's driver (580) crashes when it releases several of different lengths.
  using Part = std::tuple<cl_context, std::uint32_t, std::uint32_t, std::size_t>;
  std::map<Part, cl_mem> parts;
  std::map<Part, std::size_t> lengths;
  const auto part_of = [&](const Entry& entry) {
    const auto& place = entry.place;
    return Part{devices_.all()[entry.device].context->cl()(), place.memory, place.chunk,
                place.offset};
  };
  for (const Entry& entry : buffers_)
    if (entry.place.memory != 0) {
      std::size_t& length = lengths[part_of(entry)];
      length = std::max(length, entry.place.bytes);
    }
  std::map<std::tuple<cl_context, const std::byte*, std::size_t>, cl_mem> in_host_memory;
  for (const Entry& entry : buffers_) {
    const auto& device = devices_.all()[entry.device];
    const ContextPtr& context = device.context;
    const Place& place = entry.place;
    if (place.memory == 0) {
      std::byte* const begin = address(steps, place);
      cl_mem& handle = in_host_memory[{context->cl()(), begin, place.bytes}];
      if (handle == nullptr) {
        Buffer made = make_buffer(*context, *device.device, begin, place.bytes);
        if (!made.is_host_memory) throw Error(Errc::internal, "memory that is not aligned");
        handle = made.cl();
        steps.buffers.push_back(std::move(made.cl));
      }
      steps.memory[entry.at] = handle;
      continue;
    }
    cl_mem& handle = parts[part_of(entry)];
    if (handle == nullptr) {
      cl_buffer_region region{place.offset, lengths.at(part_of(entry))};
      cl::Buffer part = with_cl_errors([&] {
        return chunks.at({place.memory, place.chunk})
            .createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
      });
      handle = part();
      steps.buffers.push_back(std::move(part));
    }
    steps.memory[entry.at] = handle;
  }
  for (const Entry& entry : hosts_) steps.host_memory[entry.at] = address(steps, entry.place);
  buffers_.clear();
  hosts_.clear();
}

}  // namespace kiln::graph
