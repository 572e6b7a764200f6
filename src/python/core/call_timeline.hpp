#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "python/core/runtime.hpp"

/// When calls of Kernels ran: what `with runtime.timeline()` collects.
namespace kiln::python {

/// Of one call: begun before its arguments are read, ended when it was enqueued or has run. Costs
/// one comparison where no timeline is open. The interpreter's lock is held.
class TimedCall {
 public:
  TimedCall();
  /// `event`: of what was enqueued; a default one where the call has run already.
  void end(const Runtime& runtime, const std::string& kernel, const Event& event) const;

 private:
  std::int64_t start_ns_ = 0;  ///< 0: no timeline is open
};

void bind_call_timeline(py::module_& module, RuntimeClass& runtime);

}  // namespace kiln::python
