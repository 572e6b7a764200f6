#include <algorithm>
#include <cstring>
#include <new>

#include "layer/measure/queue.hpp"
#include "layer/measure/report.hpp"

// Queues are made with time stamps, and what the program may ask of queues and events is answered
// as if it had got what it asked for.
namespace kiln::layer::measure {
namespace {

HandleTable known_queues;

/// Notes a queue. A handle that is there already is of a queue that is gone: its object serves
/// again.
void add_queue(cl_command_queue handle, cl_device_id device, cl_command_queue_properties asked,
               const cl_queue_properties* list, bool is_given) noexcept {
  if (handle == nullptr || is_child()) return;
  try {
    Device& place = books().device_of(device);
    auto* queue = static_cast<Queue*>(known_queues.find(handle));
    const bool is_new = queue == nullptr;
    if (is_new) queue = new Queue;
    {
      const std::lock_guard lock(queue->mutex);
      queue->handle = handle;
      queue->device = &place;
      queue->is_timed = is_given || (asked & CL_QUEUE_PROFILING_ENABLE) != 0;
      queue->in_order = (asked & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
      queue->asked = asked;
      queue->asked_list.clear();
      for (; list != nullptr && *list != 0; list += 2)
        queue->asked_list.insert(queue->asked_list.end(), list, list + 2);
      if (!queue->asked_list.empty()) queue->asked_list.push_back(0);
      queue->is_given.store(is_given, std::memory_order_release);
    }
    if (!is_new) return;
    {
      const std::lock_guard lock(books().mutex);
      queue->number = static_cast<int>(books().queues.size());
      books().queues.push_back(queue);
    }
    known_queues.insert(handle, queue);
  } catch (...) {
    // No memory: the queue is not measured.
  }
}

cl_command_queue CL_API_CALL create(cl_context context, cl_device_id device,
                                    cl_command_queue_properties asked, cl_int* error) {
  const bool gives = (asked & CL_QUEUE_PROFILING_ENABLE) == 0 && !is_child();
  if (gives) {
    cl_int status = CL_SUCCESS;
    const cl_command_queue made =
        under->clCreateCommandQueue(context, device, asked | CL_QUEUE_PROFILING_ENABLE, &status);
    if (made != nullptr && status == CL_SUCCESS) {
      if (error != nullptr) *error = CL_SUCCESS;
      add_queue(made, device, asked, nullptr, true);
      return made;
    }
  }
  const cl_command_queue made = under->clCreateCommandQueue(context, device, asked, error);
  add_queue(made, device, asked, nullptr, false);
  return made;
}

/// The list's CL_QUEUE_PROPERTIES; 0 where it has none.
cl_command_queue_properties properties_in(const cl_queue_properties* list) noexcept {
  for (; list != nullptr && *list != 0; list += 2)
    if (list[0] == CL_QUEUE_PROPERTIES) return list[1];
  return 0;
}

/// The list with time stamps, in a place that holds `room` values; false where it is too long.
bool with_time_stamps(const cl_queue_properties* list, cl_queue_properties* place,
                      std::size_t room) noexcept {
  std::size_t count = 0;
  bool has_properties = false;
  for (; list != nullptr && *list != 0; list += 2, count += 2) {
    if (count + 5 > room) return false;
    place[count] = list[0];
    place[count + 1] = list[1];
    if (list[0] != CL_QUEUE_PROPERTIES) continue;
    place[count + 1] |= CL_QUEUE_PROFILING_ENABLE;
    has_properties = true;
  }
  if (!has_properties) {
    place[count++] = CL_QUEUE_PROPERTIES;
    place[count++] = CL_QUEUE_PROFILING_ENABLE;
  }
  place[count] = 0;
  return true;
}

cl_command_queue CL_API_CALL create_with(cl_context context, cl_device_id device,
                                         const cl_queue_properties* list, cl_int* error) {
  const cl_command_queue_properties asked = properties_in(list);
  if ((asked & CL_QUEUE_ON_DEVICE) != 0 || is_child()) {
    const cl_command_queue made =
        under->clCreateCommandQueueWithProperties(context, device, list, error);
    // What is known of an earlier queue with this handle is not this one's.
    if (made != nullptr && !is_child()) known_queues.erase(made);
    return made;
  }
  cl_queue_properties more[32];
  if ((asked & CL_QUEUE_PROFILING_ENABLE) == 0 && with_time_stamps(list, more, std::size(more))) {
    cl_int status = CL_SUCCESS;
    const cl_command_queue made =
        under->clCreateCommandQueueWithProperties(context, device, more, &status);
    if (made != nullptr && status == CL_SUCCESS) {
      if (error != nullptr) *error = CL_SUCCESS;
      add_queue(made, device, asked, list, true);
      return made;
    }
  }
  const cl_command_queue made =
      under->clCreateCommandQueueWithProperties(context, device, list, error);
  add_queue(made, device, asked, list, false);
  return made;
}

/// A queue that has got time stamps which the program did not ask for; also in a child.
Queue* given_queue(cl_command_queue handle) noexcept {
  auto* queue = static_cast<Queue*>(known_queues.find(handle));
  return queue != nullptr && queue->is_given.load(std::memory_order_acquire) ? queue : nullptr;
}

/// The list that the program made its queue of, as the driver would give it back.
cl_int list_answer(const Queue& queue, std::size_t size, void* value,
                   std::size_t* size_ret) noexcept {
  const std::size_t bytes = queue.asked_list.size() * sizeof(cl_queue_properties);
  if (value != nullptr && size < bytes) return CL_INVALID_VALUE;
  if (value != nullptr && bytes != 0) std::memcpy(value, queue.asked_list.data(), bytes);
  if (size_ret != nullptr) *size_ret = bytes;
  return CL_SUCCESS;
}

cl_int CL_API_CALL get_info(cl_command_queue handle, cl_command_queue_info what, std::size_t size,
                            void* value, std::size_t* size_ret) {
  if (what == CL_QUEUE_REFERENCE_COUNT) {
    // Some drivers count the events of a queue: those that are held here must not show.
    if (Queue* queue = queue_of(handle)) queue->drain();
  }
  const Queue* given = what == CL_QUEUE_PROPERTIES || what == CL_QUEUE_PROPERTIES_ARRAY
                           ? given_queue(handle)
                           : nullptr;
  if (given == nullptr) return under->clGetCommandQueueInfo(handle, what, size, value, size_ret);
  if (what == CL_QUEUE_PROPERTIES_ARRAY) {
    std::size_t bytes = 0;  // older drivers do not know it
    const cl_int status = under->clGetCommandQueueInfo(handle, what, 0, nullptr, &bytes);
    return status == CL_SUCCESS ? list_answer(*given, size, value, size_ret) : status;
  }
  const cl_int status = under->clGetCommandQueueInfo(handle, what, size, value, size_ret);
  if (status == CL_SUCCESS && value != nullptr)
    std::memcpy(value, &given->asked, sizeof given->asked);
  return status;
}

/// Deprecated since OpenCL 1.1; some drivers still have it.
cl_int CL_API_CALL set_property(cl_command_queue handle, cl_command_queue_properties properties,
                                cl_bool enable, cl_command_queue_properties* old) {
  Queue* given = given_queue(handle);
  cl_command_queue_properties before = 0;
  const cl_int status = under->clSetCommandQueueProperty(handle, properties, enable, &before);
  if (status != CL_SUCCESS) return status;
  if (given != nullptr) {
    before &= ~cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE};
    given->asked = enable != CL_FALSE ? given->asked | properties : given->asked & ~properties;
    if ((properties & CL_QUEUE_PROFILING_ENABLE) != 0)
      given->is_given.store(false, std::memory_order_release);
  }
  if (old != nullptr) *old = before;
  return status;
}

cl_int CL_API_CALL release(cl_command_queue handle) {
  Queue* queue = queue_of(handle);
  if (queue != nullptr) queue->drain();
  const cl_int status = under->clReleaseCommandQueue(handle);
  // The driver may have waited for what the queue still had to do.
  if (queue != nullptr) queue->drain();
  if (queue != nullptr) report_sometimes();
  return status;
}

cl_int CL_API_CALL release_context(cl_context context) {
  if (is_child()) return under->clReleaseContext(context);
  drain_all();
  report_now(End::no);
  return under->clReleaseContext(context);
}

cl_int CL_API_CALL get_context_info(cl_context context, cl_context_info what, std::size_t size,
                                    void* value, std::size_t* size_ret) {
  if (what == CL_CONTEXT_REFERENCE_COUNT && !is_child()) drain_all();  // as of queues
  return under->clGetContextInfo(context, what, size, value, size_ret);
}

// Waits and events.

cl_int CL_API_CALL finish(cl_command_queue handle) {
  Queue* queue = queue_of(handle);
  if (queue == nullptr) return under->clFinish(handle);
  const std::int64_t started = now_ns();
  const cl_int status = under->clFinish(handle);
  end_of_wait(queue, books().finish, started);
  return status;
}

cl_command_queue queue_of_event(cl_event event) noexcept {
  cl_command_queue queue = nullptr;
  return under->clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, nullptr) ==
                 CL_SUCCESS
             ? queue
             : nullptr;
}

cl_int CL_API_CALL wait(cl_uint count, const cl_event* events) {
  if (is_child()) return under->clWaitForEvents(count, events);
  const std::int64_t started = now_ns();
  const cl_int status = under->clWaitForEvents(count, events);
  Queue* queue = status == CL_SUCCESS && count > 0 ? queue_of(queue_of_event(events[0])) : nullptr;
  end_of_wait(queue, books().wait_for_events, started);
  return status;
}

cl_int CL_API_CALL profiling_info(cl_event event, cl_profiling_info what, std::size_t size,
                                  void* value, std::size_t* size_ret) {
  const cl_int status = under->clGetEventProfilingInfo(event, what, size, value, size_ret);
  if (status != CL_SUCCESS && status != CL_INVALID_VALUE) return status;
  return given_queue(queue_of_event(event)) == nullptr ? status : CL_PROFILING_INFO_NOT_AVAILABLE;
}

cl_int CL_API_CALL event_info(cl_event event, cl_event_info what, std::size_t size, void* value,
                              std::size_t* size_ret) {
  const cl_int status = under->clGetEventInfo(event, what, size, value, size_ret);
  if (what != CL_EVENT_REFERENCE_COUNT || status != CL_SUCCESS || value == nullptr) return status;
  if (Queue* queue = queue_of(queue_of_event(event))) {
    cl_uint count = 0;
    std::memcpy(&count, value, sizeof count);
    count -= std::min(count, queue->held(event));
    std::memcpy(value, &count, sizeof count);
  }
  return status;
}

}  // namespace

Queue* queue_of(cl_command_queue handle) noexcept {
  return is_child() ? nullptr : static_cast<Queue*>(known_queues.find(handle));
}

void add_queue_functions(cl_icd_dispatch& table) noexcept {
  replace(table.clCreateCommandQueue, create);
  replace(table.clCreateCommandQueueWithProperties, create_with);
  replace(table.clGetCommandQueueInfo, get_info);
  replace(table.clSetCommandQueueProperty, set_property);
  replace(table.clReleaseCommandQueue, release);
  replace(table.clReleaseContext, release_context);
  replace(table.clGetContextInfo, get_context_info);
  replace(table.clFinish, finish);
  replace(table.clWaitForEvents, wait);
  replace(table.clGetEventProfilingInfo, profiling_info);
  replace(table.clGetEventInfo, event_info);
}

}  // namespace kiln::layer::measure
