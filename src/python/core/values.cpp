#include "python/core/values.hpp"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

namespace kiln::python {

expr::Value value_of(const py::handle& object) {
  if (py::isinstance<py::bool_>(object)) return object.cast<bool>();
  if (PyIndex_Check(object.ptr()) != 0) return object.cast<std::int64_t>();
  if (py::isinstance<py::str>(object)) return object.cast<std::string>();
  if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object)) {
    expr::List list;
    for (const auto item : object) list.push_back(value_of(item));
    return list;
  }
  return object.cast<double>();
}

std::map<std::string, expr::Value> values_of(const py::dict& symbols) {
  std::map<std::string, expr::Value> values;
  for (const auto& [name, value] : symbols)
    values.insert_or_assign(name.cast<std::string>(), value_of(value));
  return values;
}

spec::SpecDialect dialect_named(const std::string& name) {
  return value_or_throw(spec::parse_dialect(name));
}

tune::Method method_named(const std::string& name) {
  std::string known;
  for (std::size_t i = 0; i < std::size(tune::method_names); ++i) {
    if (name == tune::method_names[i]) return static_cast<tune::Method>(i);
    known += std::string(i == 0 ? "" : ", ") + tune::method_names[i];
  }
  throw Error(Errc::bad_input, "method: found '" + name + "', expected one of " + known);
}

namespace {

bool is_file_name(const std::string& text) {
  return text.find('\n') == std::string::npos && (text.ends_with(".cl") || text.ends_with(".spv"));
}

}  // namespace

Source source_of(const py::object& source) {
  if (py::isinstance<py::bytes>(source)) {
    const auto module = source.cast<std::string_view>();
    return Source::spirv(std::as_bytes(std::span(module.data(), module.size())));
  }
  if (py::isinstance<py::str>(source)) {
    auto text = source.cast<std::string>();
    return is_file_name(text) ? Source::file(std::move(text)) : Source::text(std::move(text));
  }
  if (py::hasattr(source, "__fspath__")) return Source::file(source.cast<std::filesystem::path>());
  throw py::type_error("source: found " + py::repr(source).cast<std::string>() +
                       ", expected OpenCL C as text, a path, or SPIR-V as bytes");
}

}  // namespace kiln::python
