// Kernels, arguments and calls of loops.
#include <pybind11/stl.h>

#include "python/mesh/turn.hpp"
#include "python/mesh/types.hpp"

namespace kiln::python {
namespace {

using mesh::Access;
using mesh::Arg;
using mesh::Iteration;
using mesh::MapUse;
using mesh::MixedArg;

/// What an argument does with its Map: no component and no index are -1.
MapUse use_of(const mesh::Map& map, int component, int index) {
  MapUse use = map;
  if (component >= 0) use.component = component;
  if (index >= 0) use.index = index;
  return use;
}

void par_loop(const mesh::Kernel& kernel, const Iteration& over, const py::list& arguments,
              bool is_new) {
  std::vector<Arg> all;
  all.reserve(arguments.size());
  for (const auto argument : arguments) all.push_back(argument.cast<const Arg&>());
  const auto call = [kernel, over, all = std::move(all), uses = Kept(arguments)] {
    mesh::par_loop(kernel, over, std::span<const Arg>(all));
  };
  // A new one is planned and compiled.
  is_new ? in_turn(call) : in_turn_now(call);
}

void par_loop_mixed(const mesh::Kernel& kernel, const Iteration& over,
                    const std::vector<MixedArg>& arguments) {
  in_turn([=] { mesh::par_loop(kernel, over, std::span<const MixedArg>(arguments)); });
}

}  // namespace

void bind_loops(py::module_& module) {
  py::class_<mesh::Kernel>(module, "Kernel").def(py::init<std::string, std::string>());
  py::class_<Iteration>(module, "Iteration")
      .def(py::init<const mesh::Set&>())
      .def(py::init<const mesh::Subset&>())
      .def(py::init([](const mesh::Set& base, std::size_t layers) {
        return Iteration(mesh::ExtrudedSet(base, layers));
      }));
  py::class_<Arg>(module, "Arg");
  py::class_<MixedArg>(module, "MixedArg")
      .def(py::init<const Arg&>())
      .def_static("as_one", [](std::vector<Arg> parts, std::size_t column_parts) {
        return MixedArg::as_one(std::move(parts), column_parts);
      });
  module
      .def(
          "dat_arg",
          [](const mesh::Dat& dat, int access) {
            return mesh::arg(dat, static_cast<Access>(access));
          },
          py::keep_alive<0, 1>())
      .def(
          "indirect_arg",
          [](const mesh::Dat& dat, const mesh::Map& map, int component, int index, int access,
             bool flat) {
            const Arg made =
                mesh::arg(dat, use_of(map, component, index), static_cast<Access>(access));
            return flat ? made.flatten() : made;
          },
          py::keep_alive<0, 1>(), py::keep_alive<0, 2>())
      .def(
          "global_arg",
          [](const mesh::Global& global, int access) {
            return mesh::arg(global, static_cast<Access>(access));
          },
          py::keep_alive<0, 1>())
      .def(
          "mat_arg",
          [](const mesh::Mat& mat, const mesh::Map& rows, int row_index, const mesh::Map& columns,
             int column_index, int access) {
            return mesh::arg(mat, use_of(rows, -1, row_index), use_of(columns, -1, column_index),
                             static_cast<Access>(access));
          },
          py::keep_alive<0, 1>(), py::keep_alive<0, 2>(), py::keep_alive<0, 4>());
  module.def("par_loop", &par_loop, py::arg("kernel"), py::arg("over"), py::arg("arguments"),
             py::arg("is_new") = true);
  module.def("par_loop_mixed", &par_loop_mixed);
}

}  // namespace kiln::python
