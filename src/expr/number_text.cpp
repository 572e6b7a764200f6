#include "expr/number_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace kiln::expr {
namespace {

std::string shortest(double value, std::chars_format format) {
  std::array<char, 400> buffer;  // the longest fixed form asked for here has 24 characters
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format);
  return {buffer.data(), end.ptr};
}

/// Of the form that to_chars writes: a sign always follows the e.
int exponent_of(const std::string& scientific) {
  const std::size_t e = scientific.find('e');
  const std::size_t digits = e + (scientific[e + 1] == '+' ? 2 : 1);
  int exponent = 0;
  std::from_chars(scientific.data() + digits, scientific.data() + scientific.size(), exponent);
  return exponent;
}

/// Whether a number out of a double's range is out of it above: from_chars does not tell.
bool is_huge(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, e);
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  // An exponent that an int cannot hold outweighs any mantissa, so its sign decides alone.
  if (e != std::string_view::npos) {
    const std::size_t sign = text[e + 1] == '+' ? 2 : 1;
    long long exponent = 0;
    const auto read = std::from_chars(text.data() + e + sign, text.data() + text.size(), exponent);
    if (read.ec != std::errc{} || exponent > 100'000'000 || exponent < -100'000'000) {
      return text[e + 1] != '-';
    }
    const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
    return exponent + static_cast<long long>(point) - static_cast<long long>(first) > 0;
  }
  return first < std::min(mantissa.find('.'), mantissa.size());
}

}  // namespace

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
    value = is_huge(text) ? std::numeric_limits<double>::infinity() : 0.0;
    return true;
  }
  return read.ec == std::errc{};
}

}  // namespace kiln::expr
