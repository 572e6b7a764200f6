#include "python/core/pending_event.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>

#include "python/core/waiting.hpp"

namespace kiln::python {
namespace {

/// Objects whose memory is used by what was enqueued and that has no owner any more.
std::deque<std::pair<Event, py::object>>& orphans() {
  // Never destroyed: the interpreter is gone by then.
  static auto& list = *new std::deque<std::pair<Event, py::object>>;
  return list;
}

/// Those that have an owner, the oldest first.
std::list<PendingEvent*>& owned() {
  static auto& list = *new std::list<PendingEvent*>;
  return list;
}

/// CL_COMPLETE where it is not known, and for an error.
cl_int status_of(const Event& event) {
  cl_int status = CL_QUEUED;
  const bool is_known = event.handle() != nullptr &&
                        ::clGetEventInfo(event.handle(), CL_EVENT_COMMAND_EXECUTION_STATUS,
                                         sizeof status, &status, nullptr) == CL_SUCCESS;
  return is_known ? std::max(status, CL_COMPLETE) : CL_COMPLETE;
}

bool has_ended(const Event& event) { return status_of(event) == CL_COMPLETE; }

void drop_ended_orphans() {
  auto& list = orphans();
  // Go last: what an object does at its end may come back here.
  std::deque<std::pair<Event, py::object>> ended;
  for (auto at = list.begin(); at != list.end();) {
    if (!has_ended(at->first)) {
      ++at;
      continue;
    }
    ended.push_back(std::move(*at));
    at = list.erase(at);
  }
}

void finish_orphans() {
  for (auto& list = orphans(); !list.empty();) {
    auto orphan = std::move(list.front());
    list.pop_front();
    try {
      wait_for(orphan.first);
    } catch (const Error&) {
      // It failed, and so uses nothing any more; who let it go did not want to know.
    } catch (...) {
      list.push_back(std::move(orphan));
      throw;
    }
  }
}

/// Waits until it has ended, well or not; false where it has not begun within that time.
bool ends(const Event& event, std::chrono::seconds patience) {
  const auto latest_begin = std::chrono::steady_clock::now() + patience;
  while (!has_ended(event)) {
    if (status_of(event) == CL_RUNNING) {
      try {
        wait_for(event);
      } catch (const Error&) {
        // Who owns it did not want to know.
      }
      return true;
    }
    if (std::chrono::steady_clock::now() > latest_begin) return false;
    {
      const py::gil_scoped_release unlocked;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
  return true;
}

}  // namespace

PendingEvent::PendingEvent(Event event, py::object uses)
    : event_(std::move(event)), uses_(std::move(uses)) {
  if (uses_) place_ = owned().insert(owned().end(), this);
}

PendingEvent::PendingEvent(PendingEvent&& other) noexcept
    : event_(std::move(other.event_)), uses_(std::move(other.uses_)), place_(other.place_) {
  if (uses_) *place_ = this;
}

PendingEvent::~PendingEvent() {
  if (!uses_) return;
  if (Py_IsInitialized() == 0) {
    // The device may still write there: the memory is never freed.
    if (!has_ended(event_)) uses_.release();
    return;
  }
  owned().erase(place_);
  drop_ended_orphans();
  if (!has_ended(event_)) orphans().emplace_back(event_, std::move(uses_));
}

void PendingEvent::let_go() {
  if (!uses_) return;
  owned().erase(place_);
  // Last: what an object does at its end may come back here.
  const py::object uses = std::move(uses_);
}

void PendingEvent::wait() {
  wait_for(event_);
  let_go();
}

bool PendingEvent::is_complete() {
  // Asked there, too, which throws in a child of fork(), where it would never end.
  if (!has_ended(event_)) return event_.is_complete();
  let_go();
  return true;
}

void finish_pending_events() {
  finish_orphans();
  // A copy: code of Python that runs during a wait may drop events.
  std::vector<Event> events;
  for (const PendingEvent* pending : owned()) events.push_back(pending->event());
  // Long enough for a driver to compile, which it does before the kernel counts as running.
  std::chrono::seconds patience(10);
  for (const Event& event : events)
    if (!ends(event, patience)) patience = {};
}

}  // namespace kiln::python
