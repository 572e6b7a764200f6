#include "python/core/dlpack.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace kiln::python::dlpack {
namespace {

// The structures of DLPack 0.x (dlpack.h, DLManagedTensor).
struct Device {
  std::int32_t type, id;
};
struct DataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t *shape, *strides;
  std::uint64_t byte_offset;
};
struct ManagedTensor {
  Tensor tensor;
  void* manager;
  void (*deleter)(ManagedTensor*);
};

struct Export {
  ManagedTensor managed{};
  std::vector<std::int64_t> shape;
  py::array elements;
};

DataType type_of(const py::dtype& type) {
  std::uint8_t code = 0;
  switch (type.kind()) {
    case 'i':
      code = 0;
      break;
    case 'u':
      code = 1;
      break;
    case 'f':
      code = 2;
      break;
    case 'c':
      code = 5;
      break;
    case 'b':
      code = 6;
      break;
    default:
      throw py::buffer_error("DLPack has no type for elements of " +
                             py::str(py::object(type)).cast<std::string>());
  }
  return {code, static_cast<std::uint8_t>(type.itemsize() * 8), 1};
}

void release(ManagedTensor* managed) {
  const py::gil_scoped_acquire lock;
  delete static_cast<Export*>(managed->manager);
}

/// Of a capsule that was not consumed: its consumer renames it.
void drop(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor") == 0) return;
  auto* managed = static_cast<ManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  managed->deleter(managed);
}

}  // namespace

py::capsule exported(const py::array& elements) {
  auto made = std::make_unique<Export>();
  made->shape.assign(elements.shape(), elements.shape() + elements.ndim());
  made->elements = elements;
  // Strides of null: C order.
  made->managed = {{const_cast<void*>(elements.data()),
                    {host_device, 0},
                    static_cast<std::int32_t>(elements.ndim()),
                    type_of(elements.dtype()),
                    made->shape.data(),
                    nullptr,
                    0},
                   made.get(),
                   &release};
  auto* capsule = PyCapsule_New(&made->managed, "dltensor", &drop);
  if (capsule == nullptr) throw py::error_already_set();
  made.release();
  return py::reinterpret_steal<py::capsule>(capsule);
}

}  // namespace kiln::python::dlpack
