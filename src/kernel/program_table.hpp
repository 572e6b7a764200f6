#pragma once

#include <memory>

#include "kernel/program.hpp"
#include "store/memory_layer.hpp"

namespace kiln {

/// Programs of one context: the memory layer. Attached to the Context, so it goes with it.
struct ProgramId {
  Key key;
  cl_device_id device;
  bool operator==(const ProgramId&) const = default;
};
struct ProgramIdHash {
  std::size_t operator()(const ProgramId& id) const noexcept {
    // Devices of one context are few; their addresses differ in the higher bits.
    return KeyHash{}(id.key) ^ (reinterpret_cast<std::size_t>(id.device) >> 4);
  }
};
struct ProgramTable {
  MemoryLayer<ProgramId, std::unique_ptr<Program>, ProgramIdHash> programs;
};

}  // namespace kiln
