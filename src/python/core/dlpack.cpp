#include "python/core/dlpack.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace kiln::python::dlpack {
namespace {

// The structures of dlpack.h: DLManagedTensor, and since 1.0 DLManagedTensorVersioned.
struct DLDevice {
  std::int32_t type, id;
};
struct DLDataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t *shape, *strides;
  std::uint64_t byte_offset;
};
struct Managed {
  static constexpr const char *name = "dltensor", *used_name = "used_dltensor";
  DLTensor tensor;
  void* manager;
  void (*deleter)(Managed*);
};
struct ManagedVersioned {
  static constexpr const char *name = "dltensor_versioned", *used_name = "used_dltensor_versioned";
  std::uint32_t major, minor;
  void* manager;
  void (*deleter)(ManagedVersioned*);
  std::uint64_t flags;
  DLTensor tensor;
};
constexpr std::uint64_t read_only_flag = 1;

/// NumPy's letter of a kind of numbers for each DLDataTypeCode; blank: it has none.
constexpr std::string_view kinds = "iuf  cb";

DLDataType type_of(const py::dtype& type) {
  const auto code = kinds.find(type.kind());
  if (code == kinds.npos)
    throw py::buffer_error("DLPack has no type for elements of " +
                           py::str(py::object(type)).cast<std::string>());
  constexpr py::ssize_t largest = 31;  // bits are a byte
  if (type.itemsize() > largest)
    throw py::buffer_error("DLPack has no type for elements of " + std::to_string(type.itemsize()) +
                           " bytes");
  return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(type.itemsize() * 8), 1};
}

py::dtype dtype_of(const DLDataType& type) {
  const char kind = type.code < kinds.size() ? kinds[type.code] : ' ';
  if (kind == ' ' || type.lanes != 1 || type.bits % 8 != 0)
    throw py::buffer_error("found elements of DLPack's type " + std::to_string(type.code) + " of " +
                           std::to_string(type.bits) + " bits in " + std::to_string(type.lanes) +
                           " lanes, expected a type of NumPy");
  return py::dtype(std::string(1, kind) + std::to_string(type.bits / 8));
}

/// What an exported capsule keeps: an array of NumPy, or a buffer of OpenCL.
template <class M>
struct Export {
  M managed{};
  std::vector<std::int64_t> shape;
  py::object elements;
  cl_mem memory = nullptr;
  ~Export() {
    if (memory != nullptr) ::clReleaseMemObject(memory);
  }
};

template <class M>
void release(M* managed) {
  // At the interpreter's end all objects go by themselves.
  if (Py_IsInitialized() == 0) return;
  const py::gil_scoped_acquire lock;
  delete static_cast<Export<M>*>(managed->manager);
}

/// Of a capsule that was not consumed: its consumer renames it.
template <class M>
void drop(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, M::name) == 0) return;
  auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, M::name));
  managed->deleter(managed);
}

template <class M>
py::capsule capsule_of(void* data, const DLDevice& device, const py::dtype& type,
                       const NumericArray::Shape& shape, py::object elements, cl_mem memory) {
  auto made = std::make_unique<Export<M>>();
  made->shape.assign(shape.begin(), shape.end());
  M& managed = made->managed;
  // Strides of null: C order.
  managed.tensor = {
      data,    device, static_cast<std::int32_t>(shape.size()), type_of(type), made->shape.data(),
      nullptr, 0};
  managed.manager = made.get();
  managed.deleter = &release<M>;
  if constexpr (std::is_same_v<M, ManagedVersioned>) managed.major = 1;
  made->elements = std::move(elements);
  if (memory != nullptr) {
    if (::clRetainMemObject(memory) != CL_SUCCESS)
      throw Error(Errc::device, "the buffer cannot be held");
    made->memory = memory;
  }
  auto* capsule = PyCapsule_New(&managed, M::name, &drop<M>);
  if (capsule == nullptr) throw py::error_already_set();
  made.release();
  return py::reinterpret_steal<py::capsule>(capsule);
}

py::capsule capsule_of(bool versioned, void* data, const DLDevice& device, const py::dtype& type,
                       const NumericArray::Shape& shape, py::object elements, cl_mem memory) {
  return versioned
             ? capsule_of<ManagedVersioned>(data, device, type, shape, std::move(elements), memory)
             : capsule_of<Managed>(data, device, type, shape, std::move(elements), memory);
}

