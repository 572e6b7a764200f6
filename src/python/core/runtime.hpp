#pragma once

#include "python/core/foreign.hpp"
#include "python/core/pending_event.hpp"

namespace kiln::python {

/// An event of Kiln or of pyopencl.
Event event_of(const py::handle& object);
/// One, several, or None.
std::vector<Event> events_of(const py::handle& object);

/// Event.__await__: the iterator of a future of the running loop.
py::object await_event(const py::object& self);

/// Memory of pyopencl in a context of the Runtime. Waits for the events of an Array.
NumericArray wrapped(const Runtime& runtime, const ForeignMemory& memory);

void bind_runtime(py::module_& module);
/// Runtime's methods that other files have: kernels, specification files, the store.
using RuntimeClass = py::class_<Runtime>;
void bind_kernel(py::module_& module, RuntimeClass& runtime);
void bind_spec(py::module_& module, RuntimeClass& runtime);
void bind_store(py::module_& module, RuntimeClass& runtime);
void bind_tune(py::module_& module);
void bind_stepwise_search(py::module_& module);
void bind_blas(py::module_& module);

/// What json_of() gives, as Python's dictionaries and lists.
py::object parsed(const std::string& json);

}  // namespace kiln::python
