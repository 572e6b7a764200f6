// Reference counts after every step, objects that outlive others, and call-backs of releases.
#include "cases.hpp"

namespace kiln::layer_cases {
namespace {

/// The order of call-backs.
struct Calls {
  std::string order;
  const void* handle = nullptr;
};

struct Call {
  Calls* calls;
  char name;
};

void CL_CALLBACK program_released(cl_program program, void* data) {
  const auto* call = static_cast<Call*>(data);
  call->calls->order += call->name;
  call->calls->handle = program;
}

void CL_CALLBACK context_destroyed(cl_context context, void* data) {
  const auto* call = static_cast<Call*>(data);
  call->calls->order += call->name;
  call->calls->handle = context;
}

}  // namespace

LAYER_CASE(counts_of_a_program_and_its_context) {
  print_count(e, "at first", e.context);
  Program program = e.program(fill_source);
  print_count(e, "after creation", program);
  print_count(e, "after creation", e.context);
  e.build(program);
  print_count(e, "after the build", program);
  print_count(e, "after the build", e.context);
  e.build(program);
  print_count(e, "after the rebuild", program);
  print_count(e, "after the rebuild", e.context);
  binary_of(e, program);
  print_count(e, "after the binary", program);
  print_count(e, "after the binary", e.context);
  e.out.status("retain", ::clRetainProgram(program));
  print_count(e, "after a retain", program);
  e.out.status("release", ::clReleaseProgram(program));
  print_count(e, "after a release", program);
  e.out.status("release", program.release());
  print_count(e, "after the last release", e.context);
}

LAYER_CASE(counts_with_kernels) {
  const Program program = e.built(fill_source);
  Kernel first = e.kernel(program, "fill");
  print_count(e, "with one kernel", program);
  print_count(e, "with one kernel", e.context);
  print_count(e, "at first", first);
  Kernel second = e.kernel(program, "fill");
  e.out.yes_no("two handles", first != second);
  print_count(e, "with two kernels", program);
  e.out.status("retain", ::clRetainKernel(first));
  print_count(e, "after a retain", first);
  print_count(e, "after a retain of a kernel", program);
  e.out.status("release", ::clReleaseKernel(first));
  print_count(e, "after a release", first);
  e.out.status("release", first.release());
  print_count(e, "with one kernel again", program);
  e.out.status("release", second.release());
  print_count(e, "without kernels", program);
  print_count(e, "without kernels", e.context);
}

LAYER_CASE(counts_after_failed_builds) {
  Program program = e.program(wrong_source);
  for (int i = 0; i < 3; ++i) e.build(program);
  print_count(e, "after three failed builds", program);
  print_count(e, "after three failed builds", e.context);
  e.out.status("release", program.release());
  print_count(e, "after the release", e.context);
}

LAYER_CASE(counts_after_failed_kernels) {
  const Program program = e.built(fill_source);
  for (int i = 0; i < 3; ++i) e.kernel(program, "no_such_kernel");
  print_count(e, "after three failures", program);
  print_count(e, "after three failures", e.context);
}

LAYER_CASE(counts_with_arguments_and_launches) {
  const Program program = e.built(fill_source);
  const Kernel kernel = e.kernel(program, "fill");
  const Memory result = e.memory(8 * sizeof(int));
  e.set(kernel, 0, result);
  e.set(kernel, 1, 1);
  cl_uint count = 0;
  e.out.status("count of the memory",
               ::clGetMemObjectInfo(result, CL_MEM_REFERENCE_COUNT, sizeof count, &count, nullptr));
  e.out.number("count of the memory", count);
  e.launch(kernel, {8}, {8});
  e.read<int>("fill", result, 8);
  print_count(e, "after a launch", program);
}

LONG_LAYER_CASE(counts_of_twenty_programs) {
  print_count(e, "at first", e.context);
  std::vector<Program> programs;
  for (int i = 0; i < 20; ++i) programs.push_back(e.built(fill_source));
  print_count(e, "with 20 programs", e.context);
  programs.clear();
  print_count(e, "without them", e.context);
}

LAYER_CASE(kernel_outlives_its_program) {
  Program program = e.built(fill_source);
  const Kernel kernel = e.kernel(program, "fill");
  e.out.status("release of the program", program.release());
  print_kernel(e, kernel);
  print_work_group(e, kernel, e.device);
  const Memory result = e.memory(8 * sizeof(int));
  e.set(kernel, 0, result);
  e.set(kernel, 1, 30);
  e.launch(kernel, {8}, {8});
  e.read<int>("fill", result, 8);
}

LAYER_CASE(program_asked_back_from_its_kernel) {
  Program program = e.built(fill_source);
  const Kernel kernel = e.kernel(program, "fill");
  e.out.status("release of the program", program.release());
  cl_program back = nullptr;
  e.out.status("program of the kernel",
               ::clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof back, &back, nullptr));
  e.out.line("it is %s", e.out.name_of(back).c_str());
  print_program(e, back);
  print_build(e, back, e.device);
  e.run_fill(back);
}

LAYER_CASE(program_outlives_the_context_of_the_caller) {
  Context context = e.new_context();
  const Queue queue = e.new_queue(context);
  const Program program = e.program(fill_source, context);
  const cl_context handle = context;
  e.out.status("release of the context", context.release());
  e.build(program);
  print_program(e, program);
  e.run_fill(program, 9, handle, queue);
}

