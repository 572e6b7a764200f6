#include <pybind11/pybind11.h>

#include "python/mesh/turn.hpp"
#include "python/mesh/types.hpp"

PYBIND11_MODULE(_mesh, module) {
  using namespace kiln::python;
  module.doc() = "What kiln.op2 is made of: Kiln's loops over meshes. Import kiln.op2 instead.";
  bind_errors();
  bind_objects(module);
  bind_matrices(module);
  bind_loops(module);
  bind_files(module);
  bind_mesh(module);
  // This module has threads of its own.
  py::module_::import("atexit").attr("register")(py::cpp_function(&finish_background));
}
