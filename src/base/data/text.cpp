#include "base/data/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

namespace kiln {

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

/// Control characters of both sets, line separators, and marks, embeddings and isolates of the
/// direction of writing.
bool is_obeyed(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c ||
         (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

std::string escaped(std::string_view text, bool lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character next = character_at(text, 0);
    const std::size_t bytes = std::max<std::size_t>(1, next.bytes);
    if (next.bytes == 0)
      out += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(text.front()));
    else if (!is_obeyed(next.code) || (lines && (next.code == '\n' || next.code == '\t')))
      out += text.substr(0, bytes);
    else if (next.code == '\n')
      out += "\\n";
    else if (next.code < 0x80)
      out += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(next.code));
    else
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(next.code));
    text.remove_prefix(bytes);
  }
  return out;
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

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = character_at(text, at).bytes;
    if (bytes == 0) return false;
    at += bytes;
  }
  return true;
}

std::string one_line(std::string_view text) { return escaped(text, false); }

std::string shortened(std::string_view text, std::size_t most) {
  // Escaped, it is no shorter: what is behind is never looked at.
  std::string line = one_line(text.substr(0, most + 4));
  if (line.size() <= most && text.size() <= most) return line;
  std::size_t end = std::min(most, line.size());
  while (end > 0 && end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80)
    --end;
  line.resize(end);
  return line + "…";
}

std::string visible_text(std::string_view text) { return escaped(text, true); }

namespace {

tl::unexpected<Error> beyond(std::size_t at, std::string_view what, std::size_t most) {
  return fail(Errc::bad_input, fmt::format("byte {}: found more than {} {}, expected at most {}",
                                           at, most, what, most));
}

/// Behind the text that begins at the quotation mark `at`.
std::size_t end_of_text(std::string_view json, std::size_t at) {
  for (++at; at < json.size(); ++at) {
    if (json[at] == '\\')
      ++at;
    else if (json[at] == '"')
      return at;
  }
  return json.size();
}

}  // namespace

Expected<void> check_json_bounds(std::string_view text, const JsonBounds& bounds) {
  std::size_t values = 1, depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '"':
        at = end_of_text(text, at);
        break;
      case '[':
      case '{':
        if (++depth > bounds.depth) return beyond(at, "levels of nested values", bounds.depth);
        // The first value of a container has no comma before it.
        if (++values > bounds.values) return beyond(at, "values", bounds.values);
        break;
      case ']':
      case '}':
        if (depth > 0) --depth;
        break;
      case ',':
        if (++values > bounds.values) return beyond(at, "values", bounds.values);
        break;
      default:
        break;
    }
  }
  return {};
}

namespace {

// Names come from outside: a longer one is no typing error, and the table of edits would be large.
constexpr std::size_t longest = 64;

/// A third of the letters may be wrong, but never all of them.
std::size_t tolerance(std::string_view name) {
  return std::min(name.size() - 1, std::max<std::size_t>(1, name.size() / 3));
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: the one before the last is needed for swapped neighbours.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates) {
  if (name.empty() || name.size() > longest) return {};
  // The wrong case is the smallest slip of all: W means w rather than h.
  const std::string typed = lower(name);
  std::string_view best;
  std::size_t least = tolerance(name) + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > longest) continue;
    if (const std::size_t distance = edit_distance(typed, lower(candidate)); distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  const std::string_view guess = nearest(name, candidates);
  return guess.empty() ? std::string() : "; did you mean '" + std::string(guess) + "'?";
}

std::string byte_count_text(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes);
  for (const char* unit : {"kB", "MB", "GB", "TB"}) {
    value /= 1000;
    // 999.95 would be printed as 1000.
    if (value < 999.5 || *unit == 'T')
      return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, unit);
  }
  return {};
}

Expected<std::uint64_t> parse_byte_count(std::string_view text) {
  const auto bad = [&] {
    return fail(Errc::bad_input,
                fmt::format("found '{}', expected a number of bytes such as 500M or 2G", text));
  };
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(value) || value < 0) return bad();
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  if (unit.ends_with('B')) unit.remove_suffix(1);
  int power = 0;
  bool binary = false;
  if (!unit.empty()) {
    constexpr std::string_view letters = "kMGT";
    const auto at = letters.find(unit.front() == 'K' ? 'k' : unit.front());
    binary = unit.substr(1) == "i";
    if (at == letters.npos || (unit.size() > 1 && !binary)) return bad();
    power = static_cast<int>(at) + 1;
  }
  const double bytes = value * std::pow(binary ? 1024 : 1000, power);
  if (bytes >= 0x1p63) return bad();
  return static_cast<std::uint64_t>(std::llround(bytes));
}

std::string duration(double ns) {
  if (ns >= 1e9) return fmt::format("{:.3f} s", ns * 1e-9);
  if (ns >= 1e6) return fmt::format("{:.3f} ms", ns * 1e-6);
  return fmt::format("{:.1f} us", ns * 1e-3);
}

}  // namespace kiln
