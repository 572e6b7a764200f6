#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace kiln {

/// The number that a text is, all of it: without blanks, a plus sign, or characters behind it.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace kiln
