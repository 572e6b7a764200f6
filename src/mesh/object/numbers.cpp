#include "mesh/object/numbers.hpp"

#include <cmath>
#include <cstring>

namespace kiln::mesh {
namespace {

template <class T>
std::ptrdiff_t first_nan_of(const std::byte* values, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    T number;  // who asks may have any bytes: no alignment is taken for granted
    std::memcpy(&number, values + k * sizeof(T), sizeof(T));
    if (std::isnan(number)) return static_cast<std::ptrdiff_t>(k);
  }
  return -1;
}

}  // namespace

std::ptrdiff_t first_nan(ScalarType type, const std::byte* values, std::size_t count) {
  if (type == ScalarType::f64) return first_nan_of<double>(values, count);
  if (type == ScalarType::f32) return first_nan_of<float>(values, count);
  return -1;
}

}  // namespace kiln::mesh
