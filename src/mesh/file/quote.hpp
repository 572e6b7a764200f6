#pragma once

#include <string>
#include <string_view>

#include "base/text.hpp"

namespace kiln::mesh {

/// A name or a word of a file as messages quote it: short, in one line, between apostrophes.
inline std::string quote(std::string_view text) {
  constexpr std::size_t longest = 60;
  const bool cut = text.size() > longest;
  return "'" + one_line(text.substr(0, longest)) + (cut ? "…'" : "'");
}

}  // namespace kiln::mesh
