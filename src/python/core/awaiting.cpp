// Events in asyncio: what completes one tells the loop, so that no thread waits and a cancelled
// await is over at once.
#include "python/core/runtime.hpp"

namespace kiln::python {
namespace {

/// An await that goes on: the loop, and its function that ends the future. Lives until the event
/// has ended, which may be never.
struct Awaited {
  py::object loop, end;
};

/// In the loop's thread: what wait() returns or raises is the future's.
void end_future(const py::object& event, const py::object& future) {
  if (future.attr("done")().cast<bool>()) return;  // cancelled
  try {
    event.attr("wait")();
  } catch (py::error_already_set& error) {
    future.attr("set_exception")(error.value());
    return;
  }
  future.attr("set_result")(py::none());
}

/// In a thread of Kiln's, without the interpreter's lock.
void tell_loop(Awaited* awaited) {
  const py::gil_scoped_acquire lock;
  const std::unique_ptr<Awaited> owned(awaited);
  try {
    awaited->loop.attr("call_soon_threadsafe")(awaited->end);
  } catch (py::error_already_set& error) {
    // The loop is closed, and with it all that awaited.
    if (!error.matches(PyExc_RuntimeError)) error.discard_as_unraisable("kiln.Event.__await__");
  }
}

}  // namespace

py::object await_event(const py::object& self) {
  auto& event = self.cast<PendingEvent&>();
  const auto loop = py::module_::import("asyncio").attr("get_running_loop")();
  const py::object future = loop.attr("create_future")();
  if (event.is_complete()) {
    end_future(self, future);
  } else {
    const py::cpp_function end([self, future] { end_future(self, future); });
    auto* const awaited = new Awaited{loop, end};
    const Event handle = event.event();
    const py::gil_scoped_release unlocked;
    when_ended(handle, [awaited] { tell_loop(awaited); });
  }
  return future.attr("__await__")();
}

}  // namespace kiln::python
