#include "python/core/errors.hpp"

#include <filesystem>

namespace kiln::python {

py::object exception_class(Errc code) {
  return py::module_::import("kiln.errors").attr("BY_CODE")[name_of(code)];
}

py::str decoded(const std::string& text) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

void set_python_error(const Error& error) {
  PyErr_SetObject(exception_class(error.code()).ptr(), decoded(error.message()).ptr());
}

void bind_errors() {
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      set_python_error(error);
    } catch (const std::filesystem::filesystem_error& error) {
      set_python_error(Error(Errc::io, error.what()));
    } catch (const py::cast_error&) {
      PyErr_SetString(PyExc_TypeError,
                      "found an argument of another type, or a number beyond its range, than the "
                      "function takes");
    }
  });
}

}  // namespace kiln::python
