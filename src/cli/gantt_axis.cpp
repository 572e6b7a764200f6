#include "cli/gantt_axis.hpp"

#include <fmt/format.h>

#include <array>

namespace kiln::cli {
namespace {

struct Unit {
  std::int64_t ns;
  int digits;  ///< decimals that tell one nanosecond
  const char* name;
};

const Unit& unit_for(std::int64_t ns) {
  static constexpr std::array units{Unit{1'000'000'000, 9, "s"}, Unit{1'000'000, 6, "ms"},
                                    Unit{1'000, 3, "µs"}, Unit{1, 0, "ns"}};
  for (const auto& unit : units)
    if (ns >= unit.ns) return unit;
  return units.back();
}

}  // namespace

std::int64_t tick_step(std::int64_t length_ns, int most) {
  std::int64_t power = 1;
  while (true) {
    for (const std::int64_t factor : {1, 2, 5})
      if (length_ns / (factor * power) < most) return factor * power;
    power *= 10;
  }
}

std::vector<Tick> ticks(const Window& window, int most) {
  const std::int64_t step = tick_step(window.length(), most);
  const Unit& unit = unit_for(window.to_ns);
  int decimals = unit.digits;
  for (std::int64_t rest = step; decimals > 0 && rest % 10 == 0; rest /= 10) --decimals;
  std::vector<Tick> result;
  for (std::int64_t ns = (window.from_ns + step - 1) / step * step; ns <= window.to_ns; ns += step)
    result.push_back(
        {ns, ns == 0
                 ? "0"
                 : fmt::format("{:.{}f} {}", static_cast<double>(ns) / static_cast<double>(unit.ns),
                               decimals, unit.name)});
  return result;
}

}  // namespace kiln::cli
