#pragma once

#include <pybind11/pybind11.h>

#include "kiln/error.hpp"

namespace kiln::python {

namespace py = pybind11;

/// The class of Python's exceptions for a code: kiln.errors has one for each.
py::object exception_class(Errc code);

/// Sets Python's current exception; the interpreter's lock is held.
void set_python_error(const Error& error);

/// Turns Error into its class wherever C++ is left.
void bind_errors();

}  // namespace kiln::python
