#include "python/core/runtime.hpp"

#include <pybind11/stl.h>

#include "kiln/json.hpp"
#include "python/core/dlpack.hpp"
#include "python/core/signature.hpp"

namespace kiln::python {
namespace {

Runtime make_runtime(const std::optional<std::string>& devices,
                     const std::optional<std::string>& store, const py::object& context,
                     const py::object& queues) {
  if (context.is_none() && queues.is_none()) {
    Runtime::Options options;
    if (devices) options.devices = *devices;
    if (store) options.store = *store;
    return without_lock([options] { return Runtime(options); });
  }
  if (devices)
    throw Error(Errc::bad_input,
                "found both devices and queues, expected one: the queues say which devices");
  std::vector<cl_command_queue> handles;
  if (!queues.is_none())
    for (const auto queue : queues)
      handles.push_back(handle_of<cl_command_queue>(queue, "a queue"));
  cl_context of = nullptr;
  if (!context.is_none())
    of = handle_of<cl_context>(context, "a context");
  else if (handles.empty() || ::clGetCommandQueueInfo(handles.front(), CL_QUEUE_CONTEXT, sizeof of,
                                                      &of, nullptr) != CL_SUCCESS)
    throw Error(Errc::bad_input, "the first of the queues is none");
  return without_lock(
      [of, handles, store] { return Runtime::adopt(of, handles, store.value_or("")); });
}

py::object copy_of(const Runtime& runtime, const py::object& values, const py::object& type) {
  const auto numpy = py::module_::import("numpy");
  const py::array elements = numpy.attr("asarray")(values, type, "C");
  NumericArray made(runtime, elements.dtype(),
                    NumericArray::Shape(elements.shape(), elements.shape() + elements.ndim()));
  // To be overwritten: nothing has used it yet.
  numpy.attr("copyto")(made.on_host(NumericArray::HostUse::overwrite), elements);
  return py::cast(std::move(made));
}

NumericArray wrap(const Runtime& runtime, const py::object& memory, const py::object& shape,
                  const py::object& type, std::size_t offset) {
  ForeignMemory found;
  if (auto foreign = foreign_memory(memory)) {
    found = std::move(*foreign);
    if (offset != 0 && found.type)
      throw Error(Errc::bad_input, "found an offset for an array, which has its own");
  } else {
    found.memory = handle_of<cl_mem>(memory, "a buffer or an array");
    found.owner = memory;
    if (shape.is_none())
      throw Error(Errc::bad_input, "found a handle alone, expected a shape with it");
  }
  found.offset += offset;
  if (!type.is_none()) {
    found.type = py::dtype::from_args(type);
  }
  if (shape.is_none() && (!type.is_none() || offset != 0)) {
    const auto bytes = static_cast<py::ssize_t>(found.bytes - std::min(found.bytes, offset));
    const auto element = found.type ? found.type->itemsize() : 1;
    found.shape = {bytes / std::max<py::ssize_t>(element, 1)};
  }
  if (!shape.is_none()) found.shape = shape_of(shape, "Runtime.wrap()");
  return wrapped(runtime, found);
}

py::dict findings_of(const Runtime& runtime, const std::optional<DeviceInfo>& device) {
  const auto topics = without_lock(
      [runtime, device] { return runtime.findings(device ? *device : runtime.devices().front()); });
  using py::arg;
  py::dict all;
  for (const DriverTopic& topic : topics) {
    py::list findings;
    for (const auto& one : topic.findings)
      findings.append(
          py::dict(arg("name") = one.name, arg("holds") = one.holds, arg("reason") = one.reason));
    all[py::str(topic.name)] = findings;
  }
  return all;
}

[[noreturn]] void refuse_to_share(bool is_read_only) {
  throw py::buffer_error(
      std::string("found ") +
      (is_read_only ? "read-only elements" : "elements that are not in C order") +
      ", which copy=False does not let be copied");
}

/// An Array over what another library gives by DLPack.
py::object from_dlpack(const Runtime& runtime, const py::object& object, const py::object& copy) {
  const bool must_copy = !copy.is_none() && copy.cast<bool>();
  const bool may_copy = copy.is_none() || must_copy;
  // NumPy refuses to give them by DLPack.
  if (py::isinstance<py::array>(object) && !object.cast<py::array>().writeable()) {
    if (!may_copy) refuse_to_share(true);
    return copy_of(runtime, object, py::none());
  }
  const auto tensor = dlpack::imported(object);
  // As long as an object of Python lives, the tensor does.
  const py::capsule owner(new std::shared_ptr<void>(tensor.owner),
                          [](void* held) { delete static_cast<std::shared_ptr<void>*>(held); });
  if (tensor.device_type == dlpack::opencl_device) {
    if (must_copy || tensor.is_read_only || !tensor.is_in_c_order())
      throw py::buffer_error(std::string("found memory of OpenCL ") +
                             (must_copy             ? "and copy=True, expected False"
                              : tensor.is_read_only ? "to be read only, expected writable memory"
                                                    : "with strides, expected C order"));
    return py::cast(NumericArray(runtime, static_cast<cl_mem>(tensor.data), tensor.byte_offset,
                                 tensor.type, tensor.shape, owner));
  }
  if (tensor.device_type != dlpack::host_device)
    throw py::buffer_error("found memory of DLPack's device type " +
                           std::to_string(tensor.device_type) +
                           ", expected 1 (the host) or 4 (OpenCL)");
  auto* const begin = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  if (must_copy || tensor.is_read_only || !tensor.is_in_c_order()) {
    if (!may_copy) refuse_to_share(tensor.is_read_only);
    return copy_of(runtime, py::array(tensor.type, tensor.shape, tensor.strides, begin, owner),
                   py::none());
  }
  return py::cast(NumericArray(runtime, begin, tensor.type, tensor.shape, tensor.owner));
}

void bind_event(py::module_& module) {
  py::class_<PendingEvent>(module, "Event",
                           R"(When something that was enqueued is complete.

Can be awaited in asyncio, where a cancelled await is over at once and what was enqueued goes on. Keeps the objects whose memory is used until then.)")
      .def(py::init([](const py::object& event) { return PendingEvent(event_of(event), {}); }),
           py::arg("event"), "Of an event of pyopencl, or the int_ptr of one.")
      .def("wait", &PendingEvent::wait,
           R"(Returns when it is complete; Ctrl-C ends the wait.

Raises DeviceError where what it stands for has failed.)")
      .def_property_readonly(
          "done", &PendingEvent::is_complete,
          "bool: whether it has ended; True, too, for what failed, which wait() raises")
      .def_property_readonly(
          "nanoseconds",
          [](PendingEvent& self) {
            self.wait();
            return self.event().nanoseconds();
          },
          R"(int: how long the device was at it, by its own clock; waits for it.

Of a kernel's run with Arrays the kernel's. Raises UnsupportedError where the queue takes no times.)")
      .def_property_readonly(
          "int_ptr",
          [](const PendingEvent& self) {
            return reinterpret_cast<std::uintptr_t>(self.event().handle());
          },
          "int: the cl_event, which this object holds; 0 where nothing had to be enqueued")
      .def("__await__", &await_event);
}

void bind_devices(py::module_& module) {
  py::enum_<DeviceType>(module, "DeviceType", "What a device is.")
      .value("CPU", DeviceType::cpu)
      .value("GPU", DeviceType::gpu)
      .value("OTHER", DeviceType::other);
  py::class_<DeviceInfo>(module, "Device", "What a device is: plain data.")
      .def_readonly("name", &DeviceInfo::name)
      .def_readonly("vendor", &DeviceInfo::vendor)
      .def_readonly("driver", &DeviceInfo::driver, "str: the driver's version")
      .def_readonly("version", &DeviceInfo::version, "str: of OpenCL")
      .def_readonly("platform", &DeviceInfo::platform)
      .def_readonly("platform_version", &DeviceInfo::platform_version)
      .def_readonly("il_versions", &DeviceInfo::il_versions,
                    "str: intermediate languages that it takes; may be empty")
      .def_readonly("fingerprint", &DeviceInfo::fingerprint,
                    "str: what a program's binary depends on")
      .def_readonly("index", &DeviceInfo::index,
                    "int: the number that lists of devices take; -1 where it is not among them")
      .def_readonly("part", &DeviceInfo::part, "int | None: of a sub-device its place")
      .def_readonly("type", &DeviceInfo::type)
      .def_readonly("compute_units", &DeviceInfo::compute_units)
      .def_readonly("memory_bytes", &DeviceInfo::memory_bytes)
      .def_readonly("local_memory", &DeviceInfo::local_memory, "int: bytes of a work-group")
      .def_readonly("largest_buffer", &DeviceInfo::largest_buffer, "int: bytes")
      .def_readonly("largest_work_group", &DeviceInfo::largest_work_group, "int: work-items")
      .def_readonly("uses_host_memory", &DeviceInfo::uses_host_memory)
      .def_readonly("has_doubles", &DeviceInfo::has_doubles)
      .def_property_readonly(
          "int_ptr",
          [](const DeviceInfo& self) { return reinterpret_cast<std::uintptr_t>(self.handle); },
          "int: the cl_device_id")
      .def(
          "to_dict", [](const DeviceInfo& self) { return parsed(json_of(self)); },
          "dict: what `kiln devices --json` says of it")
      .def("__repr__", [](const DeviceInfo& self) {
        return "<kiln.Device '" + self.name + "', " + name_of(self.type) + ">";
      });
}

void tell_runtime_arguments(const RuntimeClass& runtime) {
  using Need = Parameter::Need;
  using By = Parameter::By;
  tell_arguments(runtime, "__init__",
                 {"Runtime()",
                  {{"devices", Kind::text, Need::or_none},
                   {"store", Kind::text, Need::or_none, By::name},
                   {"context", Kind::any, Need::or_none, By::name},
                   {"queues", Kind::sequence, Need::or_none, By::name}}});
  tell_arguments(runtime, "array",
                 {"Runtime.array()", {{"values", Kind::any, Need::required}, {"dtype"}}});
  tell_arguments(runtime, "zeros",
                 {"Runtime.zeros()", {{"shape", Kind::any, Need::required}, {"dtype"}}});
  tell_arguments(
      runtime, "wrap",
      {"Runtime.wrap()",
       {{"memory", Kind::any, Need::required}, {"shape"}, {"dtype"}, {"offset", Kind::integer}}});
  tell_arguments(
      runtime, "from_dlpack",
      {"Runtime.from_dlpack()",
       {{"array", Kind::any, Need::required}, {"copy", Kind::truth, Need::or_none, By::name}}});
}

}  // namespace

Event event_of(const py::handle& object) {
  if (py::isinstance<PendingEvent>(object)) return object.cast<PendingEvent&>().event();
  return Event::adopt(handle_of<cl_event>(object, "an event of kiln, or one"));
}

std::vector<Event> events_of(const py::handle& object) {
  std::vector<Event> events;
  if (object.is_none()) return events;
  if (!py::isinstance<py::iterable>(object)) return {event_of(object)};
  for (const auto event : object) events.push_back(event_of(event));
  return events;
}

NumericArray wrapped(const Runtime& runtime, const ForeignMemory& memory) {
  for (const Event& event : memory.events) wait_for(event);
  return {runtime,       memory.memory,
          memory.offset, memory.type.value_or(py::dtype::of<std::uint8_t>()),
          memory.shape,  memory.owner};
}

py::object parsed(const std::string& json) {
  return py::module_::import("json").attr("loads")(json);
}

void bind_runtime(py::module_& module) {
  using py::arg;
  bind_event(module);
  bind_devices(module);
  RuntimeClass runtime(module, "Runtime",
                       R"(Devices with a queue each, a store, and the programs made for them.

Runtime("all"), Runtime("gpu,cpu"), Runtime("cpu/2"): as on the command line. Runtime(context=c,
queues=[q]): works in a context of pyopencl, on its queues. store: a folder, or "off"; None: the
user's own. Drivers are loaded at the first use of a device. Thread-safe.)");
  runtime
      .def(py::init(&make_runtime), arg("devices") = py::none(), py::kw_only(),
           arg("store") = py::none(), arg("context") = py::none(), arg("queues") = py::none())
      .def_property_readonly(
          "devices",
          [](const Runtime& self) { return without_lock([self] { return self.devices(); }); },
          "list of Device: in the order of the list that was given")
      .def_property_readonly(
          "queues",
          [](const Runtime& self) {
            std::vector<std::uintptr_t> handles;
            for (auto* const queue : without_lock([self] { return self.queues(); }))
              handles.push_back(reinterpret_cast<std::uintptr_t>(queue));
            return handles;
          },
          R"(list of int: the cl_command_queue of each device.

For pyopencl.CommandQueue.from_int_ptr(handle); the Runtime holds them.)")
      .def(
          "findings", &findings_of, arg("device") = py::none(),
          R"(What the driver of a device (None: the first) was found to do, as `kiln devices --verbose`.

A dict from topic to a list of dicts: name of what was tried, holds, reason. Tries nothing.)")
      .def("array", &copy_of, arg("values"), arg("dtype") = py::none(),
           R"(A new Array with the values of an array, a list or a number.)")
      .def(
          "zeros",
          [](const Runtime& self, const py::object& shape, const py::object& type) {
            return NumericArray(self, py::dtype::from_args(type),
                                shape_of(shape, "Runtime.zeros()"));
          },
          arg("shape"), arg("dtype") = "float64",
          R"(A new Array of zeros; memory of a device is taken when a kernel first uses it there.)")
      .def(
          "wrap", &wrap, arg("memory"), arg("shape") = py::none(), arg("dtype") = py::none(),
          arg("offset") = 0,
          R"(An Array over memory of pyopencl, without a copy: of an Array, a Buffer, or an int_ptr.

A Buffer is bytes where no dtype is given; offset: bytes. The object is kept as long as the Array.)")
      .def(
          "from_dlpack", &from_dlpack, arg("array"), py::kw_only(), arg("copy") = py::none(),
          R"(An Array over memory of another library that has DLPack: NumPy's, PyTorch's and others'.

Of the host: without a copy on devices that work there; what kernels write is in that memory after
read(). Of OpenCL: the buffer itself. copy None: read-only elements and those that are not in C order
are copied; True: always; False: raises BufferError.)")
      .def(
          "finish", [](const Runtime& self) { without_lock([self] { self.finish(); }); },
          "Waits for all that was enqueued, and until the store has all that was made.");
  bind_kernel(module, runtime);
  bind_spec(module, runtime);
  bind_store(module, runtime);
  tell_runtime_arguments(runtime);
  py::module_::import("atexit").attr("register")(py::cpp_function(&finish_pending_events));
  // Called before the other one, in whose wait Ctrl-C may raise.
  py::module_::import("atexit").attr("register")(py::cpp_function(&finish_background));
}

}  // namespace kiln::python
