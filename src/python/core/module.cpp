#include <pybind11/pybind11.h>

#include "kiln/version.hpp"
#include "python/core/runtime.hpp"

PYBIND11_MODULE(_kiln, module) {
  using namespace kiln::python;
  module.doc() = "What the package kiln is made of: Kiln's C++ interface. Import kiln instead.";
  module.def(
      "version", [] { return std::string(kiln::version()); },
      "str: of the library that runs, e.g. \"0.2.0\"");
  bind_errors();
  bind_array(module);
  bind_runtime(module);
  bind_tune(module);
  bind_blas(module);
}
