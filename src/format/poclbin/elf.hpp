#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "kiln/error.hpp"

/// As much of ELF (System V ABI, chapters 4 and 5) as it takes to answer what dlsym would, without
/// dlopen: that would run the object's initialisers.
namespace kiln::poclbin {

/// A loadable segment: where its file bytes lie in memory.
struct Segment {
  std::uint64_t address = 0, offset = 0, size = 0;
  std::uint32_t flags = 0;  ///< PF_X 1, PF_W 2, PF_R 4
};

/// The parts of a shared object that its loader uses; views the object's bytes.
struct SharedObject {
  ByteView bytes;
  std::vector<Segment> segments;
  std::uint64_t symbols = 0, strings = 0;  ///< addresses
  std::uint64_t string_bytes = 0;
  std::optional<std::uint64_t> hash, gnu_hash;  ///< addresses of the look-up tables

  /// `size` file bytes at a memory address; empty where they are not all in one segment.
  ByteView at(std::uint64_t address, std::uint64_t size) const;
  /// Whether the symbol of that index is `name`, and is defined inside an executable segment.
  bool defines(std::uint64_t index, std::string_view name) const;
};

/// Reads headers, segments and the dynamic section; everything lies inside the bytes.
Expected<SharedObject> read_shared_object(ByteView bytes);

/// Looks a dynamic symbol up by the object's own hash table, as the loader does.
bool has_function(const SharedObject& object, std::string_view name);

}  // namespace kiln::poclbin
