#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spec/run/arrays.hpp"
#include "spec/run/structure.hpp"

namespace kiln::spec {
namespace {

template <class T>
bool equal(T a, T b, double rtol, double atol) {
  if (atol > 0 && std::abs(static_cast<double>(a) - static_cast<double>(b)) <= atol) return true;
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (a == b) return true;  // infinities, too
    return std::abs(static_cast<double>(a) - static_cast<double>(b)) <=
           rtol * std::max(std::abs(static_cast<double>(a)), std::abs(static_cast<double>(b)));
  } else {
    return a == b;
  }
}

template <class T>
T load(ByteView from, std::size_t at) {
  T value;
  std::memcpy(&value, from.data() + at, sizeof value);
  return value;
}

std::string lane_text(const Type& type, std::size_t lane) {
  if (type.is_struct()) return fmt::format(", byte {}", lane);
  return type.width == 1 ? std::string() : fmt::format(", lane {}", lane);
}

template <class T>
std::string scan(const Type& type, const std::vector<ByteView>& expected, ByteView actual,
                 double rtol, double atol) {
  std::size_t different = 0;
  std::string first;
  for (std::size_t at = 0; at + sizeof(T) <= actual.size(); at += sizeof(T)) {
    const T found = load<T>(actual, at);
    if (std::any_of(expected.begin(), expected.end(),
                    [&](ByteView wanted) { return equal(load<T>(wanted, at), found, rtol, atol); }))
      continue;
    if (different++ == 0)
      first = fmt::format("element {}{}: {} instead of {}", at / type.bytes(),
                          lane_text(type, at % type.bytes() / sizeof(T)), found,
                          load<T>(expected.front(), at));
  }
  if (different > 1) first += fmt::format(", and {} more", different - 1);
  return first;
}

/// Member by member, so that padding, which nobody writes on purpose, is not looked at.
std::string first_stranger_in_structs(const Type& type, const std::vector<StructLeaf>& leaves,
                                      const std::vector<ByteView>& expected, ByteView actual,
                                      double rtol, double atol) {
  for (const auto& leaf : leaves) {
    std::vector<Bytes> columns;
    for (const auto& wanted : expected) columns.push_back(gather(wanted, type.bytes(), leaf));
    const Bytes found = gather(actual, type.bytes(), leaf);
    const std::vector<ByteView> views(columns.begin(), columns.end());
    const auto text = first_stranger(leaf.type, views, found, rtol, atol);
    if (!text.empty()) return leaf.path + ", " + text;
  }
  return "";
}

}  // namespace

std::string first_difference(const Type& type, ByteView expected, ByteView actual, double rtol,
                             double atol) {
  return first_stranger(type, {expected}, actual, rtol, atol);
}

std::string first_stranger(const Type& type, const std::vector<ByteView>& expected, ByteView actual,
                           double rtol, double atol) {
  for (const auto& wanted : expected) {
    if (wanted.size() != actual.size()) return "the sizes differ";
    // The common case is equality to the bit, and that is one pass at memory speed.
    if (std::memcmp(wanted.data(), actual.data(), actual.size()) == 0) return "";
  }
  if (const auto leaves = leaves_of(type); !leaves.empty())
    return first_stranger_in_structs(type, leaves, expected, actual, rtol, atol);
  switch (type.scalar) {
    case Scalar::i8:
      return scan<std::int8_t>(type, expected, actual, rtol, atol);
    case Scalar::u8:
      return scan<std::uint8_t>(type, expected, actual, rtol, atol);
    case Scalar::i16:
      return scan<std::int16_t>(type, expected, actual, rtol, atol);
    case Scalar::u16:
      return scan<std::uint16_t>(type, expected, actual, rtol, atol);
    case Scalar::i32:
      return scan<std::int32_t>(type, expected, actual, rtol, atol);
    case Scalar::u32:
      return scan<std::uint32_t>(type, expected, actual, rtol, atol);
    case Scalar::i64:
      return scan<std::int64_t>(type, expected, actual, rtol, atol);
    case Scalar::u64:
      return scan<std::uint64_t>(type, expected, actual, rtol, atol);
    case Scalar::f32:
      return scan<float>(type, expected, actual, rtol, atol);
    case Scalar::f64:
      return scan<double>(type, expected, actual, rtol, atol);
  }
  return "";
}

}  // namespace kiln::spec
