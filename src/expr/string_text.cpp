#include "expr/string_text.hpp"

#include <fmt/format.h>

#include <charconv>

#include "expr/message.hpp"
#include "expr/utf8.hpp"

namespace kiln::expr {
namespace {

/// Control characters and the soft hyphen would be invisible in a message.
bool is_hidden(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0xA0) || code == 0xAD;
}

/// One character as a literal holds it.
void append_escaped(std::string& to, char32_t code, char quote) {
  if (code == '\n') {
    to += "\\n";
  } else if (code == '\r') {
    to += "\\r";
  } else if (code == '\t') {
    to += "\\t";
  } else if (code == '\\' || code == static_cast<unsigned char>(quote)) {
    to += '\\';
    append_character(to, code);
  } else if (is_hidden(code)) {
    to += fmt::format("\\x{:02x}", static_cast<unsigned>(code));
  } else if (code == 0x2028 || code == 0x2029) {  // they end lines where text is displayed
    to += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
  } else {
    append_character(to, code);
  }
}

std::size_t digits_of_escape(char letter) {
  switch (letter) {
    case 'x':
      return 2;
    case 'u':
      return 4;
    case 'U':
      return 8;
    default:
      return 0;
  }
}

/// One of \xHH, \uHHHH, \UHHHHHHHH; `at` stands on the letter.
Expected<char32_t> read_code(std::string_view text, std::size_t& at) {
  const std::size_t digits = digits_of_escape(text[at]);
  const char* const first = text.data() + at + 1;
  std::uint32_t code = 0;
  if (text.size() - at - 1 < digits) return fail_at(at, "the escape lacks digits");
  const auto read = std::from_chars(first, first + digits, code, 16);
  if (read.ec != std::errc{} || read.ptr != first + digits) {
    return fail_at(at,
                   fmt::format("the escape \\{} needs {} hexadecimal digits", text[at], digits));
  }
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
    return fail_at(at, fmt::format("the escape names no character: U+{:04X}", code));
  }
  at += 1 + digits;
  return code;
}

/// `at` stands on the backslash. Python keeps unknown escapes and warns; here they are errors, as
/// a Windows path with \n in it is more likely than a wish for the backslash.
Expected<char32_t> read_escape(std::string_view text, std::size_t& at) {
  if (++at == text.size()) return fail_at(at, "the string does not end");
  if (digits_of_escape(text[at]) > 0) return read_code(text, at);
  constexpr std::string_view letters = "\\'\"nrtabfv0", codes = "\\'\"\n\r\t\a\b\f\v\0";
  static_assert(codes.size() == 10, "the literal ends before its NUL, which is written below");
  const std::size_t which = letters.find(text[at]);
  const bool octal =
      text[at] == '0' && at + 1 < text.size() && text[at + 1] >= '0' && text[at + 1] <= '7';
  if (which == std::string_view::npos || octal) {
    return fail_at(
        at, "unknown escape " + shown(text.substr(at - 1, 2)) +
                "; expected one of \\\\ \\' \\\" \\n \\r \\t \\a \\b \\f \\v \\0 \\x \\u \\U");
  }
  ++at;
  return which < codes.size() ? static_cast<unsigned char>(codes[which]) : U'\0';
}

}  // namespace

std::string string_text(std::string_view value) {
  const bool single =
      value.find('\'') == std::string_view::npos || value.find('"') != std::string_view::npos;
  const char quote = single ? '\'' : '"';
  std::string text(1, quote);
  for (std::size_t byte = 0; byte < value.size();) {
    const Character next = character_at(value, byte);
    if (next.bytes == 0) {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(value[byte]));
    } else {
      append_escaped(text, next.code, quote);
    }
    byte += std::max<std::size_t>(1, next.bytes);
  }
  return text + quote;
}

Expected<std::string> read_string(std::string_view text, std::size_t& at) {
  const std::size_t start = at;
  const char quote = text[at++];
  std::string value;
  while (at < text.size() && text[at] != quote) {
    if (text[at] == '\\') {
      const auto code = read_escape(text, at);
      if (!code) return tl::unexpected(code.error());
      append_character(value, *code);
      continue;
    }
    const Character next = character_at(text, at);
    if (next.bytes == 0) return fail_at(at + 1, "the string is not UTF-8");
    if (next.code == '\n' || next.code == '\r') break;
    value.append(text, at, next.bytes);
    at += next.bytes;
  }
  if (at >= text.size() || text[at] != quote) {
    return fail_at(start + 1, "the string does not end on its line");
  }
  ++at;
  return value;
}

}  // namespace kiln::expr
