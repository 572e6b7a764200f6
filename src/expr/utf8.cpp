#include "expr/utf8.hpp"

#include <algorithm>

namespace kiln::expr {
namespace {

/// Bytes of the character that a byte starts; 0 for one that starts none.
std::size_t length_from(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;  // C0 and C1 could only start overlong forms
  if (first >= 0xE0 && first < 0xF0) return 3;
  if (first >= 0xF0 && first < 0xF5) return 4;
  return 0;
}

/// The checks that the first byte cannot make: overlong forms, surrogates, past the last plane.
bool is_allowed(char32_t code, std::size_t bytes) {
  if (bytes == 3) return code >= 0x800 && (code < 0xD800 || code > 0xDFFF);
  if (bytes == 4) return code >= 0x10000 && code <= 0x10FFFF;
  return true;
}

}  // namespace

Character character_at(std::string_view text, std::size_t byte) {
  const auto first = static_cast<unsigned char>(text[byte]);
  const std::size_t bytes = length_from(first);
  if (bytes == 0 || text.size() - byte < bytes) return {};
  char32_t code = bytes == 1 ? first : first & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[byte + i]);
    if ((next & 0xC0) != 0x80) return {};
    code = (code << 6) | (next & 0x3Fu);
  }
  return is_allowed(code, bytes) ? Character{code, bytes} : Character{};
}

void append_character(std::string& to, char32_t code) {
  const auto put = [&to](char32_t byte) { to += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | (code >> 6));
  } else {
    if (code < 0x10000) {
      put(0xE0 | (code >> 12));
    } else {
      put(0xF0 | (code >> 18));
      put(0x80 | ((code >> 12) & 0x3F));
    }
    put(0x80 | ((code >> 6) & 0x3F));
  }
  put(0x80 | (code & 0x3F));
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t byte = 0; byte < text.size(); ++count) {
    byte += std::max<std::size_t>(1, character_at(text, byte).bytes);
  }
  return count;
}

std::string_view nth_character(std::string_view text, std::size_t position) {
  for (std::size_t byte = 0; byte < text.size(); --position) {
    const std::size_t bytes = std::max<std::size_t>(1, character_at(text, byte).bytes);
    if (position == 0) return text.substr(byte, bytes);
    byte += bytes;
  }
  return {};
}

}  // namespace kiln::expr
