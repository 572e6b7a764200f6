// Events of launches: states, profiling, wait lists, call-backs.
#include <atomic>
#include <thread>

#include "cases.hpp"

namespace kiln::layer_cases {
namespace {

struct Fill {
  Program program;
  Kernel kernel;
  Memory result;
};

Fill fill(Environment& e) {
  Fill made;
  made.program = e.built(fill_source);
  made.kernel = e.kernel(made.program, "fill");
  made.result = e.memory(8 * sizeof(int));
  e.set(made.kernel, 0, made.result);
  e.set(made.kernel, 1, 10);
  return made;
}

constexpr std::size_t eight = 8;

Event launch(Environment& e, cl_command_queue queue, cl_kernel kernel,
             const std::vector<cl_event>& after = {}) {
  Event event;
  e.out.status("launch",
               ::clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &eight, &eight,
                                        static_cast<cl_uint>(after.size()),
                                        after.empty() ? nullptr : after.data(), event.out()));
  e.out.know(event, "event");
  return event;
}

cl_int state(cl_event event) {
  cl_int status = 4711;
  ::clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  return status;
}

Event user_event(Environment& e) {
  cl_int status = 1;
  Event event = ::clCreateUserEvent(e.context, &status);
  e.out.status("user event", status);
  return event;
}

constexpr std::pair<cl_profiling_info, const char*> times[] = {
    {CL_PROFILING_COMMAND_QUEUED, "queued"},     {CL_PROFILING_COMMAND_SUBMIT, "submitted"},
    {CL_PROFILING_COMMAND_START, "started"},     {CL_PROFILING_COMMAND_END, "ended"},
    {CL_PROFILING_COMMAND_COMPLETE, "complete"},
};

void CL_CALLBACK count_a_call(cl_event, cl_int status, void* data) {
  if (status == CL_COMPLETE) static_cast<std::atomic<int>*>(data)->fetch_add(1);
}

}  // namespace

LAYER_CASE(event_of_a_launch) {
  const Fill f = fill(e);
  const Event event = launch(e, e.queue, f.kernel);
  e.out.status("wait", ::clWaitForEvents(1, event.address()));
  e.out.number("state", state(event));
  cl_command_type type = 0;
  e.out.status("type", ::clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr));
  e.out.yes_no("a launch", type == CL_COMMAND_NDRANGE_KERNEL);
  cl_command_queue queue = nullptr;
  cl_context context = nullptr;
  ::clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, nullptr);
  ::clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof context, &context, nullptr);
  e.out.line("of %s in %s", e.out.name_of(queue).c_str(), e.out.name_of(context).c_str());
  e.read<int>("fill", f.result, 8);
}

LAYER_CASE(event_of_a_task) {
  const Fill f = fill(e);
  Event event;
  e.out.status("task", ::clEnqueueTask(e.queue, f.kernel, 0, nullptr, event.out()));
  e.out.status("wait", ::clWaitForEvents(1, event.address()));
  cl_command_type type = 0;
  ::clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr);
  e.out.number("type", type);
}

LAYER_CASE(event_of_a_refused_launch) {
  const Fill f = fill(e);
  const std::size_t wrong = 3;
  cl_event event = nullptr;
  e.out.status("launch", ::clEnqueueNDRangeKernel(e.queue, f.kernel, 1, nullptr, &eight, &wrong, 0,
                                                  nullptr, &event));
  e.out.yes_no("an event", event != nullptr);
}

LAYER_CASE(event_profiling) {
  const Fill f = fill(e);
  const Queue queue = e.new_queue(e.context, CL_QUEUE_PROFILING_ENABLE);
  const Event event = launch(e, queue, f.kernel);
  e.out.status("wait", ::clWaitForEvents(1, event.address()));
  cl_ulong before = 0;
  for (const auto& [name, text] : times) {
    cl_ulong time = 0;
    const cl_int status = ::clGetEventProfilingInfo(event, name, sizeof time, &time, nullptr);
    e.out.line("%s: %s, not before the last: %s", text, status_name(status).c_str(),
               time >= before ? "yes" : "no");
    if (status == CL_SUCCESS) before = time;
  }
}

