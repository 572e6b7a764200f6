// Numbers and bytes as text: decimals and base64.
#include "mesh/io/encoding.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

namespace kiln::mesh {
namespace {

constexpr char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The number's millionths, to the nearest integer, where double precision can tell which that is:
/// for small numbers that are not close to the middle between two. The product's error is half a
/// unit in its last place, 2^-24 at most here; closer to a tie than that nothing is said.
std::optional<std::int64_t> millionths(double magnitude) {
  constexpr double largest = 1 << 28;
  constexpr double close = 1.0 / (1 << 20);
  const double scaled = magnitude * 1e6;
  if (!(scaled < largest)) return std::nullopt;
  const double floor = std::floor(scaled);
  const double part = scaled - floor;
  if (std::fabs(part - 0.5) < close) return std::nullopt;
  return static_cast<std::int64_t>(floor) + (part > 0.5 ? 1 : 0);
}

}  // namespace

char* write_decimals(char* to, double value) {
  const auto all = millionths(std::fabs(value));
  if (!all) return std::to_chars(to, to + longest_decimals, value, std::chars_format::fixed, 6).ptr;
  if (std::signbit(value)) *to++ = '-';
  to = std::to_chars(to, to + longest_decimals, *all / 1'000'000).ptr;
  *to = '.';
  std::int64_t rest = *all % 1'000'000;
  for (int digit = 6; digit > 0; --digit, rest /= 10)
    to[digit] = static_cast<char>('0' + rest % 10);
  return to + 7;
}

double rounded_to_decimals(double value) {
  // Both integers are exact, so their quotient is the double nearest to the decimal number,
  // which is what reading its text gives.
  if (const auto all = millionths(std::fabs(value)))
    return std::copysign(static_cast<double>(*all) / 1e6, value);
  char text[longest_decimals];
  const char* end = write_decimals(text, value);
  double read = value;
  std::from_chars(text, end, read);
  return read;
}

void Base64::add_group(unsigned group, int letters) {
  const std::size_t at = out_.size();
  out_.resize(at + 4, std::byte{'='});
  for (int k = 0; k < letters; ++k)
    out_[at + static_cast<std::size_t>(k)] =
        static_cast<std::byte>(alphabet[(group >> (18 - 6 * k)) & 63]);
}

void Base64::add(ByteView bytes) {
  out_.reserve(out_.size() + bytes.size() / 3 * 4 + 8);
  for (const std::byte byte : bytes) {
    group_ = group_ << 8 | static_cast<unsigned>(byte);
    if (++held_ < 3) continue;
    add_group(group_, 4);
    group_ = 0;
    held_ = 0;
  }
}

void Base64::finish() {
  if (held_ > 0) add_group(group_ << (8 * (3 - held_)), held_ + 1);
  group_ = 0;
  held_ = 0;
}

}  // namespace kiln::mesh
