#include "schedule/merge.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace kiln {
namespace {

constexpr std::size_t largest_element = 128;  // double16
constexpr std::size_t block = 4096;           // a multiple of every element size
const std::byte zeros[block] = {};

/// Merges one block, element by element; the last element may be cut off by the buffer's end.
std::optional<std::size_t> merge_block(std::byte* result, const std::byte* changed,
                                       const std::byte* initial, std::size_t bytes,
                                       std::size_t unit, SameChange same_change) {
  for (std::size_t at = 0; at < bytes; at += unit) {
    const std::size_t size = std::min(unit, bytes - at);
    if (std::memcmp(changed + at, initial + at, size) == 0) continue;
    if (std::memcmp(result + at, initial + at, size) != 0) {
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
  const std::size_t unit = std::has_single_bit(element_bytes) && element_bytes <= largest_element
                               ? element_bytes
                               : largest_element;
  MergeOutcome outcome;
  for (std::size_t at = 0; at < result.size(); at += block) {
    const std::size_t size = std::min(block, result.size() - at);
    const std::byte* before = initial.empty() ? zeros : initial.data() + at;
    // Most blocks were touched by one side only, and memcmp runs at memory speed.
    if (std::memcmp(changed.data() + at, before, size) == 0) continue;
    outcome.changed = true;
    if (std::memcmp(result.data() + at, before, size) == 0) {
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