LAYER_CASE(kernel_outlives_all_else) {
  Context context = e.new_context();
  Queue queue = e.new_queue(context);
  Program program = e.program(fill_source, context);
  e.build(program);
  Kernel kernel = e.kernel(program, "fill");
  Memory result = e.memory(8 * sizeof(int), nullptr, context);
  e.set(kernel, 0, result);
  e.set(kernel, 1, 60);
  e.out.status("release of the program", program.release());
  e.out.status("release of the context", context.release());
  e.launch(queue, kernel, {8}, {2});
  e.read<int>("fill", queue, result, 8);
  e.out.status("release of the memory", result.release());
  e.out.status("release of the queue", queue.release());
  settle(kernel, 1);
  print_kernel(e, kernel);
  e.out.status("release of the kernel", kernel.release());
}

LAYER_CASE(released_while_a_launch_waits) {
  const Memory result = e.memory(8 * sizeof(int));
  cl_int status = 1;
  const Event gate = ::clCreateUserEvent(e.context, &status);
  e.out.status("user event", status);
  {
    Program program = e.built(fill_source);
    Kernel kernel = e.kernel(program, "fill");
    e.set(kernel, 0, result);
    e.set(kernel, 1, 70);
    const std::size_t global = 8;
    e.out.status("launch", ::clEnqueueNDRangeKernel(e.queue, kernel, 1, nullptr, &global, nullptr,
                                                    1, gate.address(), nullptr));
    e.out.status("release of the kernel", kernel.release());
    e.out.status("release of the program", program.release());
  }
  e.out.status("gate", ::clSetUserEventStatus(gate, CL_COMPLETE));
  e.read<int>("fill", result, 8);
}

LAYER_CASE(release_callback_of_a_program) {
  Calls calls;
  Call first{&calls, 'a'};
  Program program = e.program(fill_source);
  e.out.status("call-back set", ::clSetProgramReleaseCallback(program, program_released, &first));
  e.build(program);
  e.out.text("calls after the build", calls.order);
  e.out.status("retain", ::clRetainProgram(program));
  e.out.status("release", ::clReleaseProgram(program));
  e.out.text("calls while one reference is left", calls.order);
  e.out.status("release", program.release());
  e.out.text("calls after the last release", calls.order);
}

LAYER_CASE(release_callbacks_in_their_order) {
  Calls calls;
  Call first{&calls, 'a'}, second{&calls, 'b'}, third{&calls, 'c'};
  Program program = e.built(fill_source);
  for (Call* call : {&first, &second, &third})
    e.out.status("call-back set", ::clSetProgramReleaseCallback(program, program_released, call));
  const void* handle = program;
  e.out.status("release", program.release());
  e.out.text("calls", calls.order);
  if (!calls.order.empty()) e.out.yes_no("with the program", calls.handle == handle);
}

LAYER_CASE(release_callback_while_a_kernel_is_alive) {
  Calls calls;
  Call first{&calls, 'a'};
  Program program = e.built(fill_source);
  Kernel kernel = e.kernel(program, "fill");
  e.out.status("call-back set", ::clSetProgramReleaseCallback(program, program_released, &first));
  e.out.status("release of the program", program.release());
  e.out.text("calls", calls.order);
  e.out.status("release of the kernel", kernel.release());
  e.out.text("calls", calls.order);
}

LAYER_CASE(release_callback_refused) {
  const Program program = e.program(fill_source);
  e.out.status("no function", ::clSetProgramReleaseCallback(program, nullptr, nullptr));
  e.out.status("no program", ::clSetProgramReleaseCallback(nullptr, program_released, nullptr));
}

LAYER_CASE(destructor_callback_of_a_context) {
  Calls calls;
  Call first{&calls, 'a'}, second{&calls, 'b'};
  Context context = e.new_context();
  e.out.status("call-back set",
               ::clSetContextDestructorCallback(context, context_destroyed, &first));
  e.out.status("call-back set",
               ::clSetContextDestructorCallback(context, context_destroyed, &second));
  Program program = e.program(fill_source, context);
  e.build(program);
  Kernel kernel = e.kernel(program, "fill");
  const void* handle = context;
  e.out.status("release of the context", context.release());
  e.out.text("calls", calls.order);
  e.out.status("release of the program", program.release());
  e.out.text("calls", calls.order);
  e.out.status("release of the kernel", kernel.release());
  e.out.text("calls", calls.order);
  e.out.yes_no("with the context", calls.handle == handle);
}

LAYER_CASE(destructor_callback_after_ten_builds) {
  Calls calls;
  Call first{&calls, 'a'};
  Context context = e.new_context();
  e.out.status("call-back set",
               ::clSetContextDestructorCallback(context, context_destroyed, &first));
  for (int i = 0; i < 10; ++i) {
    const Program program = e.program(fill_source, context);
    e.build(program);
  }
  e.out.text("calls", calls.order);
  e.out.status("release of the context", context.release());
  e.out.text("calls", calls.order);
}

LAYER_CASE(handles_after_release_may_come_again) {
  // The driver may give the same address to the next program: what was known of the former must
  // be forgotten by then.
  for (int round = 0; round < 8; ++round) {
    const std::string number = std::to_string(round % 4);
    Program program =
        e.built("kernel void round" + number + "(global int* out) { out[0] = " + number + "; }\n");
    const Kernel kernel = e.kernel(program, ("round" + number).c_str());
    const Memory result = e.memory(sizeof(int));
    e.set(kernel, 0, result);
    e.launch(kernel, {1}, {1});
    e.read<int>("round", result, 1);
    print_program(e, program);
  }
}

LAYER_CASE(handles_of_unbuilt_programs_come_again) {
  for (int round = 0; round < 4; ++round) {
    { const Program built = e.built(fill_source); }
    const Program fresh = e.program(wrong_source);
    print_build(e, fresh, e.device);
    print_program(e, fresh);
    const Kernel none = e.kernel(fresh, "fill");
  }
}

}  // namespace kiln::layer_cases
