#include "cli/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text.hpp"

namespace kiln::cli {
namespace {

tl::unexpected<Error> mismatch(std::string_view found, std::string_view expected) {
  return fail(Errc::bad_input, fmt::format("found '{}', expected {}", found, expected));
}

enum class Parsed { good, bad, out_of_range };

template <class T>
Parsed parse_whole(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return Parsed::bad;
  return error == std::errc() ? Parsed::good : Parsed::out_of_range;
}

}  // namespace

Expected<std::int64_t> to_integer(const Option& option, const std::string& text) {
  std::int64_t value = 0;
  const Parsed parsed = parse_whole(text, value);
  if (parsed == Parsed::out_of_range && !text.starts_with('-'))
    return mismatch(
        text, fmt::format("an integer of at most {}", std::numeric_limits<std::int64_t>::max()));
  if (parsed != Parsed::good || static_cast<double>(value) < option.least)
    return mismatch(text, fmt::format("an integer of at least {}", option.least));
  return value;
}

Expected<double> to_number(const Option& option, const std::string& text) {
  double value = 0;
  if (parse_whole(text, value) != Parsed::good || !std::isfinite(value) || value < option.least)
    return mismatch(text, fmt::format("a number of at least {}", option.least));
  return value;
}

Expected<bool> to_flag(const std::string& text) {
  for (const char* word : {"true", "yes", "on", "1"})
    if (text == word) return true;
  for (const char* word : {"false", "no", "off", "0"})
    if (text == word) return false;
  return mismatch(text, "true or false");
}

Expected<std::pair<std::string, std::string>> to_assignment(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
    return mismatch(text, "NAME=VALUE");
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

namespace {

Expected<void> check_choice(const Option& option, const std::string& text) {
  if (std::find(option.choices.begin(), option.choices.end(), text) != option.choices.end())
    return {};
  return mismatch(text, fmt::format("one of {}{}", fmt::join(option.choices, ", "),
                                    did_you_mean(text, option.choices)));
}

template <class T>
Expected<void> only_error(Expected<T> result) {
  if (!result) return tl::unexpected(std::move(result).error());
  return {};
}

}  // namespace

Expected<void> check_value(const Option& option, const std::string& text) {
  switch (option.kind) {
    case Kind::flag:
      return only_error(to_flag(text));
    case Kind::integer:
      return only_error(to_integer(option, text));
    case Kind::number:
      return only_error(to_number(option, text));
    case Kind::choice:
      return check_choice(option, text);
    case Kind::assignment:
      return only_error(to_assignment(text));
    case Kind::file_assignment: {
      if (to_assignment(text)) return {};
      return mismatch(text, option.value_name);
    }
    case Kind::text:
    case Kind::file:
    case Kind::folder:
      break;
  }
  if (text.empty()) return mismatch(text, option.value_name);
  return {};
}

}  // namespace kiln::cli
