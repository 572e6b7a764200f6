#pragma once

#include <pybind11/numpy.h>

#include <cstddef>
#include <vector>

#include "python/core/waiting.hpp"

namespace kiln::python {

/// Elements of one NumPy type in C order, with copies on the host and on devices: kiln.Array.
/// Copies are the same array. The interpreter's lock is its lock, but for the transfers.
class NumericArray {
 public:
  using Shape = std::vector<py::ssize_t>;

  /// Zeros. Throws Error: bad_input for a type that is no plain data, a shape with no element.
  NumericArray(const Runtime& runtime, py::dtype type, Shape shape);
  /// Elements of a buffer of the application, from a byte on. `owner` is kept.
  NumericArray(const Runtime& runtime, cl_mem memory, std::size_t offset, py::dtype type,
               Shape shape, py::object owner);

  /// Elements of the host's memory, which `owner` keeps.
  NumericArray(const Runtime& runtime, std::byte* memory, py::dtype type, Shape shape,
               std::shared_ptr<void> owner);

  const Runtime& runtime() const { return runtime_; }
  const py::dtype& type() const { return type_; }
  const Shape& shape() const { return shape_; }
  std::size_t bytes() const { return elements_.bytes(); }
  /// The elements for a use by Kiln, after what was enqueued with a buffer that lend() gave.
  const Array<std::byte>& elements();

  /// All elements as a buffer for commands of others on a queue of the Runtime (null: its first),
  /// current for what is enqueued there from now on. Up to the next call of elements() or
  /// on_host(write) the Array counts as written by whatever was enqueued there.
  cl_mem lend(cl_command_queue queue);

  /// The elements on the host as an array of NumPy without a copy, which keeps this one. Waits for
  /// kernels that write them. To overwrite: nothing is brought from a device.
  enum class HostUse : std::uint8_t { read, write, overwrite };
  py::array on_host(HostUse use);

 private:
  Runtime runtime_;
  py::dtype type_;
  Shape shape_;
  Array<std::byte> elements_;
  py::object owner_;                 ///< of wrapped memory
  std::shared_ptr<MemoryUse> lent_;  ///< by others, who do not tell what they enqueue
};

/// Data that a kernel may have, of a NumPy type: no objects, in this machine's byte order.
py::dtype checked_type(const py::dtype& type);

/// The shape that an int or a sequence of them says. Throws TypeError, naming the function.
NumericArray::Shape shape_of(const py::object& shape, const char* function);

void bind_array(py::module_& module);

}  // namespace kiln::python
