#include "schedule/merge.hpp"

#include <algorithm>
#include <cstring>

namespace kiln {
namespace {

constexpr std::size_t usual_block = 4096;
const std::byte zeros[usual_block] = {};

bool all_zero(const std::byte* bytes, std::size_t size) {
  for (std::size_t at = 0; at < size; at += usual_block)
    if (std::memcmp(bytes + at, zeros, std::min(usual_block, size - at)) != 0) return false;
  return true;
}

/// Whether bytes are as before; without `initial`, zero.
bool unchanged(const std::byte* bytes, const std::byte* initial, std::size_t size) {
  return initial == nullptr ? all_zero(bytes, size) : std::memcmp(bytes, initial, size) == 0;
}

/// Merges one block, element by element; the last element may be cut off by the buffer's end.
std::optional<std::size_t> merge_block(std::byte* result, const std::byte* changed,
                                       const std::byte* initial, std::size_t bytes,
                                       std::size_t unit, SameChange same_change) {
  for (std::size_t at = 0; at < bytes; at += unit) {
    const std::size_t size = std::min(unit, bytes - at);
    const std::byte* before = initial == nullptr ? nullptr : initial + at;
    if (unchanged(changed + at, before, size)) continue;
    if (!unchanged(result + at, before, size)) {
      if (same_change == SameChange::conflicts || std::memcmp(result + at, changed + at, size) != 0)
        return at;
      continue;
    }
    std::memcpy(result + at, changed + at, size);
  }
  return {};
}

}  // namespace

MergeOutcome merge_changes(std::span<std::byte> result, ByteView changed, ByteView initial,
                           std::size_t element_bytes, SameChange same_change) {
  // Too large a unit may see a conflict where none is, too small a one may miss it.
  const std::size_t unit = std::max<std::size_t>(element_bytes, 1);
  // Elements do not reach from one block into the next.
  const std::size_t block = unit >= usual_block ? unit : usual_block / unit * unit;
  MergeOutcome outcome;
  for (std::size_t at = 0; at < result.size(); at += block) {
    const std::size_t size = std::min(block, result.size() - at);
    const std::byte* before = initial.empty() ? nullptr : initial.data() + at;
    // Most blocks were touched by one side only, and memcmp runs at memory speed.
    if (unchanged(changed.data() + at, before, size)) continue;
    outcome.changed = true;
    if (unchanged(result.data() + at, before, size)) {
      std::memcpy(result.data() + at, changed.data() + at, size);
      continue;
    }
    const auto conflict =
        merge_block(result.data() + at, changed.data() + at, before, size, unit, same_change);
    if (!conflict) continue;
    outcome.conflict = at + *conflict;
    return outcome;
  }
  return outcome;
}

}  // namespace kiln
