#include "base/byte_count.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace kiln {

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

}  // namespace kiln
