#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// UTF-8, as far as strings of expressions need it.
namespace kiln::expr {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;  ///< 0: what stands there is not UTF-8
};

/// The character that starts at a byte of the text. Refuses overlong forms and surrogates.
Character character_at(std::string_view text, std::size_t byte);
/// Appends one code point, which must not be a surrogate nor above 0x10FFFF.
void append_character(std::string& to, char32_t code);
/// Number of characters; a byte that is not UTF-8 counts as one.
std::size_t count_characters(std::string_view text);
/// The character at a position counted in characters; empty past the end.
std::string_view nth_character(std::string_view text, std::size_t position);

}  // namespace kiln::expr
