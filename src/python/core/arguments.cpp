#include "python/core/arguments.hpp"

#include <bit>
#include <cstring>

namespace kiln::python {
namespace {

[[noreturn]] void refuse(std::size_t position, const std::string& text) {
  throw Error(Errc::bad_input, "argument " + std::to_string(position) + ": " + text);
}

std::string type_name(const py::handle& object) {
  return py::str(py::type::handle_of(object).attr("__name__")).cast<std::string>();
}

const char* number_type_of(char kind, py::ssize_t bytes) {
  switch (kind) {
    case 'f':
      return bytes == 8 ? "double" : bytes == 4 ? "float" : bytes == 2 ? "half" : "";
    case 'c':
      return bytes == 16 ? "double" : bytes == 8 ? "float" : "";
    case 'i':
      return bytes == 8 ? "long" : bytes == 4 ? "int" : bytes == 2 ? "short" : "";
    case 'u':
      return bytes == 8 ? "ulong" : bytes == 4 ? "uint" : bytes == 2 ? "ushort" : "";
    default:
      return "";
  }
}

/// As Python's buffer protocol says it (the letters of its module struct).
const char* number_type_of(const Py_buffer& value) {
  const std::string_view format = value.format != nullptr ? value.format : "";
  const auto is_one_of = [&](std::string_view letters) {
    return format.size() == 1 && letters.find(format[0]) != letters.npos;
  };
  const char kind = is_one_of("fde")                   ? 'f'
                    : is_one_of("hilq")                ? 'i'
                    : is_one_of("HILQ")                ? 'u'
                    : format == "Zf" || format == "Zd" ? 'c'
                                                       : ' ';
  return number_type_of(kind, value.len);
}

ReadArgument of_array(NumericArray& array, const py::handle& object) {
  const auto& storage = array.elements().storage();
  const char* const type = number_type(array.type());
  return {{.kind = KernelArgument::Kind::array, .memory = storage.get(), .number_type = type},
          CallArgument(storage).of_numbers(type),
          py::reinterpret_borrow<py::object>(object)};
}

ReadArgument of_value(const void* begin, std::size_t bytes, const char* type) {
  const auto* first = static_cast<const std::byte*>(begin);
  std::vector<std::byte> value(first, first + bytes);
  return {{.kind = KernelArgument::Kind::value, .value = value, .number_type = type},
          CallArgument(CallArgument::Value{value}).of_numbers(type),
          {}};
}

ReadArgument of_numpy(const py::array& array, Access access, std::size_t position) {
  checked_type(array.dtype());
  const char* const type = number_type(array.dtype());
  if (array.ndim() == 0)
    return of_value(array.data(), static_cast<std::size_t>(array.nbytes()), type);
  if ((array.flags() & py::array::c_style) == 0)
    refuse(position,
           "found an array that is not contiguous, expected one in C order "
           "(numpy.ascontiguousarray)");
  if (array.size() == 0) refuse(position, "found an array without elements, expected one at least");
  if (!array.writeable()) {
    if (access == Access::out || access == Access::inout)
      refuse(position, "found a read-only array, expected one that may be written");
    access = Access::in;
  }
  auto* const begin = static_cast<std::byte*>(const_cast<void*>(array.data()));
  const auto bytes = static_cast<std::size_t>(array.nbytes());
  const auto element = static_cast<std::size_t>(array.itemsize());
  return {{.kind = KernelArgument::Kind::host,
           .memory = begin,
           .bytes = bytes,
           .access = access,
           .number_type = type},
          CallArgument(CallArgument::HostMemory{{begin, bytes}, element > 1 ? element : 0, access})
              .of_numbers(type),
          array};
}

/// What arguments are told by, looked up once: the search through Python's modules and pybind11's
/// tables would be most of what a call costs.
struct KnownTypes {
  PyTypeObject *array = type_of<NumericArray>(), *declared = type_of<DeclaredAccess>(),
               *local = type_of<LocalMemory>();
  PyTypeObject* generic = nullptr;  ///< NumPy's scalars; kept for ever
  KnownTypes() {
    py::object scalar = py::module_::import("numpy").attr("generic");
    generic = reinterpret_cast<PyTypeObject*>(scalar.release().ptr());
  }
  static const KnownTypes& get() {
    static const KnownTypes types;
    return types;
  }

 private:
  template <class T>
  static PyTypeObject* type_of() {
    return reinterpret_cast<PyTypeObject*>(py::type::of<T>().ptr());
  }
};

/// A scalar of NumPy: a value of its bytes.
ReadArgument of_scalar(const py::handle& object, std::size_t position) {
  Py_buffer view;
  if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return of_numpy(py::array(py::reinterpret_borrow<py::object>(object)), Access::in, position);
  }
  ReadArgument made = of_value(view.buf, static_cast<std::size_t>(view.len), number_type_of(view));
  PyBuffer_Release(&view);
  return made;
}

ReadArgument of_integer(const py::handle& object, std::size_t position) {
  CallArgument::Number number;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (overflow == 0) {
    number.value = static_cast<std::int64_t>(value);
  } else {
    const unsigned long long large = PyLong_AsUnsignedLongLong(object.ptr());
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      refuse(position, "found an integer of more than 64 bits");
    }
    number.value = static_cast<std::uint64_t>(large);
  }
  return {{.kind = KernelArgument::Kind::number, .number = number}, CallArgument(number), {}};
}

