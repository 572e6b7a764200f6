#include "blas/clblas/request.hpp"

#include "blas/entry.hpp"

namespace kiln::blas {

clblasStatus Request::run(cl_uint queue_count, const cl_command_queue* queues, cl_uint wait_count,
                          const cl_event* waits, cl_event* events) const {
  if (!is_sound_) return clblasInvalidValue;
  Execution execution;
  execution.queues = {queues, queue_count};
  execution.after = {waits, wait_count};
  execution.events = events;
  return static_cast<clblasStatus>(kiln_blas_run(call_, execution));
}

}  // namespace kiln::blas