LAYER_CASE(event_profiling_of_a_queue_without_it) {
  const Fill f = fill(e);
  const Event event = launch(e, e.queue, f.kernel);
  e.out.status("wait", ::clWaitForEvents(1, event.address()));
  for (const auto& [name, text] : times) {
    cl_ulong time = 0;
    e.out.status(text, ::clGetEventProfilingInfo(event, name, sizeof time, &time, nullptr));
  }
}

LAYER_CASE(event_profiling_before_the_end) {
  const Fill f = fill(e);
  const Queue queue = e.new_queue(e.context, CL_QUEUE_PROFILING_ENABLE);
  const Event gate = user_event(e);
  const Event event = launch(e, queue, f.kernel, {gate});
  cl_ulong time = 0;
  e.out.status("end", ::clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time,
                                                nullptr));
  e.out.yes_no("complete", state(event) == CL_COMPLETE);
  e.out.status("gate", ::clSetUserEventStatus(gate, CL_COMPLETE));
  e.out.status("finish", ::clFinish(queue));
  e.out.status("end", ::clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time,
                                                nullptr));
}

LAYER_CASE(event_waits_for_a_user_event) {
  const Fill f = fill(e);
  const Event gate = user_event(e);
  e.out.number("state of the gate", state(gate));
  const Event event = launch(e, e.queue, f.kernel, {gate});
  e.out.yes_no("complete before", state(event) == CL_COMPLETE);
  e.out.status("gate", ::clSetUserEventStatus(gate, CL_COMPLETE));
  e.out.status("wait", ::clWaitForEvents(1, event.address()));
  e.out.number("state", state(event));
  e.read<int>("fill", f.result, 8);
}

LAYER_CASE(event_arguments_set_while_a_launch_waits) {
  const Fill f = fill(e);
  const Event gate = user_event(e);
  const Event event = launch(e, e.queue, f.kernel, {gate});
  e.set(f.kernel, 1, 999);
  e.out.status("gate", ::clSetUserEventStatus(gate, CL_COMPLETE));
  e.read<int>("with the former arguments", f.result, 8);
  const Event next = launch(e, e.queue, f.kernel);
  e.read<int>("with the new ones", f.result, 8);
}

