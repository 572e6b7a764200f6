#include "blas/entry.hpp"

#include <atomic>
#include <new>

#include "blas/library.hpp"
#include "blas/new_events.hpp"
#include "blas/process_run.hpp"
#include "device/queue_handle.hpp"

namespace kiln::blas {
namespace {

std::atomic<bool> was_used = false;

/// The status for the exception that is being handled.
int status_of_failure() noexcept {
  try {
    throw;
  } catch (const ClError& error) {
    return error.status();
  } catch (const cl::Error& error) {
    return error.err();
  } catch (const Error& error) {
    switch (error.code()) {
      case Errc::build:
        return CL_BUILD_PROGRAM_FAILURE;
      case Errc::unsupported:
        return static_cast<int>(Status::not_implemented);
      default:
        return CL_OUT_OF_RESOURCES;
    }
  } catch (const std::bad_alloc&) {
    return CL_OUT_OF_HOST_MEMORY;
  } catch (...) {
    return CL_OUT_OF_RESOURCES;
  }
}

}  // namespace

Library& process_library() {
  Library& library = Library::process();
  if (!was_used.load(std::memory_order_relaxed)) was_used = true;
  return library;
}

Status run_in_process(const Call& call, const Execution& execution) {
  Library& library = process_library();
  NewEvents made;
  Execution aside = execution;
  if (execution.events != nullptr) aside.events = made.data();
  const Status status = library.run(call, aside);
  if (status == Status::success && execution.events != nullptr)
    made.hand_over(execution.events, execution.queues.size());
  return status;
}

}  // namespace kiln::blas

int kiln_blas_run(const kiln::blas::Call& call, const kiln::blas::Execution& execution) noexcept {
  try {
    return static_cast<int>(kiln::blas::run_in_process(call, execution));
  } catch (...) {
    return kiln::blas::status_of_failure();
  }
}

void kiln_blas_forget() noexcept {
  // A library that was never used is not made in order to forget.
  if (kiln::blas::was_used) kiln::blas::Library::process().clear();
}

bool kiln_is_queue(cl_command_queue queue) noexcept {
  try {
    return kiln::is_queue(queue);
  } catch (...) {
    return false;
  }
}
