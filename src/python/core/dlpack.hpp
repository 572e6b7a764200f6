#pragma once

#include "python/core/array.hpp"

/// DLPack (https://dmlc.github.io/dlpack): arrays passed between libraries without a copy, by
/// capsules "dltensor" (versions 0.x) and "dltensor_versioned" (1.x).
namespace kiln::python::dlpack {

/// DLDeviceType of memory of the host, and of OpenCL: what points to the elements is a cl_mem.
constexpr int host_device = 1, opencl_device = 4;

/// A version that a consumer takes at most: its `max_version`, None for 0.x.
bool takes_versioned(const py::object& max_version);

/// A capsule over an array in C order, which it keeps. Throws BufferError for elements that DLPack
/// has no type for.
py::capsule exported(const py::array& elements, bool versioned);

/// A capsule over a buffer, which is retained; `device` is its number.
py::capsule exported(cl_mem memory, const py::dtype& type, const NumericArray::Shape& shape,
                     int device, bool versioned);

/// What a capsule has, taken over from it.
struct Tensor {
  int device_type = host_device, device = 0;
  void* data = nullptr;  ///< the first element's address, or a cl_mem
  std::size_t byte_offset = 0;
  py::dtype type;
  NumericArray::Shape shape;
  std::vector<py::ssize_t> strides;  ///< bytes
  bool is_read_only = false;
  std::shared_ptr<void> owner;  ///< keeps the memory; may go in any thread
  bool is_in_c_order() const;
};

/// The tensor of an object that has __dlpack__(), or of a capsule. Throws TypeError for what is
/// none, BufferError for elements or a version that are not known.
Tensor imported(const py::object& object);

}  // namespace kiln::python::dlpack
