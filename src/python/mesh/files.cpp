// Mesh files as NumPy arrays.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "python/mesh/types.hpp"

namespace kiln::python {
namespace {

using mesh::MeshFile;

/// A copy of a list of components, (elements, dim).
py::array array_of(mesh::ScalarType type, const std::vector<std::byte>& bytes, int dim) {
  const auto count = bytes.size() / mesh::size_of(type) / static_cast<std::size_t>(dim);
  return {dtype_of(type), std::vector<std::size_t>{count, static_cast<std::size_t>(dim)},
          bytes.data()};
}

/// {"sets": {name: size}, "maps": {name: (from, to, values)}, "dats": {name: (set, values)},
/// "constants": {name: values}}
py::dict contents_of(const MeshFile& file) {
  py::dict sets, maps, dats, constants;
  for (const auto& set : file.sets) sets[py::str(set.name)] = set.size;
  for (const auto& map : file.maps) {
    const auto arity = static_cast<std::size_t>(map.arity);
    const py::array_t<std::int32_t> values({map.values.size() / arity, arity}, map.values.data());
    maps[py::str(map.name)] = py::make_tuple(map.from, map.to, values);
  }
  for (const auto& dat : file.dats)
    dats[py::str(dat.name)] = py::make_tuple(dat.set, array_of(dat.type, dat.bytes, dat.dim));
  for (const auto& constant : file.constants)
    constants[py::str(constant.name)] =
        array_of(constant.type, constant.bytes, constant.dim)[py::int_(0)];
  py::dict all;
  all["sets"] = sets;
  all["maps"] = maps;
  all["dats"] = dats;
  all["constants"] = constants;
  return all;
}

/// In C order, whatever the strides of the array are.
std::vector<std::byte> bytes_of(const py::array& values) {
  const auto packed = py::array::ensure(values, py::array::c_style);
  if (!packed) throw py::error_already_set();
  const auto* begin = static_cast<const std::byte*>(packed.data());
  return {begin, begin + packed.nbytes()};
}

/// Of an element: all axes but the first.
int components_of(const py::array& values) {
  int components = 1;
  for (py::ssize_t axis = 1; axis < values.ndim(); ++axis)
    components *= static_cast<int>(values.shape(axis));
  return components;
}

MeshFile file_of(const py::dict& contents) {
  MeshFile file;
  for (const auto& [name, size] : contents["sets"].cast<py::dict>())
    file.sets.push_back({name.cast<std::string>(), size.cast<std::int64_t>()});
  for (const auto& [name, map] : contents["maps"].cast<py::dict>()) {
    const auto [from, to, values] = map.cast<std::tuple<std::string, std::string, Indices>>();
    file.maps.push_back({name.cast<std::string>(),
                         from,
                         to,
                         components_of(values),
                         {values.data(), values.data() + values.size()}});
  }
  for (const auto& [name, dat] : contents["dats"].cast<py::dict>()) {
    const auto [set, values] = dat.cast<std::pair<std::string, py::array>>();
    file.dats.push_back({name.cast<std::string>(), set, components_of(values),
                         scalar_type_of(values.dtype()), bytes_of(values)});
  }
  for (const auto& [name, constant] : contents["constants"].cast<py::dict>()) {
    const auto values = constant.cast<py::array>();
    file.constants.push_back({name.cast<std::string>(), scalar_type_of(values.dtype()),
                              static_cast<int>(values.size()), bytes_of(values)});
  }
  return file;
}

}  // namespace

void bind_files(py::module_& module) {
  module.def("read_file",
             [](const std::filesystem::path& path) { return contents_of(MeshFile::read(path)); });
  module.def("naca0012", [](std::int64_t along, std::int64_t out, bool for_aero) {
    mesh::Naca0012 recipe;
    recipe.along = along;
    recipe.out = out;
    if (for_aero) recipe.variant = mesh::Naca0012::Variant::aero;
    return contents_of(MeshFile::make(recipe));
  });
  module.def("write_file", [](const py::dict& contents, const std::filesystem::path& path) {
    file_of(contents).write(path);
  });
  module.def("write_vtu", [](const py::dict& contents, const std::filesystem::path& path,
                             const std::string& coordinates, const std::string& cells,
                             const std::vector<std::string>& dats) {
    file_of(contents).write_vtu(path, {coordinates, cells, dats});
  });
}

}  // namespace kiln::python
