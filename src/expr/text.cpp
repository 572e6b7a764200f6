#include "expr/text.hpp"

#include <fmt/format.h>
#include <locale.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace kiln::expr {
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

namespace {

std::string shortest(double value, std::chars_format format) {
  std::array<char, 400> buffer;  // the longest fixed form asked for here has 24 characters
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format);
  return {buffer.data(), end.ptr};
}

}  // namespace

int exponent_of(const std::string& scientific) {
  const std::size_t e = scientific.find('e');
  const std::size_t digits = e + (scientific[e + 1] == '+' ? 2 : 1);
  int exponent = 0;
  std::from_chars(scientific.data() + digits, scientific.data() + scientific.size(), exponent);
  return exponent;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::string text = shortest(value, std::chars_format::scientific);
  // Where Python changes to an exponent; to_chars alone would pick whichever is shorter.
  const int exponent = exponent_of(text);
  if (exponent < -4 || exponent >= 16) return text;
  text = shortest(value, std::chars_format::fixed);
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

bool read_number(std::string_view text, double& value) {
  // from_chars also takes "inf", "nan" and a minus sign.
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string_view::npos ||
      text.front() == '-') {
    return false;
  }
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ptr != text.data() + text.size()) return false;
  if (read.ec == std::errc::result_out_of_range) {
    // Above the range or below it: from_chars does not tell.
    static const locale_t classic = ::newlocale(LC_ALL_MASK, "C", nullptr);
    const bool huge = ::strtod_l(std::string(text).c_str(), nullptr, classic) > 1;
    value = huge ? std::numeric_limits<double>::infinity() : 0.0;
    return true;
  }
  return read.ec == std::errc{};
}

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

namespace {

std::string listed(const std::vector<std::string>& known) {
  constexpr std::size_t few = 8;
  if (known.empty() || known.size() > few) return "";
  std::string text = "; known:";
  for (const std::string& word : known)
    text += (&word == &known.front() ? " " : ", ") + shown(word);
  return text;
}

}  // namespace

std::string suggestion(std::string_view unknown, const std::vector<std::string>& known) {
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const std::string guess = did_you_mean(unknown, candidates);
  return guess.empty() ? listed(known) : guess;
}

}  // namespace kiln::expr
