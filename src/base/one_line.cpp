#include "base/one_line.hpp"

#include <array>
#include <cstdint>

namespace kiln {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

/// The first character of a UTF-8 text, by RFC 3629: no overlong forms, no surrogates.
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0x7fu >> bytes);
  for (std::size_t at = 1; at < bytes; ++at) {
    if ((byte(at) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(at) & 0x3fu);
  }
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return {code, bytes, code >= least[bytes] && code <= 0x10ffff && !surrogate};
}

/// Control characters of both sets, line separators, and marks, embeddings and isolates of the
/// direction of writing.
bool is_obeyed(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c ||
         (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

void append_hex(std::string& out, std::string_view sign, std::uint32_t value, int digits) {
  out += sign;
  while (digits-- > 0) out += "0123456789abcdef"[value >> (4 * digits) & 0xf];
}

std::string escaped(std::string_view text, bool lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character next = first_of(text);
    const std::size_t bytes = next.valid ? next.bytes : 1;
    if (!next.valid)
      append_hex(out, "\\x", static_cast<std::uint8_t>(text.front()), 2);
    else if (!is_obeyed(next.code) || (lines && (next.code == '\n' || next.code == '\t')))
      out += text.substr(0, bytes);
    else if (next.code == '\n')
      out += "\\n";
    else if (next.code < 0x80)
      append_hex(out, "\\x", next.code, 2);
    else
      append_hex(out, "\\u", next.code, 4);
    text.remove_prefix(bytes);
  }
  return out;
}

}  // namespace

std::string one_line(std::string_view text) { return escaped(text, false); }

std::string visible_text(std::string_view text) { return escaped(text, true); }

}  // namespace kiln
