#include "format/poclbin/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace kiln::poclbin {
namespace {

// FNV-1a, since the hashes of a path's folders fall out on the way. Whoever makes names of one
// hash gains nothing but comparisons: names decide.
constexpr std::uint64_t start = 0xcbf29ce484222325;
constexpr std::uint64_t step(std::uint64_t hash, char letter) {
  return (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
}

std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = start;
  for (const char letter : name) hash = step(hash, letter);
  return hash;
}

}  // namespace

void Names::add(std::string_view name) { entries_.push_back({hash_of(name), name}); }

void Names::sort() {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    if (a.hash != b.hash) return a.hash < b.hash;
    if (a.name != b.name) return a.name < b.name;
    return a.name.data() < b.name.data();
  });
}

const Names::Entry* Names::find(std::uint64_t hash, std::string_view name) const {
  auto at = std::lower_bound(entries_.begin(), entries_.end(), hash,
                             [](const Entry& entry, std::uint64_t h) { return entry.hash < h; });
  for (; at != entries_.end() && at->hash == hash; ++at)
    if (at->name == name) return &*at;
  return nullptr;
}

void Names::refuse_twice(Cursor& cursor, std::string_view field) {
  sort();
  const auto twice = std::adjacent_find(
      entries_.begin(), entries_.end(),
      [](const Entry& a, const Entry& b) { return a.hash == b.hash && a.name == b.name; });
  if (twice != entries_.end())
    cursor.refuse(cursor.offset_of(std::next(twice)->name), field,
                  fmt::format("{} is there twice", twice->name));
}

void Names::refuse_conflicts(Cursor& cursor, std::string_view field) {
  refuse_twice(cursor, field);
  // One bit in eight is set: most folders are seen not to be a file without a search.
  std::vector<bool> seen(entries_.size() * 8);
  const auto bit_of = [&](std::uint64_t hash) { return (hash >> 32) * seen.size() >> 32; };
  for (const Entry& entry : entries_) seen[bit_of(entry.hash)] = true;
  for (const Entry& entry : entries_) {
    std::uint64_t hash = start;
    for (std::size_t i = 0; i < entry.name.size(); ++i) {
      // Every slash but a leading one ends the name of a folder.
      if (entry.name[i] == '/' && i > 0 && seen[bit_of(hash)])
        if (const Entry* file = find(hash, entry.name.substr(0, i)))
          cursor.refuse(
              cursor.offset_of(entry.name), field,
              fmt::format("{} needs a folder where {} is a file", entry.name, file->name));
      hash = step(hash, entry.name[i]);
    }
  }
}

}  // namespace kiln::poclbin
