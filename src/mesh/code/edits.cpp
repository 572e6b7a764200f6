#include "mesh/code/edits.hpp"

#include <algorithm>

namespace kiln::mesh {

std::string edited(std::string_view text, std::uint32_t begin, std::uint32_t end,
                   std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Edit& a, const Edit& b) { return a.at < b.at; });
  std::string result;
  std::uint32_t at = begin;
  const Edit* last = nullptr;
  for (const auto& edit : edits) {
    if (edit.at < at || edit.at + edit.removed > end || edit.at < begin) continue;
    if (last != nullptr && *last == edit) continue;
    result += text.substr(at, edit.at - at);
    result += edit.inserted;
    at = edit.at + edit.removed;
    last = &edit;
  }
  return result += text.substr(at, end - at);
}

}  // namespace kiln::mesh
