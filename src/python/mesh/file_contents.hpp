#pragma once

#include <pybind11/stl.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "python/mesh/types.hpp"

/// Mesh files as NumPy arrays: {"sets": {name: rows}, "maps": {name: (from, to, values)}, "dats":
/// {name: (set, values)}, "constants": {name: values}}; values have a row for each element. `File`:
/// mesh::MeshFile, or mpi::MeshFileBlock, whose rows are those of a rank.
namespace kiln::python {

/// A copy of a list of components, (elements, dim).
inline py::array array_of(mesh::ScalarType type, const std::vector<std::byte>& bytes, int dim) {
  const auto count = bytes.size() / mesh::size_of(type) / static_cast<std::size_t>(dim);
  return {dtype_of(type), std::vector<std::size_t>{count, static_cast<std::size_t>(dim)},
          bytes.data()};
}

/// In C order, whatever the strides of the array are.
inline std::vector<std::byte> bytes_of(const py::array& values) {
  const auto packed = py::array::ensure(values, py::array::c_style);
  if (!packed) throw py::error_already_set();
  const auto* begin = static_cast<const std::byte*>(packed.data());
  return {begin, begin + packed.nbytes()};
}

/// Of an element: all axes but the first.
inline int components_of(const py::array& values) {
  int components = 1;
  for (py::ssize_t axis = 1; axis < values.ndim(); ++axis)
    components *= static_cast<int>(values.shape(axis));
  return components;
}

/// `rows_of`: of one of the file's sets.
template <class File, class RowsOf>
py::dict contents_of(const File& file, RowsOf rows_of) {
  py::dict sets, maps, dats, constants;
  for (const auto& set : file.sets) sets[py::str(set.name)] = rows_of(set);
  for (const auto& map : file.maps) {
    using Index = typename std::decay_t<decltype(map.values)>::value_type;
    const auto arity = static_cast<std::size_t>(map.arity);
    const py::array_t<Index> values({map.values.size() / arity, arity}, map.values.data());
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

/// Calls `take` with each name and value of one of the parts.
template <class Take>
void each_of(const py::dict& contents, const char* part, Take take) {
  const auto values = contents[part].cast<py::dict>();
  for (const std::pair<py::handle, py::handle> entry : values)
    take(entry.first.cast<std::string>(), entry.second);
}

/// `set_of`: one of the file's sets, from its name and its rows.
template <class File, class SetOf>
File file_of(const py::dict& contents, SetOf set_of) {
  File file;
  using Index = typename decltype(file.maps[0].values)::value_type;
  using Targets = py::array_t<Index, py::array::c_style | py::array::forcecast>;
  using MapParts = std::tuple<std::string, std::string, Targets>;
  each_of(contents, "sets", [&](const std::string& name, py::handle rows) {
    file.sets.push_back(set_of(name, rows.cast<std::int64_t>()));
  });
  each_of(contents, "maps", [&](const std::string& name, py::handle map) {
    const auto [from, to, values] = map.cast<MapParts>();
    const Index* first = values.data();
    file.maps.push_back({name, from, to, components_of(values), {first, first + values.size()}});
  });
  each_of(contents, "dats", [&](const std::string& name, py::handle dat) {
    const auto [set, values] = dat.cast<std::pair<std::string, py::array>>();
    file.dats.push_back(
        {name, set, components_of(values), scalar_type_of(values.dtype()), bytes_of(values)});
  });
  each_of(contents, "constants", [&](const std::string& name, py::handle constant) {
    const auto values = constant.cast<py::array>();
    file.constants.push_back(
        {name, scalar_type_of(values.dtype()), static_cast<int>(values.size()), bytes_of(values)});
  });
  return file;
}

}  // namespace kiln::python
