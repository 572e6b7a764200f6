#include "cli/profile/markup.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/data/text.hpp"

namespace kiln::cli::profile {

std::string as_markup(std::string_view text) {
  std::string made;
  for (const char c : one_line(text)) switch (c) {
      case '&':
        made += "&amp;";
        break;
      case '<':
        made += "&lt;";
        break;
      case '>':
        made += "&gt;";
        break;
      case '"':
        made += "&quot;";
        break;
      default:
        made += c;
    }
  return made;
}

namespace {

/// Three digits: "1.23", "45.6", "789".
std::string digits(double value) {
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

}  // namespace

std::string with_prefix(double value) {
  if (!std::isfinite(value) || value <= 0) return "0 ";
  constexpr std::string_view prefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t at = 0;
  while (value >= 999.5 && at + 1 < std::size(prefixes)) value /= 1000, ++at;
  return fmt::format("{} {}", digits(value), prefixes[at]);
}

std::string time_markup(double ns) {
  if (ns <= 0) return "0";
  if (ns < 999.5) return fmt::format("{:.0f} ns", ns);
  if (ns < 999.5e3) return digits(ns / 1e3) + " µs";
  return ns < 999.5e6 ? digits(ns / 1e6) + " ms" : digits(ns / 1e9) + " s";
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

}  // namespace kiln::cli::profile
