#include <pybind11/pybind11.h>

#include "python/mesh/turn.hpp"
#include "python/mesh/types.hpp"

namespace kiln::python {

std::timed_mutex& turn() {
  // Never destroyed: what goes on in the background may need it to the end.
  static auto& mutex = *new std::timed_mutex;
  return mutex;
}

}  // namespace kiln::python

PYBIND11_MODULE(_mesh, module) {
  using namespace kiln::python;
  module.doc() = "What kiln.op2 is made of: Kiln's loops over meshes. Import kiln.op2 instead.";
  bind_errors();
  bind_objects(module);
  bind_matrices(module);
  bind_loops(module);
  bind_files(module);
  bind_mesh(module);
  // For the module _mpi, which works on the same Meshes.
  module.attr("_turn") = py::capsule(&turn(), "kiln turn");
  // This module has threads of its own.
  py::module_::import("atexit").attr("register")(py::cpp_function(&finish_background));
}
