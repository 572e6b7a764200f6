#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/data/bytes.hpp"
#include "base/expected.hpp"
#include "kiln/error.hpp"
#include "kiln/mesh/types.hpp"

/// What all rooms of meshes use: how they refuse what they are given, and numbers of a type that is
/// known at run time only.
namespace kiln::mesh {

/// Throws bad_input.
template <class... Parts>
[[noreturn]] void refuse(fmt::format_string<Parts...> text, Parts&&... parts) {
  throw Error(Errc::bad_input, fmt::format(text, std::forward<Parts>(parts)...));
}

/// Numbers things in the order in which they are first asked for.
template <class Thing>
class Numbered {
 public:
  int operator()(const Thing& thing) {
    const auto at = std::find(seen_.begin(), seen_.end(), thing);
    if (at == seen_.end()) return seen_.push_back(thing), static_cast<int>(seen_.size()) - 1;
    return static_cast<int>(at - seen_.begin());
  }

 private:
  std::vector<Thing> seen_;
};

/// Calls with a value of the C++ type.
template <class Call>
auto with_type(ScalarType type, Call&& call) {
  switch (type) {
    case ScalarType::i8:
      return call(std::int8_t{});
    case ScalarType::u8:
      return call(std::uint8_t{});
    case ScalarType::i16:
      return call(std::int16_t{});
    case ScalarType::u16:
      return call(std::uint16_t{});
    case ScalarType::i32:
      return call(std::int32_t{});
    case ScalarType::u32:
      return call(std::uint32_t{});
    case ScalarType::i64:
      return call(std::int64_t{});
    case ScalarType::u64:
      return call(std::uint64_t{});
    case ScalarType::f32:
      return call(float{});
    default:
      return call(double{});
  }
}

/// A number as a type has it; the first size_of(type) bytes count.
inline std::array<std::byte, 8> scalar_bytes(ScalarType type, double number) {
  std::array<std::byte, 8> bytes{};
  with_type(type, [&](auto zero) {
    const auto value = static_cast<decltype(zero)>(number);
    std::memcpy(bytes.data(), &value, sizeof value);
  });
  return bytes;
}

}  // namespace kiln::mesh
