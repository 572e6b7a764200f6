#include "cli/gantt_text.hpp"

#include <fmt/format.h>

#include <array>

#include "expr/utf8.hpp"

namespace kiln::cli {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// The entity for a character that markup gives a meaning; empty for others.
std::string_view entity(char32_t code) {
  switch (code) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

/// C0 and C1 controls, and those that turn the direction of the text around them.
bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, bytes] = expr::character_at(text, at);
    const std::size_t step = bytes == 0 ? 1 : bytes;
    if (bytes != 0 && (code == '\n' || code == '\r' || code == '\t'))
      result += ' ';
    else if (bytes == 0 || is_control(code))
      result += replacement;
    else if (const auto name = entity(code); !name.empty())
      result += name;
    else
      result += text.substr(at, step);
    at += step;
  }
  return result;
}

std::string shortened(std::string_view text, std::size_t characters) {
  if (expr::count_characters(text) <= characters) return std::string(text);
  if (characters < 4) return {};
  std::size_t bytes = 0;
  for (std::size_t i = 0; i + 1 < characters; ++i)
    bytes += expr::nth_character(text.substr(bytes), 0).size();
  return std::string(text.substr(0, bytes)) + "…";
}

std::string time_text(std::int64_t ns) {
  if (ns <= 0) return "0";
  if (ns < 1000) return fmt::format("{} ns", ns);
  struct Unit {
    double ns;
    const char* name;
  };
  static constexpr std::array units{Unit{1e3, "µs"}, Unit{1e6, "ms"}, Unit{1e9, "s"}};
  std::size_t unit = 0;
  // 999.5 would be written as 1000 of the smaller unit.
  while (unit + 1 < units.size() && static_cast<double>(ns) >= 999.5 * units[unit].ns) ++unit;
  const double value = static_cast<double>(ns) / units[unit].ns;
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, decimals, units[unit].name);
}

std::string percent(double fraction) {
  std::string text = fmt::format("{:.5f}", fraction * 100);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text + "%";
}

}  // namespace kiln::cli
