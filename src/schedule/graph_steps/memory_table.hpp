#pragma once

#include <vector>

#include "schedule/graph_steps/residency.hpp"
#include "schedule/graph_steps/steps.hpp"

namespace kiln::graph {

/// Turns Places into handles and addresses: notes where each is needed while steps are made, and
/// fills all in once the sizes of all memories are known.
class MemoryTable {
 public:
  MemoryTable(const WorkGraph& work, const GraphDevices& devices)
      : work_(work), devices_(devices) {}

  /// The next entry of Steps::memory is this place, for commands of a device.
  std::uint32_t buffer(Steps& steps, const Residency::Place& place, std::uint32_t device);
  /// The next entry of Steps::host_memory is this place in the host's memory.
  std::uint32_t host(Steps& steps, const Residency::Place& place);

  /// Allocates what the arenas and results have come to, and fills in all entries but those of
  /// Arrays, which a run does. Throws kiln::Error (device).
  void make(Steps& steps, const Residency& residency);

 private:
  struct Entry {
    Residency::Place place;
    std::uint32_t at = 0, device = none;
  };
  std::byte* address(Steps& steps, const Residency::Place& place) const;
  const WorkGraph& work_;
  const GraphDevices& devices_;
  std::vector<Entry> buffers_, hosts_;
  std::vector<std::uint32_t> first_chunk_;  ///< by memory, in Steps::host_arenas or arenas_
};

}  // namespace kiln::graph
