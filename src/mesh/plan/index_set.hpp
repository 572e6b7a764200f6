#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace kiln::mesh {

/// A set of small numbers that gives them back in rising order and is empty again then, in time
/// that depends on how many there are, hardly on how large they may be: bits, and two levels of
/// bits that say which words have any. Sorting without comparisons; the work array is never cleared
/// as a whole. Not thread-safe.
class IndexSet {
 public:
  /// Of numbers below `end`.
  explicit IndexSet(std::size_t end)
      : bits_(words(end)), used_(words(bits_.size())), top_(words(used_.size())) {}

  void insert(std::uint32_t value) {
    std::uint64_t& word = bits_[value >> 6];
    if (word == 0) {
      std::uint64_t& above = used_[value >> 12];
      if (above == 0) top_[value >> 18] |= bit(value >> 12);
      above |= bit(value >> 6);
    }
    word |= bit(value);
  }

  /// Calls take(value) for each, rising, and removes it.
  template <class Take>
  void drain(Take&& take) {
    for (std::size_t t = 0; t < top_.size(); ++t)
      empty(top_[t], t, [&](std::size_t u) {
        empty(used_[u], u, [&](std::size_t b) {
          empty(bits_[b], b, [&](std::size_t value) { take(static_cast<std::uint32_t>(value)); });
        });
      });
  }

 private:
  static std::size_t words(std::size_t bits) { return (bits + 63) / 64; }
  static std::uint64_t bit(std::uint32_t value) { return std::uint64_t{1} << (value & 63); }
  template <class Take>
  static void empty(std::uint64_t& word, std::size_t place, Take&& take) {
    for (std::uint64_t rest = std::exchange(word, 0); rest != 0; rest &= rest - 1)
      take(place * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
  }
  std::vector<std::uint64_t> bits_, used_, top_;
};

}  // namespace kiln::mesh
