#pragma once

#include <pybind11/pybind11.h>

#include <map>
#include <string>

#include "kiln/expr.hpp"
#include "kiln/kernel.hpp"
#include "kiln/spec.hpp"
#include "kiln/tune/stepwise_search.hpp"
#include "python/core/errors.hpp"

/// What several functions take from Python: values of expressions, and where a program is.
namespace kiln::python {

/// A bool, an int (NumPy's, too), a str, a list or tuple of such, else a float.
expr::Value value_of(const py::handle& object);
std::map<std::string, expr::Value> values_of(const py::dict& symbols);

/// Throws Error (bad_input) for a name that is none.
spec::SpecDialect dialect_named(const std::string& name);

/// By the name that `kiln tune --strategy` takes. Throws Error (bad_input) with all of them.
tune::Method method_named(const std::string& name);

/// OpenCL C as text or in a file (a path, or a name that ends with .cl or .spv), or SPIR-V as
/// bytes.
Source source_of(const py::object& source);

}  // namespace kiln::python
