#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// Names as small numbers, so that an analysis compares and indexes instead of hashing again.
/// Number 0 is the empty name. Names are views: the caller keeps their text alive, or hands it over
/// with adopt(). Not thread-safe.
class Symbols {
 public:
  Symbols();
  /// The number of a name, new or known. O(1).
  std::uint32_t intern(std::string_view name);
  /// The number of a known name, else 0.
  std::uint32_t find(std::string_view name) const;
  std::string_view name(std::uint32_t symbol) const { return names_[symbol]; }
  std::size_t size() const { return names_.size(); }
  /// Keeps a text for as long as this object lives; its address does not change.
  std::string_view adopt(std::string text) { return kept_.emplace_back(std::move(text)); }

 private:
  std::size_t slot_of(std::string_view name) const;
  void grow();

  std::vector<std::string_view> names_;
  std::vector<std::uint32_t> slots_;  // open addressing; 0 is free, the size a power of two
  std::deque<std::string> kept_;
};

}  // namespace kiln
