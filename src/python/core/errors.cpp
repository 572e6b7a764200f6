#include "python/core/errors.hpp"

namespace kiln::python {

py::object exception_class(Errc code) {
  return py::module_::import("kiln.errors").attr("BY_CODE")[name_of(code)];
}

void set_python_error(const Error& error) {
  const std::string& text = error.message();
  // Names of files and what compilers say need not be UTF-8.
  auto message = py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
  PyErr_SetObject(exception_class(error.code()).ptr(), message.ptr());
}

void bind_errors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      set_python_error(error);
    }
  });
}

}  // namespace kiln::python
