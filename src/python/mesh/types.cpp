#include "python/mesh/types.hpp"

namespace kiln::python {

mesh::ScalarType scalar_type_of(const py::dtype& type) {
  using mesh::ScalarType;
  const auto refuse = [&] {
    return Error(Errc::bad_input, "found elements of type " +
                                      py::str(py::object(type)).cast<std::string>() +
                                      ", expected integers of 1 to 8 bytes, float32 or float64");
  };
  const auto size = type.itemsize();
  const int width = size == 1 ? 0 : size == 2 ? 2 : size == 4 ? 4 : size == 8 ? 6 : -1;
  if (width < 0 || !type.attr("isnative").cast<bool>()) throw refuse();
  switch (type.kind()) {
    case 'i':
      return static_cast<ScalarType>(width);
    case 'u':
      return static_cast<ScalarType>(width + 1);
    case 'f':
      if (size == 4) return ScalarType::f32;
      if (size == 8) return ScalarType::f64;
      break;
    default:
      break;
  }
  throw refuse();
}

py::dtype dtype_of(mesh::ScalarType type) {
  constexpr const char* codes[] = {"i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"};
  return py::dtype(codes[static_cast<std::size_t>(type)]);
}

mesh::Number number_of(const py::handle& object) {
  if (PyIndex_Check(object.ptr()) != 0) return object.cast<std::int64_t>();
  return object.cast<double>();
}

}  // namespace kiln::python
