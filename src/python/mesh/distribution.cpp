// Meshes in parts: how they are cut, and where their elements are. The module _mpi brings the
// ranks.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "python/mesh/turn.hpp"
#include "python/mesh/types.hpp"

namespace kiln::python {
namespace {

using mesh::Dat;
using mesh::Map;
using mesh::Mesh;
using mesh::Partitioner;
using mesh::Set;
using Numbers = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

/// What is on the host already as an array of Python's own.
template <class T>
py::array_t<T> copy_of(const std::vector<py::ssize_t>& shape, const T* values) {
  return py::array_t<T>(shape, values);
}

/// (elements, arity) of all local elements.
py::array_t<std::int32_t> values_of(const Map& map) {
  const auto values = map.values();
  const auto arity = static_cast<py::ssize_t>(map.arity());
  return copy_of({static_cast<py::ssize_t>(values.size()) / arity, arity}, values.data());
}

/// (rows declared here, arity), by numbers of the whole set.
py::array_t<std::int64_t> fetch_map(const Map& map) {
  const auto values = in_turn([map] { return map.fetch(); });
  const auto arity = static_cast<py::ssize_t>(map.arity());
  return copy_of({static_cast<py::ssize_t>(values.size()) / arity, arity}, values.data());
}

/// (rows declared here, *shape)
py::array fetch_dat(const Dat& dat) {
  const auto bytes = in_turn([dat] { return dat.fetch_bytes(); });
  const auto row = dat.dim() * mesh::size_of(dat.type());
  std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(bytes.size() / row)};
  for (const std::size_t extent : dat.shape()) shape.push_back(static_cast<py::ssize_t>(extent));
  return {dtype_of(dat.type()), shape, bytes.data()};
}

/// The number in the whole set of each local element.
py::array_t<std::int64_t> numbers_of(const Mesh& mesh, const Set& set) {
  return in_turn_now([&] {
    const auto& numbers = mesh.part(set).numbers;
    return copy_of({static_cast<py::ssize_t>(numbers.size())}, numbers.data());
  });
}

Map map_by_numbers(Mesh& mesh, const std::string& name, const Set& from, const Set& to,
                   std::size_t arity, const Numbers& values, const std::optional<Indices>& offsets,
                   std::size_t layers) {
  return in_turn_now([&] {
    const std::span numbers(values.data(), static_cast<std::size_t>(values.size()));
    const auto up = offsets ? span_of(*offsets) : std::span<const std::int32_t>();
    if (layers > 0) return mesh.map(name, from.extruded(layers), to, arity, numbers, up);
    return mesh.map(name, from, to, arity, numbers, up);
  });
}

Partitioner rcb(const Set& primary, const Dat& coordinates, const std::optional<Map>& through) {
  return in_turn_now([&] {
    return through ? mesh::rcb(primary, coordinates, *through) : mesh::rcb(primary, coordinates);
  });
}

}  // namespace

void bind_distribution(py::module_& module, MeshClass& mesh) {
  py::class_<Partitioner>(module, "Partitioner")
      .def_property_readonly("name", [](const Partitioner& self) { return self.name; });
  module.def("sizes_of", [](const Set& set) { return set.sizes(); })
      .def("values_of", &values_of)
      .def("fetch_map", &fetch_map)
      .def("fetch_dat", &fetch_dat)
      .def("exchange_halo", [](Dat& dat) { in_turn([dat]() mutable { dat.exchange_halo(); }); })
      .def("owners",
           [](const Set& primary, const Indices& parts) {
             const auto all = span_of(parts);
             return mesh::owners(primary, {all.begin(), all.end()});
           })
      .def("rcb", &rcb)
      .def("saved_partition", &mesh::saved_partition);
  mesh.def("map_by_numbers", &map_by_numbers, py::keep_alive<0, 1>())
      .def(
          "map_above",
          [](const Mesh&, const Map& map, std::size_t cells) {
            return in_turn_now([&] { return map.above(cells); });
          },
          py::keep_alive<0, 1>())
      .def("partition",
           [](const MeshHandle& self, const Partitioner& by, const std::vector<double>& weights) {
             in_turn([=] { self->partition(by, weights); });
           })
      .def("numbers_of", &numbers_of)
      .def("declared_rows",
           [](const Mesh& self, const Set& set) {
             const auto rows = in_turn_now([&] { return self.declared_rows(set); });
             return std::pair(rows.first, rows.count);
           })
      .def("save_partition",
           [](const MeshHandle& self, const Set& set, const std::filesystem::path& path) {
             in_turn([=] { self->save_partition(set, path); });
           });
}

}  // namespace kiln::python
