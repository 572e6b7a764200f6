#pragma once

#include <pybind11/numpy.h>

#include "kiln/mesh.hpp"
#include "kiln/mesh/file.hpp"
#include "python/core/errors.hpp"

namespace kiln::python {

/// The type of a component. Throws Error: bad_input for types that loops do not have (bool, complex
/// numbers, half, long double, objects, another byte order).
mesh::ScalarType scalar_type_of(const py::dtype& type);
py::dtype dtype_of(mesh::ScalarType type);

/// Calls `work` with a null pointer of the C++ type.
template <class Work>
auto with_scalar(mesh::ScalarType type, Work&& work) {
  switch (type) {
    case mesh::ScalarType::i8:
      return work(static_cast<std::int8_t*>(nullptr));
    case mesh::ScalarType::u8:
      return work(static_cast<std::uint8_t*>(nullptr));
    case mesh::ScalarType::i16:
      return work(static_cast<std::int16_t*>(nullptr));
    case mesh::ScalarType::u16:
      return work(static_cast<std::uint16_t*>(nullptr));
    case mesh::ScalarType::i32:
      return work(static_cast<std::int32_t*>(nullptr));
    case mesh::ScalarType::u32:
      return work(static_cast<std::uint32_t*>(nullptr));
    case mesh::ScalarType::i64:
      return work(static_cast<std::int64_t*>(nullptr));
    case mesh::ScalarType::u64:
      return work(static_cast<std::uint64_t*>(nullptr));
    case mesh::ScalarType::f32:
      return work(static_cast<float*>(nullptr));
    case mesh::ScalarType::f64:
      break;
  }
  return work(static_cast<double*>(nullptr));
}

/// A number of Python or NumPy.
mesh::Number number_of(const py::handle& object);

/// Numbers of one list, as they lie in an array of NumPy that is kept by the caller.
using Indices = py::array_t<std::int32_t, py::array::c_style | py::array::forcecast>;
inline std::span<const std::int32_t> span_of(const Indices& indices) {
  return {indices.data(), static_cast<std::size_t>(indices.size())};
}

void bind_objects(py::module_& module);
void bind_matrices(py::module_& module);
void bind_loops(py::module_& module);
void bind_files(py::module_& module);

/// The class of kiln.op2's Mesh, which other files give methods.
using MeshHandle = std::shared_ptr<mesh::Mesh>;
using MeshClass = py::class_<mesh::Mesh, MeshHandle>;
void bind_mesh(py::module_& module);
void bind_mesh_matrices(MeshClass& mesh);
void bind_distribution(py::module_& module, MeshClass& mesh);

}  // namespace kiln::python