ReadArgument of_local(std::size_t bytes, std::size_t position) {
  if (bytes == 0) refuse(position, "found 0 bytes of local memory, expected one at least");
  return {{.kind = KernelArgument::Kind::local, .bytes = bytes}, LocalMemory{bytes}, {}};
}

}  // namespace

const char* number_type(const py::dtype& type) {
  return number_type_of(type.kind(), type.itemsize());
}

bool KernelArgument::operator==(const KernelArgument& other) const {
  // By bits: 0.0 and -0.0 are two arguments, and a NaN is the same as itself.
  const auto bits = [](const CallArgument::Number& one) {
    return std::visit([](auto value_of) { return std::bit_cast<std::uint64_t>(value_of); },
                      one.value);
  };
  return kind == other.kind && memory == other.memory && bytes == other.bytes &&
         access == other.access && number_type == other.number_type && value == other.value &&
         number.value.index() == other.number.value.index() && bits(number) == bits(other.number);
}

ReadArgument read_argument(const Runtime& runtime, const py::handle& object, std::size_t position) {
  const KnownTypes& types = KnownTypes::get();
  PyTypeObject* type = Py_TYPE(object.ptr());
  if (type == types.array) return of_array(object.cast<NumericArray&>(), object);
  Access access = Access::derived;
  py::handle given = object;
  if (type == types.declared) {
    const auto& declared = given.cast<const DeclaredAccess&>();
    access = declared.access;
    given = declared.array;
    type = Py_TYPE(given.ptr());
    if (!py::isinstance<py::array>(given))
      refuse(position, "found " + type_name(given) +
                           " in kiln.In, Out or InOut, expected a NumPy array: of others the "
                           "kernel's text says what it does with them");
  }
  if (py::isinstance<py::array>(given))
    return of_numpy(py::reinterpret_borrow<py::array>(given), access, position);
  if (PyType_IsSubtype(type, types.generic) != 0) return of_scalar(given, position);
  if (PyBool_Check(given.ptr()))
    refuse(position, "found a bool, which kernels do not take; expected numpy.int32 or the like");
  if (PyLong_Check(given.ptr())) return of_integer(given, position);
  if (PyFloat_CheckExact(given.ptr())) {
    const CallArgument::Number number{PyFloat_AS_DOUBLE(given.ptr())};
    return {{.kind = KernelArgument::Kind::number, .number = number}, CallArgument(number), {}};
  }
  if (py::isinstance<py::bytes>(given)) {
    const auto value = given.cast<std::string_view>();
    if (value.empty()) refuse(position, "found no bytes, expected one at least");
    return of_value(value.data(), value.size(), "");
  }
  if (type == types.local) return of_local(given.cast<const LocalMemory&>().bytes, position);
  if (const auto memory = foreign_memory(given)) {
    NumericArray array = wrapped(runtime, *memory);
    ReadArgument made = of_array(array, memory->owner);
    made.is_foreign = true;
    return made;
  }
  // pyopencl's local memory.
  if (type_name(given) == "LocalMemory" && py::hasattr(given, "size"))
    return of_local(given.attr("size").cast<std::size_t>(), position);
  refuse(position, "found " + type_name(given) +
                       ", expected a kiln.Array, a NumPy array or scalar, a number, memory of "
                       "pyopencl or kiln.LocalMemory");
}

void bind_arguments(py::module_& module) {
  py::class_<LocalMemory>(module, "LocalMemory", "__local memory of so many bytes.")
      .def(py::init([](std::size_t bytes) { return LocalMemory{bytes}; }), py::arg("nbytes"))
      .def_readonly("nbytes", &LocalMemory::bytes)
      .def("__repr__", [](const LocalMemory& self) {
        return "kiln.LocalMemory(" + std::to_string(self.bytes) + ")";
      });
  py::class_<DeclaredAccess>(module, "DeclaredAccess",
                             "A NumPy array, and what a kernel does with it.");
  const auto declare = [&](const char* name, Access access, const char* text) {
    module.def(
        name,
        [access](py::object array) {
          return DeclaredAccess{std::move(array), access};
        },
        py::arg("array"), text);
  };
  declare("In", Access::in, "The kernel reads it; it is never changed, even where it is written.");
  declare("Out", Access::out, "The kernel writes it; it starts as zeros.");
  declare("InOut", Access::inout, "The kernel reads and writes it.");
}

}  // namespace kiln::python
