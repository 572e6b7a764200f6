#pragma once

#include <pybind11/pybind11.h>

#include <initializer_list>
#include <string>
#include <vector>

/// What is wrong with the arguments of a call, in a line: pybind11 lists all signatures and all
/// arguments, NumPy arrays with their contents.
namespace kiln::python {

namespace py = pybind11;

/// Kinds of objects that an argument may be.
enum class Kind : std::uint8_t {
  any,
  text,      ///< str
  path,      ///< str or os.PathLike
  truth,     ///< bool
  integer,   ///< int, NumPy's, too
  number,    ///< float or an integer
  mapping,   ///< dict
  sequence,  ///< of any items, but no str
  texts,     ///< a sequence of str
  paths,
  integers,
};

/// A parameter of a function, as its callers see it.
struct Parameter {
  const char* name;
  Kind kind = Kind::any;
  enum class Need : std::uint8_t { required, optional, or_none } need = Need::optional;
  enum class By : std::uint8_t { place_or_name, name } by = By::place_or_name;
};

/// A function whose arguments are told in a line where they do not fit.
struct Signature {
  std::string function;  ///< as messages call it: "Runtime.kernel()"
  std::vector<Parameter> parameters;
  bool takes_others = false;  ///< any other keyword arguments
};

/// Replaces a function that was defined in a class or module by one that calls it and raises
/// TypeError with what speaks against the arguments where pybind11 has found that they do not fit.
void tell_arguments(const py::object& scope, const char* name, Signature signature);

}  // namespace kiln::python
