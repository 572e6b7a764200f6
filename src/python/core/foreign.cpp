#include "python/core/foreign.hpp"

namespace kiln::python {
namespace {

std::size_t size_of_buffer(cl_mem memory) {
  std::size_t bytes = 0;
  if (::clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof bytes, &bytes, nullptr) != CL_SUCCESS)
    throw Error(Errc::bad_input, "the handle is not that of a buffer");
  return bytes;
}

bool is_in_c_order(const py::object& array) {
  return array.attr("flags").attr("c_contiguous").cast<bool>();
}

}  // namespace

std::optional<ForeignMemory> foreign_memory(const py::handle& object) {
  ForeignMemory found;
  found.owner = py::reinterpret_borrow<py::object>(object);
  if (py::hasattr(object, "base_data") && py::hasattr(object, "offset")) {
    if (!is_in_c_order(found.owner))
      throw Error(Errc::bad_input,
                  "found an array of pyopencl that is not contiguous, expected one in C order");
    found.memory = handle_of<cl_mem>(object.attr("base_data"), "a buffer");
    found.offset = object.attr("offset").cast<std::size_t>();
    found.bytes = object.attr("nbytes").cast<std::size_t>();
    found.type = object.attr("dtype").cast<py::dtype>();
    found.shape = object.attr("shape").cast<NumericArray::Shape>();
    for (const auto event : object.attr("events"))
      found.events.push_back(Event::adopt(handle_of<cl_event>(event, "an event")));
    return found;
  }
  if (!py::hasattr(object, "int_ptr") || !py::hasattr(object, "get_host_array")) return {};
  found.memory = handle_of<cl_mem>(object, "a buffer");
  found.bytes = size_of_buffer(found.memory);
  found.shape = {static_cast<py::ssize_t>(found.bytes)};
  return found;
}

}  // namespace kiln::python
