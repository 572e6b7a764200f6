// Numbers and bytes as text: decimals and base64.
#include <sodium.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

#include "mesh/io/mesh_io.hpp"

namespace kiln::mesh {
namespace {

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

void append_base64(Bytes& out, ByteView bytes) {
  constexpr int padded = sodium_base64_VARIANT_ORIGINAL;
  const std::size_t at = out.size();
  const std::size_t length = sodium_base64_encoded_len(bytes.size(), padded);
  out.resize(at + length);
  sodium_bin2base64(reinterpret_cast<char*>(out.data() + at), length,
                    reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), padded);
  out.pop_back();  // the zero that it ends a C string with
}

}  // namespace kiln::mesh
