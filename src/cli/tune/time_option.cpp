#include "cli/tune/time_option.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "cli/context.hpp"

namespace kiln::cli {

std::chrono::milliseconds time_option(const Context& context, std::string_view option) {
  const std::string& text = context.text(option);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const double milliseconds = unit == "ms"                  ? 1
                              : unit == "s" || unit.empty() ? 1e3
                              : unit == "m"                 ? 60e3
                              : unit == "h"                 ? 3600e3
                                                            : 0;
  constexpr double year = 365.0 * 24 * 3600e3;
  const double time = number * milliseconds;
  if (error != std::errc() || !(time >= 1 && time <= year))
    throw Error(Errc::bad_input,
                fmt::format("--{}: found '{}', expected a time as 90s, 10m or 2h", option, text));
  return std::chrono::milliseconds(std::llround(time));
}

}  // namespace kiln::cli
