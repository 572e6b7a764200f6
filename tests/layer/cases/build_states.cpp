// Call-backs of builds, and builds of a program that was built before.
#include "cases.hpp"

namespace kiln::layer_cases {
namespace {

/// What a call-back was told: it may come from another thread, but on the drivers that these cases
/// were written for it comes before the call returns.
struct Told {
  int calls = 0;
  cl_program program = nullptr;
  cl_int status = 1;
  cl_device_id device = nullptr;
};

void CL_CALLBACK note(cl_program program, void* data) {
  auto* told = static_cast<Told*>(data);
  ++told->calls;
  told->program = program;
  told->status = 1;
  ::clGetProgramBuildInfo(program, told->device, CL_PROGRAM_BUILD_STATUS, sizeof told->status,
                          &told->status, nullptr);
}

void build_and_be_told(Environment& e, cl_program program, const char* options, Told& told) {
  told.device = e.device;
  e.out.status("build", ::clBuildProgram(program, 1, &e.device, options, note, &told));
  e.out.number("calls so far", told.calls);
  e.out.line("with %s, whose status was %d", e.out.name_of(told.program).c_str(), told.status);
}

/// Builds that a call-back starts.
struct Nested {
  cl_kernel kernel = nullptr;
  cl_int status = 1;
  int calls = 0;
};

void CL_CALLBACK create_a_kernel(cl_program program, void* data) {
  auto* nested = static_cast<Nested*>(data);
  ++nested->calls;
  nested->kernel = ::clCreateKernel(program, "fill", &nested->status);
}

void CL_CALLBACK let_go(cl_program program, void* data) {
  auto* nested = static_cast<Nested*>(data);
  ++nested->calls;
  nested->status = ::clReleaseProgram(program);
}

/// Builds, or compiles, once more with other options.
void CL_CALLBACK build_again(cl_program program, void* data) {
  auto* nested = static_cast<Nested*>(data);
  ++nested->calls;
  nested->status = ::clBuildProgram(program, 0, nullptr, "-DSTEP=2", nullptr, nullptr);
}
void CL_CALLBACK compile_again(cl_program program, void* data) {
  auto* nested = static_cast<Nested*>(data);
  ++nested->calls;
  nested->status =
      ::clCompileProgram(program, 0, nullptr, "-DSTEP=2", 0, nullptr, nullptr, nullptr, nullptr);
}

constexpr const char* stepped_source =
    "#ifndef STEP\n#define STEP 0\n#endif\n"
    "kernel void fill(global int* out, int value) {\n"
    "  out[get_global_id(0)] = 1000 * STEP + value + (int)get_global_id(0);\n}\n"
    "#if STEP == 3\nkernel void only_in_three(global int* out) { out[0] = 3; }\n#endif\n"
    "#if STEP == 4\nthis is no program\n#endif\n";

}  // namespace

LAYER_CASE(callback_lets_the_program_go) {
  for (const char* text : {"kernel void fill(global int* out, int value) { out[0] = value; }\n",
                           "kernel void fill(global int* out) { out[0] = sizeof(__DATE__); }\n",
                           "this is no program\n"}) {
    Nested built, compiled;
    Program one = e.program(text), two = e.program(text);
    const cl_program handles[] = {one, two};
    // The call-back has the application's reference.
    *one.out() = nullptr;
    *two.out() = nullptr;
    e.out.status("build", ::clBuildProgram(handles[0], 0, nullptr, "", let_go, &built));
    e.out.status("compile", ::clCompileProgram(handles[1], 0, nullptr, "", 0, nullptr, nullptr,
                                               let_go, &compiled));
    e.out.line("%d and %d calls, release %d and %d", built.calls, compiled.calls, built.status,
               compiled.status);
  }
}

LAYER_CASE(callback_builds_again_after_a_failure) {
  Nested nested;
  const Program program = e.program(stepped_source);
  e.out.status("build", ::clBuildProgram(program, 0, nullptr, "-DSTEP=4", build_again, &nested));
  e.out.line("%d calls, the second build %d", nested.calls, nested.status);
  print_build(e, program, e.device);
  e.run_fill(program);
}

LAYER_CASE(callback_of_a_compile_compiles_again) {
  Nested nested;
  const Program first = e.program(stepped_source);
  e.out.status("compile", ::clCompileProgram(first, 0, nullptr, "-DSTEP=2", 0, nullptr, nullptr,
                                             nullptr, nullptr));
  const Program program = e.program(stepped_source);
  e.out.status("compile", ::clCompileProgram(program, 0, nullptr, "-DSTEP=1", 0, nullptr, nullptr,
                                             compile_again, &nested));
  e.out.line("%d calls, the second compile %d", nested.calls, nested.status);
  cl_int status = 1;
  const cl_program objects[] = {program};
  const Program linked =
      ::clLinkProgram(e.context, 0, nullptr, nullptr, 1, objects, nullptr, nullptr, &status);
  e.out.status("link", status);
  e.run_fill(linked);
}

LAYER_CASE(callback_of_a_build) {
  const Program program = e.program(fill_source);
  Told told;
  build_and_be_told(e, program, "", told);
  e.run_fill(program);
}

LONG_LAYER_CASE(callback_of_a_failed_build) {
  const Program program = e.program(wrong_source);
  Told told;
  build_and_be_told(e, program, "", told);
  print_build(e, program, e.device);
}

LAYER_CASE(callback_of_refused_options) {
  const Program program = e.program(fill_source);
  Told told;
  build_and_be_told(e, program, "-no-such-option", told);
}

LONG_LAYER_CASE(callback_of_each_of_three_builds) {
  const Program program = e.program(stepped_source);
  Told told;
  for (const char* options : {"-DSTEP=1", "-DSTEP=2", "-DSTEP=1"})
    build_and_be_told(e, program, options, told);
  e.run_fill(program);
}

LAYER_CASE(callback_of_a_rebuild_that_is_refused) {
  const Program program = e.built(fill_source);
  const Kernel kernel = e.kernel(program, "fill");
  Told told;
  build_and_be_told(e, program, "", told);
}

LAYER_CASE(callback_of_the_same_text_again) {
  Told first, second;
  const Program one = e.program(fill_source), two = e.program(fill_source);
  build_and_be_told(e, one, "", first);
  build_and_be_told(e, two, "", second);
  e.out.number("calls of the first", first.calls);
}

LAYER_CASE(callback_data_without_a_function) {
  const Program program = e.program(fill_source);
  int data = 0;
  e.out.status("build", ::clBuildProgram(program, 0, nullptr, "", nullptr, &data));
  print_build(e, program, e.device);
  e.build(program);
}

LAYER_CASE(callback_without_data) {
  static int calls = 0;
  calls = 0;
  const Program program = e.program(fill_source);
  e.out.status("build", ::clBuildProgram(
                            program, 0, nullptr, "",
                            [](cl_program, void* data) { calls += data == nullptr; }, nullptr));
  e.out.number("calls without data", calls);
  e.run_fill(program);
}

LAYER_CASE(callback_creates_a_kernel) {
  const Program program = e.program(fill_source);
  Nested nested;
  e.out.status("build", ::clBuildProgram(program, 0, nullptr, "", create_a_kernel, &nested));
  e.out.number("calls", nested.calls);
  e.out.status("kernel in the call-back", nested.status);
  const Kernel kernel = nested.kernel;
  if (kernel == nullptr) return;
  e.out.know(program, "the program");
  print_kernel(e, kernel);
}

LAYER_CASE(callback_of_null_program) {
  Told told;
  told.device = e.device;
  e.out.status("build", ::clBuildProgram(nullptr, 0, nullptr, "", note, &told));
  e.out.number("calls", told.calls);
}

LAYER_CASE(rebuild_with_equal_options) {
  const Program program = e.built(fill_source);
  e.run_fill(program, 1);
  e.build(program);
  e.run_fill(program, 2);
  print_program(e, program);
}

LAYER_CASE(rebuild_with_other_options) {
  const Program program = e.program(stepped_source);
  for (const char* options : {"-DSTEP=1", "-DSTEP=2", "", "-DSTEP=1"}) {
    e.build(program, options);
    e.run_fill(program);
    print_build(e, program, e.device);
  }
}

LAYER_CASE(rebuild_with_other_kernels) {
  const Program program = e.program(stepped_source);
  for (const char* options : {"", "-DSTEP=3", "-DSTEP=2"}) {
    e.build(program, options);
    print_program(e, program);
    const Kernel kernel = e.kernel(program, "only_in_three");
  }
}

LAYER_CASE(rebuild_while_a_kernel_is_alive) {
  const Program program = e.program(stepped_source);
  e.build(program, "-DSTEP=1");
  Kernel kernel = e.kernel(program, "fill");
  e.build(program, "-DSTEP=2");
  print_build(e, program, e.device);
  print_program(e, program);
  const Memory result = e.memory(8 * sizeof(int));
  e.set(kernel, 0, result);
  e.set(kernel, 1, 5);
  e.launch(kernel, {8}, {8});
  e.read<int>("by the kernel", result, 8);
  e.out.status("release of the kernel", kernel.release());
  settle(program, 1);
  e.build(program, "-DSTEP=2");
  e.run_fill(program);
}

LAYER_CASE(rebuild_while_a_kernel_is_retained) {
  const Program program = e.built(fill_source);
  Kernel kernel = e.kernel(program, "fill");
  e.out.status("retain", ::clRetainKernel(kernel));
  e.out.status("release", ::clReleaseKernel(kernel));
  e.build(program);
  e.out.status("release", kernel.release());
  e.build(program);
}

LAYER_CASE(rebuild_with_refused_options_while_a_kernel_is_alive) {
  const Program program = e.built(fill_source);
  const Kernel kernel = e.kernel(program, "fill");
  e.build(program, "-no-such-option");
  print_build(e, program, e.device);
  e.run_fill(program);
}

LAYER_CASE(rebuild_that_fails) {
  const Program program = e.program(stepped_source);
  e.build(program, "-DSTEP=1");
  e.build(program, "-DSTEP=4");
  print_build(e, program, e.device);
  const Kernel none = e.kernel(program, "fill");
  e.build(program, "-DSTEP=2");
  print_build(e, program, e.device);
  e.run_fill(program);
}

LAYER_CASE(rebuild_of_a_failed_program) {
  const Program program = e.program(stepped_source);
  e.build(program, "-DSTEP=4");
  e.build(program, "-DSTEP=4");
  e.build(program, "-DSTEP=1");
  print_program(e, program);
  e.run_fill(program);
}

LAYER_CASE(rebuild_after_the_binary_was_read) {
  const Program program = e.program(stepped_source);
  e.build(program, "-DSTEP=1");
  const auto first = binary_of(e, program);
  e.build(program, "-DSTEP=2");
  const auto second = binary_of(e, program);
  e.out.yes_no("equal binaries", first == second);
  const Program made = from_binary(e, second, e.context);
  e.build(made);
  e.run_fill(made);
  const Program older = from_binary(e, first, e.context);
  e.build(older);
  e.run_fill(older);
}

LAYER_CASE(rebuild_of_a_retained_program) {
  Program program = e.built(fill_source);
  e.out.status("retain", ::clRetainProgram(program));
  e.build(program);
  print_count(e, "after the rebuild", program);
  e.out.status("release", ::clReleaseProgram(program));
  e.run_fill(program);
}

LAYER_CASE(rebuild_many_times) {
  const Program program = e.program(fill_source);
  for (int i = 0; i < 20; ++i) e.build(program);
  print_count(e, "after 20 builds", program);
  print_count(e, "after 20 builds", e.context);
  e.run_fill(program);
}

}  // namespace kiln::layer_cases
