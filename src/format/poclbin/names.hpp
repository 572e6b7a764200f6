#pragma once

#include <cstdint>
#include <deque>
#include <string_view>

#include "base/cursor.hpp"

namespace kiln::poclbin {

/// Names of one archive, to find those that exclude one another. Views what it is given.
class Names {
 public:
  void add(std::string_view name);
  std::size_t size() const { return entries_.size(); }

  /// Refuses a name that is there twice, at the later one.
  void refuse_twice(Cursor& cursor, std::string_view field);
  /// The same for paths, and refuses a path that needs a folder where another one is a file.
  void refuse_conflicts(Cursor& cursor, std::string_view field);

 private:
  struct Entry {
    std::uint64_t hash;
    std::string_view name;
  };
  void sort();
  const Entry* find(std::uint64_t hash, std::string_view name) const;

  // Growing moves nothing, so that the peak is what is held. Names are spread over a mapped file:
  // sorting by their hashes touches no page of it.
  std::deque<Entry> entries_;
};

}  // namespace kiln::poclbin
