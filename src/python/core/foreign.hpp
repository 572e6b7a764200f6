#pragma once

#include <optional>

#include "python/core/array.hpp"

/// OpenCL objects of pyopencl. They are told by the property `int_ptr`, the handle, which all of
/// them have (pyopencl 2022 and later); pyopencl itself is never imported.
namespace kiln::python {

/// The handle of an object of pyopencl, or an int that is one. Throws TypeError, naming `what`.
template <class Handle>
Handle handle_of(const py::handle& object, const char* what) {
  py::object value = py::reinterpret_borrow<py::object>(object);
  if (py::hasattr(value, "int_ptr")) value = value.attr("int_ptr");
  // What is no address of an object would end the process in the loader.
  const bool is_address = py::isinstance<py::int_>(value) && !py::isinstance<py::bool_>(value) &&
                          value >= py::int_(1 << 16) && (value & py::int_(7)).equal(py::int_(0));
  if (!is_address)
    throw py::type_error(std::string("found ") + py::repr(object).cast<std::string>() +
                         ", expected " + what + " of pyopencl or its int_ptr");
  return reinterpret_cast<Handle>(value.cast<std::uintptr_t>());
}

/// Memory of pyopencl: a Buffer, or an Array with its type, shape and the events that it waits for.
struct ForeignMemory {
  cl_mem memory = nullptr;
  std::size_t offset = 0, bytes = 0;
  std::optional<py::dtype> type;  ///< none: bytes
  NumericArray::Shape shape;
  std::vector<Event> events;
  py::object owner;
};

/// Nothing where the object is none of pyopencl's memory objects. Throws Error: bad_input for an
/// Array that is not in C order.
std::optional<ForeignMemory> foreign_memory(const py::handle& object);

}  // namespace kiln::python