std::vector<py::ssize_t> strides_of(const DLTensor& tensor, py::ssize_t element) {
  std::vector<py::ssize_t> strides(static_cast<std::size_t>(tensor.ndim));
  for (std::size_t axis = strides.size(); axis-- > 0;)
    strides[axis] = tensor.strides != nullptr ? tensor.strides[axis] * element
                    : axis + 1 == strides.size()
                        ? element
                        : strides[axis + 1] * static_cast<py::ssize_t>(tensor.shape[axis + 1]);
  return strides;
}

/// Takes the tensor over: the capsule is empty afterwards.
template <class M>
Tensor taken(PyObject* capsule) {
  auto* const managed = static_cast<M*>(PyCapsule_GetPointer(capsule, M::name));
  if constexpr (std::is_same_v<M, ManagedVersioned>)
    if (managed->major != 1)
      throw py::buffer_error("found a tensor of DLPack " + std::to_string(managed->major) +
                             ", expected 0 or 1");
  const DLTensor& of = managed->tensor;
  Tensor tensor;
  tensor.device_type = of.device.type;
  tensor.device = of.device.id;
  tensor.data = of.data;
  tensor.byte_offset = of.byte_offset;
  tensor.type = dtype_of(of.dtype);
  tensor.shape.assign(of.shape, of.shape + of.ndim);
  tensor.strides = strides_of(of, tensor.type.itemsize());
  if constexpr (std::is_same_v<M, ManagedVersioned>)
    tensor.is_read_only = (managed->flags & read_only_flag) != 0;
  if (PyCapsule_SetName(capsule, M::used_name) != 0) throw py::error_already_set();
  tensor.owner = std::shared_ptr<void>(managed, [](void* held) {
    if (Py_IsInitialized() == 0) return;
    const py::gil_scoped_acquire lock;
    auto* const let_go = static_cast<M*>(held);
    if (let_go->deleter != nullptr) let_go->deleter(let_go);
  });
  return tensor;
}

py::object capsule_from(const py::object& object) {
  if (PyCapsule_CheckExact(object.ptr()) != 0) return object;
  if (!py::hasattr(object, "__dlpack__"))
    throw py::type_error("found " + py::repr(py::type::of(object)).cast<std::string>() +
                         ", expected an object with __dlpack__() or a capsule of DLPack");
  const py::object give = object.attr("__dlpack__");
  try {
    return give(py::arg("max_version") = py::make_tuple(1, 0));
  } catch (py::error_already_set& error) {
    // Of before versions were.
    if (!error.matches(PyExc_TypeError)) throw;
  }
  return give();
}

}  // namespace

bool takes_versioned(const py::object& max_version) {
  return !max_version.is_none() && max_version.cast<py::sequence>()[0].cast<int>() >= 1;
}

py::capsule exported(const py::array& elements, bool versioned) {
  return capsule_of(
      versioned, const_cast<void*>(elements.data()), {host_device, 0}, elements.dtype(),
      NumericArray::Shape(elements.shape(), elements.shape() + elements.ndim()), elements, nullptr);
}

py::capsule exported(cl_mem memory, const py::dtype& type, const NumericArray::Shape& shape,
                     int device, bool versioned) {
  return capsule_of(versioned, memory, {opencl_device, device}, type, shape, {}, memory);
}

bool Tensor::is_in_c_order() const {
  py::ssize_t expected = type.itemsize();
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] > 1 && strides[axis] != expected) return false;
    expected *= shape[axis];
  }
  return true;
}

Tensor imported(const py::object& object) {
  const py::object capsule = capsule_from(object);
  if (PyCapsule_IsValid(capsule.ptr(), ManagedVersioned::name) != 0)
    return taken<ManagedVersioned>(capsule.ptr());
  if (PyCapsule_IsValid(capsule.ptr(), Managed::name) != 0) return taken<Managed>(capsule.ptr());
  throw py::type_error("found " + py::repr(capsule).cast<std::string>() +
                       ", expected a capsule of DLPack that was not taken yet");
}

}  // namespace kiln::python::dlpack
