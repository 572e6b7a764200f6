#include "blas/api/refusal.hpp"
#include "blas/process_run.hpp"
#include "kiln/blas.hpp"

namespace kiln::blas {

void run(const Call& call, std::span<const cl_command_queue> queues,
         std::span<const cl_event> after, std::span<cl_event> events) {
  throw_refusal(call, run_in_process(call, execution_of(queues, after, events)));
}

}  // namespace kiln::blas
