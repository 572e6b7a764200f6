#include "layer/entry/state.hpp"

// Local sizes where the program passes none, for users who ask for it: the library that serves
// chooses them, and keeps the launches' events until they have ended. The program must not see
// that: before it asks for what those events would change, they are let go.
namespace kiln::layer {
namespace {

std::atomic<bool> tuning{false};

cl_int CL_API_CALL event_info(cl_event event, cl_event_info what, std::size_t size, void* value,
                              std::size_t* size_ret) {
  if (what == CL_EVENT_REFERENCE_COUNT) release_events();
  return below.clGetEventInfo(event, what, size, value, size_ret);
}

cl_int CL_API_CALL queue_info(cl_command_queue queue, cl_command_queue_info what, std::size_t size,
                              void* value, std::size_t* size_ret) {
  if (what == CL_QUEUE_REFERENCE_COUNT) release_events();
  return below.clGetCommandQueueInfo(queue, what, size, value, size_ret);
}

cl_int CL_API_CALL memory_info(cl_mem memory, cl_mem_info what, std::size_t size, void* value,
                               std::size_t* size_ret) {
  if (what == CL_MEM_REFERENCE_COUNT) release_events();
  return below.clGetMemObjectInfo(memory, what, size, value, size_ret);
}

cl_int CL_API_CALL release_queue(cl_command_queue queue) {
  release_events();
  return below.clReleaseCommandQueue(queue);
}

cl_int CL_API_CALL release_context(cl_context context) {
  release_events();
  return below.clReleaseContext(context);
}

}  // namespace

bool is_tuning() noexcept { return tuning.load(std::memory_order_relaxed); }
void note_tuning(bool is_wanted) noexcept { tuning.store(is_wanted, std::memory_order_relaxed); }

LocalChoice chosen_local(Kernel& kernel, const Geometry& geometry,
                         cl_command_queue queue) noexcept {
  LocalChoice choice;
  const Serve* server = loaded_serve();
  if (server != nullptr && kernel.program->served.load(std::memory_order_acquire) != nullptr)
    server->choose_local(kernel, geometry, queue, choice);
  return choice;
}

void judge(const LocalChoice& choice, cl_event event, bool refused) noexcept {
  if (const Serve* server = loaded_serve()) server->judge(choice, event, refused);
}

void release_events() noexcept {
  const Serve* server = is_tuning() ? loaded_serve() : nullptr;
  if (server != nullptr) server->release_events();
}

void add_local_size_functions(cl_icd_dispatch& table) noexcept {
  replace(table.clGetEventInfo, event_info);
  replace(table.clGetCommandQueueInfo, queue_info);
  replace(table.clGetMemObjectInfo, memory_info);
  replace(table.clReleaseCommandQueue, release_queue);
  replace(table.clReleaseContext, release_context);
}

}  // namespace kiln::layer
