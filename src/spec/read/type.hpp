#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kiln/spec/file.hpp"

/// Values of a file as the bytes of an OpenCL type; the types themselves are in kiln/spec.hpp.
namespace kiln::spec {

/// Calls `use` with a number of a scalar's C++ type, for code that is one template over the types.
template <class Use>
auto with_number(Scalar scalar, Use use) {
  switch (scalar) {
    case Scalar::i8:
      return use(std::int8_t{});
    case Scalar::u8:
      return use(std::uint8_t{});
    case Scalar::i16:
      return use(std::int16_t{});
    case Scalar::u16:
      return use(std::uint16_t{});
    case Scalar::i32:
      return use(std::int32_t{});
    case Scalar::u32:
      return use(std::uint32_t{});
    case Scalar::i64:
      return use(std::int64_t{});
    case Scalar::u64:
      return use(std::uint64_t{});
    case Scalar::f32:
      return use(float{});
    case Scalar::f64:
      break;
  }
  return use(double{});
}

/// The bytes of one kernel argument, as OpenCL lays the type out (a vector of 3 takes the room of
/// 4, the last zero; padding is zero). A structure takes the list of its fields' values, an array
/// in it a list, a structure without fields the list of its bytes. Integers come from
/// floating-point values by cutting off the fraction. Errors, without a place: a value out of the
/// type's range, a list of the wrong length, a text.
Expected<std::vector<std::byte>> to_bytes(const Type& type, const expr::Value& value);

}  // namespace kiln::spec
