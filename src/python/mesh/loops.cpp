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

/// A loop with its arguments, to be called again and again. Holds none of the data: who calls it
/// does. The first call plans and compiles.
template <class Argument>
class Call {
 public:
  Call(mesh::Kernel kernel, Iteration over, std::vector<Argument> arguments)
      : kernel_(std::move(kernel)), over_(std::move(over)), arguments_(std::move(arguments)) {}

  /// `uses` has the data.
  void run(const py::object& uses) {
    if (is_prepared_) {
      in_turn_now([this] { call(kernel_, over_, arguments_); });
      return;
    }
    in_turn([kernel = kernel_, over = over_, arguments = arguments_, kept = Kept(uses)] {
      call(kernel, over, arguments);
    });
    is_prepared_ = true;
  }

 private:
  static void call(const mesh::Kernel& kernel, const Iteration& over,
                   const std::vector<Argument>& arguments) {
    mesh::par_loop(kernel, over, std::span<const Argument>(arguments));
  }

  mesh::Kernel kernel_;
  Iteration over_;
  std::vector<Argument> arguments_;
  bool is_prepared_ = false;
};

template <class Argument>
void bind_call(py::module_& module, const char* name) {
  py::class_<Call<Argument>>(module, name)
      .def(py::init<mesh::Kernel, Iteration, std::vector<Argument>>())
      .def("run", &Call<Argument>::run);
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
      .def("dat_arg", [](const mesh::Dat& dat,
                         int access) { return mesh::arg(dat, static_cast<Access>(access)); })
      .def("indirect_arg",
           [](const mesh::Dat& dat, const mesh::Map& map, int component, int index, int access,
              bool flat) {
             const Arg made =
                 mesh::arg(dat, use_of(map, component, index), static_cast<Access>(access));
             return flat ? made.flatten() : made;
           })
      .def("global_arg", [](const mesh::Global& global,
                            int access) { return mesh::arg(global, static_cast<Access>(access)); })
      .def("mat_arg", [](const mesh::Mat& mat, const mesh::Map& rows, int row_index,
                         const mesh::Map& columns, int column_index, int access) {
        return mesh::arg(mat, use_of(rows, -1, row_index), use_of(columns, -1, column_index),
                         static_cast<Access>(access));
      });
  bind_call<Arg>(module, "Call");
  bind_call<MixedArg>(module, "MixedCall");
}

}  // namespace kiln::python
