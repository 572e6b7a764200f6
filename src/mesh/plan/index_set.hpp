#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace kiln::mesh {

/// A set of small numbers that gives them back in rising order and is empty again then, in time
/// that depends on how many there are, hardly on how large they may be: sorting without
/// comparisons, in a work array that is never cleared as a whole (what PyOP2 did for each block).
///
/// A mark a number, a mark for each 64 numbers, a mark for each 4096. Marks are bytes: writing one
/// waits for no earlier one, as setting a bit in a word does when neighbours come in a row.
/// Not thread-safe.
class IndexSet {
 public:
  /// Of numbers below `end`.
  explicit IndexSet(std::size_t end)
      : marks_(whole(end)), groups_(whole(end / 64 + 1)), top_(whole(end / 4096 + 1)) {}

  void insert(std::uint32_t value) {
    marks_[value] = 1;
    groups_[value >> 6] = 1;
    top_[value >> 12] = 1;
  }

  /// Calls take(value) for each, rising, and removes it.
  template <class Take>
  void drain(Take&& take) {
    for (std::size_t t = 0; t < top_.size(); t += 64)
      collect(top_, t, [&](std::size_t g) {
        collect(groups_, g * 64, [&](std::size_t m) {
          collect(marks_, m * 64,
                  [&](std::size_t value) { take(static_cast<std::uint32_t>(value)); });
        });
      });
  }

 private:
  static std::size_t whole(std::size_t marks) { return (marks + 63) / 64 * 64; }

  /// Takes the marks at first … first + 63 away and calls with the place of each.
  template <class Take>
  static void collect(std::vector<std::uint8_t>& marks, std::size_t first, Take&& take) {
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      std::uint64_t eight;
      std::memcpy(&eight, marks.data() + first + k * 8, 8);
      // The product moves byte j's mark to bit 56 + j, and no two meet.
      bits |= (eight * 0x0102040810204080u >> 56) << (k * 8);
    }
    if (bits == 0) return;
    std::memset(marks.data() + first, 0, 64);
    for (; bits != 0; bits &= bits - 1)
      take(first + static_cast<std::size_t>(std::countr_zero(bits)));
  }
  std::vector<std::uint8_t> marks_, groups_, top_;
};

}  // namespace kiln::mesh
