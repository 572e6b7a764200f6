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

  /// Inserts numbers: a copy of where marks go, which compilers keep in registers (they must take a
  /// mark, being a byte, for a change of anything that lies in memory).
  class Inserter {
   public:
    explicit Inserter(IndexSet& set)
        : marks_(set.marks_.data()), groups_(set.groups_.data()), top_(set.top_.data()) {}
    void operator()(std::uint32_t value) const {
      marks_[value] = 1;
      groups_[value >> 6] = 1;
      top_[value >> 12] = 1;
    }

   private:
    std::uint8_t *marks_, *groups_, *top_;
  };

  /// Writes the numbers to `out`, rising, and to place[number] how many came before it; removes
  /// them. How many there were.
  std::uint32_t drain(std::int32_t* out, std::uint32_t* place) {
    std::uint32_t count = 0;
    for (std::size_t t = 0; t < top_.size(); t += 64)
      for (auto groups = take(top_, t); groups != 0; groups &= groups - 1)
        for (std::size_t g = (t + place_of(groups)) * 64, marks = take(groups_, g); marks != 0;
             marks &= marks - 1) {
          const std::size_t first = (g + place_of(marks)) * 64;
          for (auto values = take(marks_, first); values != 0; values &= values - 1) {
            const std::size_t value = first + place_of(values);
            out[count] = static_cast<std::int32_t>(value);
            place[value] = count++;
          }
        }
    return count;
  }

 private:
  static std::size_t whole(std::size_t marks) { return (marks + 63) / 64 * 64; }
  static std::size_t place_of(std::uint64_t bits) {
    return static_cast<std::size_t>(std::countr_zero(bits));
  }
  /// The marks at first … first + 63 as bits; they are gone then.
  static std::uint64_t take(std::vector<std::uint8_t>& marks, std::size_t first) {
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      std::uint64_t eight;
      std::memcpy(&eight, marks.data() + first + k * 8, 8);
      // The product moves byte j's mark to bit 56 + j, and no two meet.
      bits |= (eight * 0x0102040810204080u >> 56) << (k * 8);
    }
    if (bits != 0) std::memset(marks.data() + first, 0, 64);
    return bits;
  }
  std::vector<std::uint8_t> marks_, groups_, top_;
};

}  // namespace kiln::mesh
