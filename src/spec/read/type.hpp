#pragma once

#include <cstddef>
#include <vector>

#include "kiln/spec/file.hpp"

/// Values of a file as the bytes of an OpenCL type; the types themselves are in kiln/spec.hpp.
namespace kiln::spec {

/// The bytes of one kernel argument, as OpenCL lays the type out (a vector of 3 takes the room of
/// 4, the last zero; padding is zero). A structure takes the list of its fields' values, an array
/// in it a list, a structure without fields the list of its bytes. Integers come from
/// floating-point values by cutting off the fraction. Errors, without a place: a value out of the
/// type's range, a list of the wrong length, a text.
Expected<std::vector<std::byte>> to_bytes(const Type& type, const expr::Value& value);

}  // namespace kiln::spec
