#pragma once

#include <cstdint>
#include <deque>
#include <string_view>

#include "base/data/cursor.hpp"

/// Paths of files in archives: which are safe to unpack, and which exclude one another.
namespace kiln::poclbin {

/// PoCL 3.1 puts cache folder, build hash and path into a buffer of 1,024 bytes without a check.
/// With the hash's 41 bytes this leaves more than 200 for the cache folder.
inline constexpr std::size_t longest_path = 768;
/// What file systems take for one name.
inline constexpr std::size_t longest_component = 255;

/// Why a name may not be one component of a path (it is empty, `.`, `..`, too long, or holds a
/// slash, a backslash, a control character or bytes that are not UTF-8); null where it may.
const char* component_problem(std::string_view name, std::size_t longest = longest_component);

/// Why a path may not be unpacked below a program's folder: it does not begin with '/', a component
/// is not one, or it is too long; null where it may.
const char* path_problem(std::string_view path);

/// The same for a path that must not begin with '/', as the wiki's layout has them.
const char* relative_path_problem(std::string_view path);

/// The first component: "saxpy" of "/saxpy/0-0-0/saxpy.so".
std::string_view first_component(std::string_view path);

/// Whether `folder` may be the folder of a kernel. PoCL 4.0 and later clip long names to a part of
/// the name, a dot and 40 letters of a digest; earlier ones never do.
bool is_folder_of(std::string_view folder, std::string_view kernel, bool clipped_names);

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
