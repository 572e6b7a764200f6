#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace kiln::mesh {

/// How a loop uses an argument.
enum class Access : std::uint8_t {
  read,   ///< only read
  write,  ///< only written, every component of every element that the loop touches
  rw,     ///< read and written
  inc,    ///< added to; the kernel gets zeros and what it leaves is added
  min,    ///< Globals only: the least of what the Global had and each call of the kernel leaves
  max,    ///< Globals only: the greatest
};

/// What an argument of a loop is about.
enum class ArgKind : std::uint8_t { dat, global, mat };

/// The type of one component, as OpenCL C has it: char, uchar, short, ushort, int, uint, long,
/// ulong, float, double.
enum class ScalarType : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64 };

/// Bytes of one component.
constexpr std::size_t size_of(ScalarType type) {
  constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}
constexpr bool is_floating(ScalarType type) { return type >= ScalarType::f32; }

/// "READ", "WRITE", "RW", "INC", "MIN", "MAX".
constexpr std::string_view name_of(Access access) {
  constexpr std::string_view names[] = {"READ", "WRITE", "RW", "INC", "MIN", "MAX"};
  return names[static_cast<std::size_t>(access)];
}
/// The type's name in OpenCL C.
constexpr std::string_view name_of(ScalarType type) {
  constexpr std::string_view names[] = {"char", "uchar", "short", "ushort", "int",
                                        "uint", "long",  "ulong", "float",  "double"};
  return names[static_cast<std::size_t>(type)];
}

/// The names that loops are written with.
inline constexpr Access READ = Access::read, WRITE = Access::write, RW = Access::rw,
                        INC = Access::inc, MIN = Access::min, MAX = Access::max;

/// The ScalarType of a C++ type.
template <class T>
constexpr ScalarType scalar_type_of() {
  static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8);
  if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? ScalarType::f32 : ScalarType::f64;
  } else {
    constexpr int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 2 : sizeof(T) == 4 ? 4 : 6;
    return static_cast<ScalarType>(width + (std::is_signed_v<T> ? 0 : 1));
  }
}

/// Where the components of an element lie: together, or each in an array of its own.
enum class DataLayout : std::uint8_t { aos, soa };

}  // namespace kiln::mesh
