#include "expr/message.hpp"

#include <algorithm>

#include "expr/string_text.hpp"
#include "expr/utf8.hpp"

namespace kiln::expr {

std::string shown(std::string_view text) {
  constexpr std::size_t enough = 40;
  if (text.size() <= enough) return string_text(text);
  // Cut between characters: half of one would show as an escaped byte.
  std::size_t end = 0;
  while (end < enough) end += std::max<std::size_t>(1, character_at(text, end).bytes);
  std::string start = string_text(text.substr(0, end));
  start.insert(start.size() - 1, "…");
  return start;
}

}  // namespace kiln::expr
