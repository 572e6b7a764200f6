#pragma once

#include <pybind11/pybind11.h>

#include "kiln/error.hpp"

namespace kiln::python {

namespace py = pybind11;

/// The class of Python's exceptions for a code: kiln.errors has one for each.
py::object exception_class(Errc code);

/// A text of which some may not be UTF-8, as names of files and what compilers say: such bytes are
/// replaced.
py::str decoded(const std::string& text);

/// Sets Python's current exception; the interpreter's lock is held.
void set_python_error(const Error& error);

/// Turns Error into its class wherever C++ is left.
void bind_errors();

}  // namespace kiln::python
