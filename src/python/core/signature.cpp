#include "python/core/signature.hpp"

#include <algorithm>
#include <string_view>

namespace kiln::python {
namespace {

/// One line that is not long, whatever the object is.
std::string shown(const py::handle& object) {
  constexpr std::size_t most = 60;
  const std::string type =
      py::str(py::type::handle_of(object).attr("__name__")).cast<std::string>();
  const bool is_plain = object.is_none() || PyLong_Check(object.ptr()) != 0 ||
                        PyFloat_Check(object.ptr()) != 0 || PyUnicode_Check(object.ptr()) != 0;
  if (!is_plain) return "an object of type " + type;
  const std::string text = py::repr(object).cast<std::string>();
  return text.size() <= most ? text : "an object of type " + type;
}

const char* name_of(Kind kind) {
  constexpr const char* names[] = {"an object",
                                   "a str",
                                   "a path",
                                   "a bool",
                                   "an int",
                                   "a number",
                                   "a dict",
                                   "a sequence",
                                   "a sequence of str",
                                   "a sequence of paths",
                                   "a sequence of int"};
  return names[static_cast<std::size_t>(kind)];
}

bool is_of(Kind kind, const py::handle& object);

bool has_only(Kind kind, const py::handle& sequence) {
  if (!is_of(Kind::sequence, sequence)) return false;
  for (const auto item : sequence)
    if (!is_of(kind, item)) return false;
  return true;
}

bool is_of(Kind kind, const py::handle& object) {
  const bool is_text = PyUnicode_Check(object.ptr()) != 0;
  switch (kind) {
    case Kind::any:
      return true;
    case Kind::text:
      return is_text;
    case Kind::path:
      return is_text || PyBytes_Check(object.ptr()) != 0 || py::hasattr(object, "__fspath__");
    case Kind::truth:
      return PyBool_Check(object.ptr()) != 0;
    case Kind::integer:
      return PyIndex_Check(object.ptr()) != 0;
    case Kind::number:
      return PyNumber_Check(object.ptr()) != 0;
    case Kind::mapping:
      return PyDict_Check(object.ptr()) != 0;
    case Kind::sequence:
      return !is_text && PySequence_Check(object.ptr()) != 0;
    case Kind::texts:
      return has_only(Kind::text, object);
    case Kind::paths:
      return has_only(Kind::path, object);
    case Kind::integers:
      return has_only(Kind::integer, object);
  }
  return true;
}

std::string names_of(const Signature& signature) {
  std::string names;
  for (const Parameter& one : signature.parameters)
    names += (names.empty() ? "" : ", ") + std::string(one.name);
  return names;
}

/// What speaks against an argument; "" where nothing does.
std::string wrong_with(const Parameter& parameter, const py::handle& value) {
  if (is_of(parameter.kind, value) ||
      (value.is_none() && parameter.need == Parameter::Need::or_none))
    return "";
  return std::string(parameter.name) + ": found " + shown(value) + ", expected " +
         name_of(parameter.kind) + (parameter.need == Parameter::Need::or_none ? " or None" : "");
}

/// What speaks against a call, the first that there is.
std::string wrong_with(const Signature& signature, const py::tuple& arguments,
                       const py::dict& keywords) {
  std::vector<py::handle> values(signature.parameters.size());
  std::size_t by_place = 0;
  for (const Parameter& one : signature.parameters)
    by_place += one.by == Parameter::By::place_or_name ? 1 : 0;
  if (arguments.size() > by_place)
    return "found " + std::to_string(arguments.size()) + " arguments by their place, expected " +
           std::to_string(by_place) + " at most";
  for (std::size_t i = 0; i < arguments.size(); ++i) values[i] = arguments[i];
  for (const auto& [key, value] : keywords) {
    const auto name = key.cast<std::string>();
    const auto found =
        std::find_if(signature.parameters.begin(), signature.parameters.end(),
                     [&](const Parameter& one) { return one.name == std::string_view(name); });
    if (found == signature.parameters.end()) {
      if (signature.takes_others) continue;
      return "unexpected keyword argument '" + name + "', expected one of " + names_of(signature);
    }
    auto& place = values[static_cast<std::size_t>(found - signature.parameters.begin())];
    if (place) return name + ": found two values, expected one";
    place = value;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Parameter& parameter = signature.parameters[i];
    if (!values[i] && parameter.need == Parameter::Need::required)
      return "missing argument '" + std::string(parameter.name) + "', expected " +
             (parameter.kind == Kind::any ? "one" : name_of(parameter.kind));
    if (!values[i]) continue;
    if (auto wrong = wrong_with(parameter, values[i]); !wrong.empty()) return wrong;
  }
  return "found an argument with a part of another type or beyond its range, expected those that "
         "help() says of " +
         names_of(signature);
}

/// Whether pybind11 has called nothing, since no signature fits.
bool is_of_dispatcher(const py::error_already_set& error) {
  return error.matches(PyExc_TypeError) &&
         std::string_view(error.what()).find("arguments. The following argument types are") !=
             std::string_view::npos;
}

}  // namespace

void tell_arguments(const py::object& scope, const char* name, Signature signature) {
  const bool is_method = PyType_Check(scope.ptr()) != 0;
  const py::object original = scope.attr(name);
  const auto call = [original, signature = std::move(signature), is_method](
                        const py::args& arguments, const py::kwargs& keywords) -> py::object {
    try {
      return original(*arguments, **keywords);
    } catch (py::error_already_set& error) {
      if (!is_of_dispatcher(error)) throw;
      const py::tuple given =
          is_method ? py::tuple(arguments[py::slice(1, PY_SSIZE_T_MAX, 1)]) : py::tuple(arguments);
      throw py::type_error(signature.function + ": " + wrong_with(signature, given, keywords));
    }
  };
  // The original's text begins with its signature.
  py::options plain;
  plain.disable_function_signatures();
  const auto text = py::str(original.attr("__doc__")).cast<std::string>();
  if (is_method)
    scope.attr(name) = py::cpp_function(call, py::name(name), py::is_method(scope), text.c_str());
  else
    scope.attr(name) = py::cpp_function(call, py::name(name), py::scope(scope), text.c_str());
}

}  // namespace kiln::python
