#pragma once

#include <list>

#include "python/core/foreign.hpp"

namespace kiln::python {

/// What was enqueued, with the objects whose memory it uses: kiln.Event. Where it is let go before
/// it is complete, they stay until it is. With the interpreter's lock.
class PendingEvent {
 public:
  PendingEvent() = default;
  PendingEvent(Event event, py::object uses);
  PendingEvent(PendingEvent&& other) noexcept;
  PendingEvent& operator=(PendingEvent&&) = delete;
  ~PendingEvent();

  const Event& event() const { return event_; }
  void wait();
  bool is_complete();

 private:
  void let_go();

  Event event_;
  py::object uses_;
  /// Where it stands among those that may not have ended: as long as it has uses_.
  std::list<PendingEvent*>::iterator place_;
};

/// At the interpreter's exit: waits for all that was enqueued. The device uses memory of Python's
/// objects until then, and a driver that is still compiling would be destroyed at its work. Gives
/// up on what does not begin, as where an event of the application's is never set.
void finish_pending_events();

}  // namespace kiln::python
