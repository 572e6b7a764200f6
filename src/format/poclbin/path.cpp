#include "format/poclbin/path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/data/text.hpp"

namespace kiln::poclbin {
namespace {

/// Bytes of the well-formed, printable UTF-8 sequence at the front of `text`, or 0.
std::size_t printable_size(std::string_view text) {
  const Character next = character_at(text, 0);
  const bool control = next.code < 0x20 || (next.code >= 0x7f && next.code < 0xa0);
  return control ? 0 : next.bytes;
}

}  // namespace

const char* component_problem(std::string_view name, std::size_t longest) {
  if (name.empty()) return "an empty component";
  if (name == "." || name == "..") return "a component that is . or ..";
  if (name.size() > longest) return "a component of more than 255 bytes";
  while (!name.empty()) {
    // Nearly all of nearly every name is this: paths are most of what a verification reads.
    const char c = name.front();
    if (c == '/') return "a slash";
    if (c == '\\') return "a backslash";
    const std::size_t size = c >= 0x20 && c < 0x7f ? 1 : printable_size(name);
    if (size == 0) return "a control character or a byte that is not UTF-8";
    name.remove_prefix(size);
  }
  return nullptr;
}

const char* relative_path_problem(std::string_view path) {
  if (path.empty()) return "an empty path";
  if (path.front() == '/') return "a leading slash";
  if (path.size() > longest_path) return "a path of more than 768 bytes";
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    if (const char* problem = component_problem(path.substr(start, end - start))) return problem;
    start = end + 1;
  }
  return nullptr;
}

const char* path_problem(std::string_view path) {
  if (path.empty()) return "an empty path";
  if (path.front() != '/') return "no leading slash";
  if (path.size() > longest_path) return "a path of more than 768 bytes";
  if (path.size() == 1 || path[1] == '/') return "an empty component";
  return relative_path_problem(path.substr(1));
}

std::string_view first_component(std::string_view path) {
  if (!path.empty()) path.remove_prefix(1);
  return path.substr(0, path.find('/'));
}

bool is_folder_of(std::string_view folder, std::string_view kernel, bool clipped_names) {
  if (folder == kernel) return true;
  constexpr std::size_t digest = 40;
  if (!clipped_names || folder.size() <= digest + 1) return false;
  const std::string_view kept = folder.substr(0, folder.size() - digest - 1);
  const std::string_view letters = folder.substr(kept.size() + 1);
  return folder[kept.size()] == '.' && kernel.starts_with(kept) &&
         std::all_of(letters.begin(), letters.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
         });
}

namespace {

// FNV-1a, since the hashes of a path's folders are its intermediate values. An attacker who makes
// names of one hash gains nothing but comparisons: names decide.
constexpr std::uint64_t hash_start = 0xcbf29ce484222325;
constexpr std::uint64_t hash_step(std::uint64_t hash, char letter) {
  return (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
}

std::uint64_t path_hash(std::string_view name) {
  std::uint64_t hash = hash_start;
  for (const char letter : name) hash = hash_step(hash, letter);
  return hash;
}

}  // namespace

void Names::add(std::string_view name) { entries_.push_back({path_hash(name), name}); }

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
    std::uint64_t hash = hash_start;
    for (std::size_t i = 0; i < entry.name.size(); ++i) {
      // Every slash but a leading one ends the name of a folder.
      if (entry.name[i] == '/' && i > 0 && seen[bit_of(hash)])
        if (const Entry* file = find(hash, entry.name.substr(0, i)))
          cursor.refuse(
              cursor.offset_of(entry.name), field,
              fmt::format("{} needs a folder where {} is a file", entry.name, file->name));
      hash = hash_step(hash, entry.name[i]);
    }
  }
}

}  // namespace kiln::poclbin
