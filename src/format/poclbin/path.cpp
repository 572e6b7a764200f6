#include "format/poclbin/path.hpp"

#include <algorithm>
#include <cstdint>

namespace kiln::poclbin {
namespace {

/// Bytes of the well-formed, printable UTF-8 sequence at the front of `text`, or 0.
std::size_t printable_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return byte(0) >= 0x20 && byte(0) != 0x7f ? 1 : 0;
  const std::size_t size = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < size) return 0;
  std::uint32_t code = byte(0) & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  static constexpr std::uint32_t smallest[] = {0, 0, 0xa0, 0x800, 0x10000};  // from 0xa0: no C1
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code >= smallest[size] && code <= 0x10ffff && !surrogate ? size : 0;
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

}  // namespace kiln::poclbin
