#include "python/core/array.hpp"

#include <pybind11/stl.h>

#include <limits>

#include "python/core/dlpack.hpp"
#include "python/core/foreign.hpp"

namespace kiln::python {
namespace {

std::string text_of(const py::handle& object) { return py::str(object).cast<std::string>(); }

std::size_t elements_of(const NumericArray::Shape& shape) {
  std::size_t count = 1;
  for (const py::ssize_t extent : shape) {
    if (extent < 1)
      throw Error(Errc::bad_input, "found an array without elements, expected one at least");
    if (count > std::numeric_limits<std::size_t>::max() / static_cast<std::size_t>(extent))
      throw Error(Errc::bad_input, "found an array of more elements than memory can have");
    count *= static_cast<std::size_t>(extent);
  }
  return count;
}

std::size_t bytes_of(const py::dtype& type, const NumericArray::Shape& shape) {
  const auto count = elements_of(shape), size = static_cast<std::size_t>(type.itemsize());
  if (count > std::numeric_limits<std::size_t>::max() / size)
    throw Error(Errc::bad_input, "found an array of more bytes than memory can have");
  return count * size;
}

/// Transfers may take their time.
cl_mem lend(NumericArray& self, cl_command_queue queue) {
  const py::gil_scoped_release unlocked;
  return self.lend(queue);
}

/// NumPy's __array__ protocol.
py::array as_numpy(NumericArray& self, const py::object& type, const py::object& copy) {
  py::array elements = self.on_host(NumericArray::HostUse::read);
  const bool converts = !type.is_none() && !py::dtype::from_args(type).equal(elements.dtype());
  if (converts) return elements.attr("astype")(type);
  if (!copy.is_none() && copy.cast<bool>()) return elements.attr("copy")();
  return elements;
}

/// A NumPy array of one's own, of all elements or of those that an index selects.
py::array copied(NumericArray& self) {
  return self.on_host(NumericArray::HostUse::read).attr("copy")();
}

/// Read-only where it is an array: a change of it would be lost without a word.
py::object get_items(NumericArray& self, const py::object& index) {
  const py::object found = self.on_host(NumericArray::HostUse::read)[index];
  if (!py::isinstance<py::array>(found)) return found;
  py::object copy = found.attr("copy")();
  copy.attr("setflags")(py::arg("write") = false);
  return copy;
}

/// Whether an index is that of all elements: [:] or [...].
bool is_all(const py::object& index) {
  if (index.is(py::ellipsis())) return true;
  return PySlice_Check(index.ptr()) != 0 &&
         index.equal(py::module_::import("builtins").attr("slice")(py::none()));
}

void set_items(NumericArray& self, const py::object& index, const py::object& value) {
  if (!is_all(index)) {
    self.on_host(NumericArray::HostUse::write)[index] = value;
    return;
  }
  // Checked before the elements are given up: where it does not fit they stay as they are.
  const auto numpy = py::module_::import("numpy");
  const py::array elements = numpy.attr("asarray")(value, self.type());
  const auto fitting = numpy.attr("broadcast_to")(elements, py::tuple(py::cast(self.shape())));
  numpy.attr("copyto")(self.on_host(NumericArray::HostUse::overwrite), fitting);
}

py::object fill(const py::object& self, const py::object& value) {
  const py::object element = py::module_::import("numpy").attr("asarray")(value);
  if (!element.attr("shape").cast<py::tuple>().empty())
    throw py::type_error("Array.fill(): value: found " + text_of(py::repr(value)) +
                         ", expected one element");
  set_items(self.cast<NumericArray&>(), py::ellipsis(), value);
  return self;
}

/// The buffer's handle on a queue of pyopencl, or that of an int_ptr.
std::uintptr_t lent(NumericArray& self, const py::object& queue) {
  auto* const on = queue.is_none() ? nullptr : handle_of<cl_command_queue>(queue, "a queue");
  return reinterpret_cast<std::uintptr_t>(lend(self, on));
}

/// DLPack's protocol, as the array API has it since 2023.12.
py::capsule dlpack_of(NumericArray& self, const py::object&, const py::object& max_version,
                      const py::object& device, const py::object& copy) {
  const bool versioned = dlpack::takes_versioned(max_version);
  const auto [kind, number] =
      device.is_none() ? std::pair(dlpack::host_device, 0) : device.cast<std::pair<int, int>>();
  const bool copies = !copy.is_none() && copy.cast<bool>();
  if (kind == dlpack::host_device) {
    py::array elements = self.on_host(NumericArray::HostUse::write);
    if (copies) elements = elements.attr("copy")();
    return dlpack::exported(elements, versioned);
  }
  const auto queues = without_lock([of = self.runtime()] { return of.queues(); });
  if (kind != dlpack::opencl_device || number < 0 ||
      static_cast<std::size_t>(number) >= queues.size())
    throw py::buffer_error("found the device (" + std::to_string(kind) + ", " +
                           std::to_string(number) + "), expected (1, 0) or (4, i) with i below " +
                           std::to_string(queues.size()));
  if (copies)
    throw py::buffer_error("copy: an Array is not copied on a device, expected None or False");
  return dlpack::exported(lend(self, queues[static_cast<std::size_t>(number)]), self.type(),
                          self.shape(), number, versioned);
}

std::string repr_of(const NumericArray& self) {
  return "kiln.Array(shape=" + text_of(py::tuple(py::cast(self.shape()))) +
         ", dtype=" + text_of(self.type()) + ")";
}

}  // namespace

py::dtype checked_type(const py::dtype& type) {
  if (type.itemsize() == 0 || type.attr("hasobject").cast<bool>())
    throw Error(Errc::bad_input,
                "found elements of type " + text_of(type) + ", expected numbers or structures");
  if (!type.attr("isnative").cast<bool>())
    throw Error(Errc::bad_input, "found elements in another byte order than this machine's (" +
                                     text_of(type) + "), expected its own");
  return type;
}

NumericArray::Shape shape_of(const py::object& shape, const char* function) {
  try {
    if (PyIndex_Check(shape.ptr()) != 0) return {shape.cast<py::ssize_t>()};
    return shape.cast<NumericArray::Shape>();
  } catch (const py::cast_error&) {
    throw py::type_error(std::string(function) + ": shape: found " + text_of(py::repr(shape)) +
                         ", expected an int or a sequence of them");
  }
}

NumericArray::NumericArray(const Runtime& runtime, py::dtype type, Shape shape)
    : runtime_(runtime),
      type_(checked_type(type)),
      shape_(std::move(shape)),
      elements_(runtime.array<std::byte>(bytes_of(type_, shape_))) {}

NumericArray::NumericArray(const Runtime& runtime, cl_mem memory, std::size_t offset,
                           py::dtype type, Shape shape, py::object owner)
    : runtime_(runtime),
      type_(checked_type(type)),
      shape_(std::move(shape)),
      elements_(runtime.wrap<std::byte>(memory, bytes_of(type_, shape_), offset)),
      owner_(std::move(owner)) {}

NumericArray::NumericArray(const Runtime& runtime, std::byte* memory, py::dtype type, Shape shape,
                           std::shared_ptr<void> owner)
    : runtime_(runtime),
      type_(checked_type(type)),
      shape_(std::move(shape)),
      elements_(runtime.borrow(std::span(memory, bytes_of(type_, shape_)), std::move(owner))) {}

const Array<std::byte>& NumericArray::elements() {
  if (lent_) {
    lent_->end({});
    lent_.reset();
  }
  return elements_;
}

cl_mem NumericArray::lend(cl_command_queue queue) {
  elements();
  auto use = std::make_shared<MemoryUse>(runtime_, queue);
  const cl_mem memory = use->memory(elements_, Access::inout);
  if (!use->after().empty()) {
    std::vector<cl_event> before;
    for (const Event& event : use->after()) before.push_back(event.handle());
    if (::clEnqueueBarrierWithWaitList(use->queue(), static_cast<cl_uint>(before.size()),
                                       before.data(), nullptr) != CL_SUCCESS)
      throw Error(Errc::device, "clEnqueueBarrierWithWaitList failed");
  }
  lent_ = std::move(use);
  return memory;
}

py::array NumericArray::on_host(HostUse use) {
  // Who reads does not end the use by others.
  if (use != HostUse::read)
    this->elements();
  else if (lent_)
    lent_->end({});
  auto elements = elements_;
  std::byte* const begin = without_lock([elements, use]() mutable {
    return use == HostUse::read    ? const_cast<std::byte*>(elements.read().data())
           : use == HostUse::write ? elements.write().data()
                                   : elements.overwrite().data();
  });
  // The memory is there as long as any copy of the Array is.
  const py::capsule keeper(new Array<std::byte>(elements_), [](void* held) {
    const auto* array = static_cast<Array<std::byte>*>(held);
    const py::gil_scoped_release unlocked;
    delete array;
  });
  py::array view(type_, shape_, begin, keeper);
  if (use == HostUse::read) view.attr("setflags")(py::arg("write") = false);
  return view;
}

void bind_array(py::module_& module) {
  using py::arg;
  py::class_<NumericArray>(
      module, "Array",
      R"(Elements of one type in C order, with copies on the host and on devices.

Made by Runtime.array(), zeros() and wrap(). What a kernel is given of it is transferred when it is
needed; what kernels wrote comes back when read() or numpy.asarray() asks for it. One thread at a
time.)")
      .def("__init__",
           [](const py::object&, const py::args&, const py::kwargs&) {
             throw py::type_error(
                 "Array(): an Array is of a Runtime, expected Runtime.array(), zeros(), wrap() or "
                 "from_dlpack()");
           })
      .def_property_readonly(
          "shape", [](const NumericArray& self) { return py::tuple(py::cast(self.shape())); },
          "tuple of int: elements along each axis")
      .def_property_readonly(
          "dtype", [](const NumericArray& self) { return self.type(); },
          "numpy.dtype: of an element")
      .def_property_readonly(
          "ndim", [](const NumericArray& self) { return self.shape().size(); }, "int: axes")
      .def_property_readonly(
          "size", [](const NumericArray& self) { return elements_of(self.shape()); },
          "int: elements")
      .def_property_readonly(
          "nbytes", [](const NumericArray& self) { return self.bytes(); },
          "int: bytes of all elements")
      .def("__len__",
           [](const NumericArray& self) {
             if (self.shape().empty()) throw py::type_error("len() of an array without axes");
             return self.shape().front();
           })
      .def("__repr__", &repr_of)
      .def(
          "read", [](NumericArray& self) { return self.on_host(NumericArray::HostUse::read); },
          R"(The elements as they are now: a read-only NumPy array, without a copy.

Waits for kernels that write them. Valid until the next kernel that writes the array.)")
      .def(
          "write", [](NumericArray& self) { return self.on_host(NumericArray::HostUse::write); },
          R"(The elements to be changed on the host: a NumPy array, without a copy.

Waits for all who use them; the next kernel sees the changes.)")
      .def("get", &copied, "The elements as they are now: a NumPy array of one's own.")
      .def("fill", &fill, arg("value"), "Sets all elements to one value; returns the Array.")
      .def("__getitem__", &get_items, arg("index"),
           R"(Elements as they are now, by NumPy's indices: a number, or a read-only copy.

Brings all elements to the host.)")
      .def("__setitem__", &set_items, arg("index"), arg("value"),
           R"(Sets elements of the Array on the host, by NumPy's indices: a[:] = b, a[2:5] = 0.

Waits for all who use them; the next kernel sees the changes.)")
      .def("__array__", &as_numpy, arg("dtype") = py::none(), arg("copy") = py::none())
      .def_property_readonly(
          "runtime", [](const NumericArray& self) { return self.runtime(); },
          "Runtime: that it was made by")
      .def_property_readonly(
          "int_ptr", [](NumericArray& self) { return lent(self, py::none()); },
          R"(int: the cl_mem on the queue of the Runtime's first device, as buffer() gives it.)")
      .def(
          "buffer",
          [](NumericArray& self, const py::object& queue) {
            return py::module_::import("pyopencl")
                .attr("Buffer")
                .attr("from_int_ptr")(lent(self, queue));
          },
          arg("queue") = py::none(),
          R"(A pyopencl.Buffer of the elements, without a copy where memory allows.

For commands on a queue of the Runtime (None: its first device's), of which the elements are current.
What they write is seen by read(), which waits for all that was enqueued there. After write(), a call
of Kiln's with the Array, or a buffer for another queue, ask again. The Buffer may outlive the Array.)")
      .def("__dlpack_device__",
           [](const NumericArray&) { return py::make_tuple(dlpack::host_device, 0); })
      .def("__dlpack__", &dlpack_of, py::kw_only(), arg("stream") = py::none(),
           arg("max_version") = py::none(), arg("dl_device") = py::none(), arg("copy") = py::none(),
           R"(The elements for from_dlpack() of other libraries, without a copy.

On the host; with dl_device=(4, i) as the buffer of the Runtime's device i, as buffer() gives it.)");
}

}  // namespace kiln::python