LAYER_CASE(event_out_of_order_queue) {
  const Program program = e.built(
      "kernel void add(global int* x) { x[0] += 3; }\n"
      "kernel void times(global int* x) { x[0] *= 5; }\n");
  const Kernel add = e.kernel(program, "add"), times_five = e.kernel(program, "times");
  const cl_int one = 1;
  const Memory result = e.memory(sizeof one, &one);
  e.set(add, 0, result);
  e.set(times_five, 0, result);
  const Queue queue = e.new_queue(e.context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const std::size_t item = 1;
  Event events[6];
  for (int i = 0; i < 6; ++i)
    e.out.status("launch", ::clEnqueueNDRangeKernel(queue, i % 2 == 0 ? add : times_five, 1,
                                                    nullptr, &item, &item, i == 0 ? 0 : 1,
                                                    i == 0 ? nullptr : events[i - 1].address(),
                                                    events[i].out()));
  e.out.status("wait", ::clWaitForEvents(1, events[5].address()));
  e.read<int>("((1 + 3) * 5 + 3) * 5 …", queue, result, 1);
}

LAYER_CASE(event_between_two_queues) {
  const Fill f = fill(e);
  const Queue first = e.new_queue(e.context), second = e.new_queue(e.context);
  const Event event = launch(e, first, f.kernel);
  e.out.status("flush", ::clFlush(first));
  std::vector<cl_int> values(8);
  e.out.status("read on the other",
               ::clEnqueueReadBuffer(second, f.result, CL_TRUE, 0, 32, values.data(), 1,
                                     event.address(), nullptr));
  e.out.values("fill", values);
}

LAYER_CASE(event_wrong_wait_lists) {
  const Fill f = fill(e);
  const Event gate = user_event(e);
  // A count without a list: PoCL 3.1 crashes.
  e.out.status("a list without a count",
               ::clEnqueueNDRangeKernel(e.queue, f.kernel, 1, nullptr, &eight, nullptr, 0,
                                        gate.address(), nullptr));
  const cl_event none = nullptr;
  e.out.status("NULL in the list", ::clEnqueueNDRangeKernel(e.queue, f.kernel, 1, nullptr, &eight,
                                                            nullptr, 1, &none, nullptr));
  e.out.status("wait for nothing", ::clWaitForEvents(0, nullptr));
  e.out.status("gate", ::clSetUserEventStatus(gate, CL_COMPLETE));
  e.out.status("gate again", ::clSetUserEventStatus(gate, CL_COMPLETE));
}

LAYER_CASE(event_markers_and_barriers) {
  const Fill f = fill(e);
  const Event event = launch(e, e.queue, f.kernel);
  Event marker, barrier;
  e.out.status("marker", ::clEnqueueMarkerWithWaitList(e.queue, 1, event.address(), marker.out()));
  e.out.status("barrier", ::clEnqueueBarrierWithWaitList(e.queue, 0, nullptr, barrier.out()));
  e.out.status("wait", ::clWaitForEvents(1, marker.address()));
  e.out.status("wait", ::clWaitForEvents(1, barrier.address()));
  e.out.number("state of the launch", state(event));
  e.out.number("state of the marker", state(marker));
}

LAYER_CASE(event_callback_of_a_launch) {
  // The call-back may come after the wait from a thread of the driver: it is awaited by a loop that
  // gives up its time slice, and lives as long as the program.
  static std::atomic<int> calls;
  calls = 0;
  const Fill f = fill(e);
  const Event gate = user_event(e);
  const Event event = launch(e, e.queue, f.kernel, {gate});
  e.out.status("call-back set", ::clSetEventCallback(event, CL_COMPLETE, count_a_call, &calls));
  e.out.number("calls before", calls);
  e.out.status("gate", ::clSetUserEventStatus(gate, CL_COMPLETE));
  e.out.status("wait", ::clWaitForEvents(1, event.address()));
  while (calls == 0) std::this_thread::yield();
  e.out.number("calls", calls);
}

LAYER_CASE(event_native_kernel) {
  cl_device_exec_capabilities can = 0;
  ::clGetDeviceInfo(e.device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof can, &can, nullptr);
  e.out.yes_no("native kernels", (can & CL_EXEC_NATIVE_KERNEL) != 0);
  const Fill f = fill(e);
  const Event event = launch(e, e.queue, f.kernel);
  struct Arguments {
    int* sum;
    int* memory;
  };
  int sum = 0;
  Arguments arguments{&sum, nullptr};
  const void* place = &arguments.memory;
  const auto add = [](void* data) {
    const auto* given = static_cast<const Arguments*>(data);
    for (int i = 0; i < 8; ++i) *given->sum += given->memory[i];
  };
  e.out.status("native kernel",
               ::clEnqueueNativeKernel(e.queue, add, &arguments, sizeof arguments, 1,
                                       f.result.address(), &place, 1, event.address(), nullptr));
  e.out.status("finish", ::clFinish(e.queue));
  e.out.number("sum", sum);
  e.out.status("no function", ::clEnqueueNativeKernel(e.queue, nullptr, nullptr, 0, 0, nullptr,
                                                      nullptr, 0, nullptr, nullptr));
}

LAYER_CASE(event_failed_gate) {
  // What becomes of the waiting launch differs between drivers: only the refusals are written.
  const Event gate = user_event(e);
  e.out.status("status 5", ::clSetUserEventStatus(gate, 5));
  e.out.status("status -7", ::clSetUserEventStatus(gate, -7));
  e.out.number("state", state(gate));
  e.out.status("wait", ::clWaitForEvents(1, gate.address()));
}

LAYER_CASE(event_counts) {
  const Fill f = fill(e);
  const Event event = launch(e, e.queue, f.kernel);
  e.out.status("finish", ::clFinish(e.queue));
  e.out.status("retain", ::clRetainEvent(event));
  e.out.status("release", ::clReleaseEvent(event));
  e.out.number("state", state(event));
  settle(f.kernel, 1);
  print_count(e, "after the launch", f.kernel);
}

}  // namespace kiln::layer_cases
