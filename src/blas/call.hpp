#pragma once

#include <span>

#include "blas/types.hpp"
#include "device/opencl.hpp"
#include "kiln/blas/call.hpp"

namespace kiln::blas {

/// Where a call runs and what it waits for. With several queues, which belong to one context, the
/// work is shared out; events[j], where `events` is not null, is queue j's last command of this
/// call (left alone where that queue got no work) and the caller's to release.
struct Execution {
  std::span<const cl_command_queue> queues;
  std::span<const cl_event> after = {};
  cl_event* events = nullptr;
};

}  // namespace kiln::blas
