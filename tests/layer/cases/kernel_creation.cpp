// Kernels of a program: by name, all at once, clones.
#include "cases.hpp"

namespace kiln::layer_cases {
namespace {

constexpr const char* several_source =
    "kernel void zebra(global int* out) { out[0] = 1; }\n"
    "kernel void apple(global int* out, int x) { out[0] = x; }\n"
    "void helper(global int* out) { out[0] = 3; }\n"
    "kernel void mango(void) {}\n";

/// clCreateKernelsInProgram with `count` places, of which what was written is printed.
void create_all(Environment& e, cl_program program, cl_uint count) {
  std::vector<cl_kernel> places(count + 1, nullptr);
  cl_uint told = 4711;
  const cl_int status = ::clCreateKernelsInProgram(program, count, places.data(), &told);
  e.out.status(std::to_string(count) + " places", status);
  e.out.number("kernels told", told);
  for (const cl_kernel place : places) {
    const Kernel kernel = place;
    if (kernel == nullptr) continue;
    e.out.know(kernel, "kernel");
    print_kernel(e, kernel);
  }
}

}  // namespace

LAYER_CASE(kernel_names_right_and_wrong) {
  const Program program = e.built(several_source);
  for (const char* name : {"zebra", "apple", "mango", "helper", "Zebra", "zebra ", " zebra", "zebr",
                           "zebraa", "", "get_global_id", "no_such_kernel"})
    e.kernel(program, name);
}

LAYER_CASE(kernel_name_null) {
  const Program program = e.built(several_source);
  e.kernel(program, nullptr);
  e.kernel(nullptr, "zebra");
  cl_int status = 1;
  const cl_kernel kernel = ::clCreateKernel(program, "no_such_kernel", nullptr);
  e.out.yes_no("kernel without a place for the status", kernel != nullptr);
  e.out.yes_no("NULL", ::clCreateKernel(program, "no_such_kernel", &status) == nullptr);
}

LAYER_CASE(kernel_of_an_unbuilt_program) {
  const Program program = e.program(several_source);
  e.kernel(program, "zebra");
  e.kernel(program, "no_such_kernel");
  cl_uint told = 4711;
  e.out.status("all kernels", ::clCreateKernelsInProgram(program, 0, nullptr, &told));
}

LAYER_CASE(kernel_of_a_failed_program) {
  const Program program = e.built(wrong_source);
  e.kernel(program, "wrong");
  cl_uint told = 4711;
  e.out.status("all kernels", ::clCreateKernelsInProgram(program, 0, nullptr, &told));
}

LAYER_CASE(kernels_all_at_once) {
  const Program program = e.built(several_source);
  cl_uint told = 4711;
  e.out.status("how many", ::clCreateKernelsInProgram(program, 0, nullptr, &told));
  e.out.number("kernels", told);
  create_all(e, program, 3);
  print_count(e, "after all were released", program);
}

LAYER_CASE(kernels_all_at_once_into_more_places) { create_all(e, e.built(several_source), 5); }

LAYER_CASE(kernels_all_at_once_into_too_few_places) {
  const Program program = e.built(several_source);
  create_all(e, program, 2);
  print_count(e, "afterwards", program);
  e.build(program);
}

LAYER_CASE(kernels_all_at_once_without_a_place_for_the_count) {
  const Program program = e.built(several_source);
  cl_kernel places[3] = {};
  e.out.status("kernels", ::clCreateKernelsInProgram(program, 3, places, nullptr));
  for (const cl_kernel place : places) e.out.status("release", ::clReleaseKernel(place));
  e.out.status("nothing asked", ::clCreateKernelsInProgram(program, 0, nullptr, nullptr));
  e.out.status("no program", ::clCreateKernelsInProgram(nullptr, 3, places, nullptr));
}

LAYER_CASE(kernels_all_at_once_of_a_program_without_any) {
  create_all(e, e.built("int twice(int x) { return 2 * x; }\n"), 2);
}

LAYER_CASE(kernels_all_at_once_run) {
  const Program program = e.built(
      "kernel void one(global int* out) { out[0] = 1; }\n"
      "kernel void two(global int* out) { out[0] = 2; }\n");
  cl_kernel places[2] = {};
  e.out.status("kernels", ::clCreateKernelsInProgram(program, 2, places, nullptr));
  const Memory result = e.memory(sizeof(int));
  for (const cl_kernel place : places) {
    const Kernel kernel = place;
    e.set(kernel, 0, result);
    e.launch(kernel, {1}, {1});
    e.read<int>("result", result, 1);
  }
}

LAYER_CASE(kernel_twice_has_two_sets_of_arguments) {
  const Program program = e.built(fill_source);
  const Kernel first = e.kernel(program, "fill"), second = e.kernel(program, "fill");
  const Memory one = e.memory(4 * sizeof(int)), two = e.memory(4 * sizeof(int));
  e.set(first, 0, one);
  e.set(second, 0, two);
  e.set(first, 1, 10);
  e.set(second, 1, 20);
  e.launch(first, {4}, {4});
  e.launch(second, {4}, {4});
  e.read<int>("first", one, 4);
  e.read<int>("second", two, 4);
}

LAYER_CASE(kernel_clone) {
  const Program program = e.built(fill_source);
  const Kernel kernel = e.kernel(program, "fill");
  const Memory result = e.memory(4 * sizeof(int));
  e.set(kernel, 0, result);
  e.set(kernel, 1, 10);
  cl_int status = 1;
  const Kernel clone = ::clCloneKernel(kernel, &status);
  e.out.status("clone", status);
  if (clone == nullptr) return;
  e.out.know(clone, "clone");
  print_kernel(e, clone);
  print_work_group(e, clone, e.device);
  e.launch(clone, {4}, {4});
  e.read<int>("by the clone", result, 4);
  e.set(clone, 1, 20);
  e.launch(kernel, {4}, {4});
  e.read<int>("by the kernel", result, 4);
  e.launch(clone, {4}, {4});
  e.read<int>("by the clone", result, 4);
  print_count(e, "with a clone", program);
  e.build(program);
}

LAYER_CASE(kernel_clone_outlives_the_kernel) {
  Program program = e.built(fill_source);
  Kernel kernel = e.kernel(program, "fill");
  const Memory result = e.memory(4 * sizeof(int));
  e.set(kernel, 0, result);
  e.set(kernel, 1, 10);
  cl_int status = 1;
  const Kernel clone = ::clCloneKernel(kernel, &status);
  e.out.status("clone", status);
  e.out.status("release of the kernel", kernel.release());
  e.out.status("release of the program", program.release());
  print_kernel(e, clone);
  e.launch(clone, {4}, {4});
  e.read<int>("by the clone", result, 4);
}

LAYER_CASE(kernel_clone_refused) {
  cl_int status = 1;
  const cl_kernel clone = ::clCloneKernel(nullptr, &status);
  e.out.status("clone of NULL", status);
  e.out.yes_no("NULL", clone == nullptr);
}

LAYER_CASE(kernel_null_everywhere) {
  std::size_t size = 0;
  e.out.status("retain", ::clRetainKernel(nullptr));
  e.out.status("release", ::clReleaseKernel(nullptr));
  e.out.status("argument", ::clSetKernelArg(nullptr, 0, 4, &size));
  e.out.status("query", ::clGetKernelInfo(nullptr, CL_KERNEL_NUM_ARGS, 0, nullptr, &size));
  e.out.status("query of an argument",
               ::clGetKernelArgInfo(nullptr, 0, CL_KERNEL_ARG_NAME, 0, nullptr, &size));
  e.out.status(
      "query of a work-group",
      ::clGetKernelWorkGroupInfo(nullptr, e.device, CL_KERNEL_WORK_GROUP_SIZE, 0, nullptr, &size));
  // A launch of NULL: PoCL 3.1 crashes.
}

LAYER_CASE(kernels_before_and_after_a_rebuild) {
  const Program program = e.built(several_source);
  Kernel kernel = e.kernel(program, "apple");
  print_kernel(e, kernel);
  e.out.status("release", kernel.release());
  e.build(program, "-cl-kernel-arg-info");
  kernel = e.kernel(program, "apple");
  print_kernel(e, kernel);
  print_arguments(e, kernel, 2);
}

LAYER_CASE(kernels_of_two_programs_of_one_text) {
  const Program first = e.built(fill_source), second = e.built(fill_source);
  const Kernel one = e.kernel(first, "fill"), two = e.kernel(second, "fill");
  print_kernel(e, one);
  print_kernel(e, two);
  e.build(first);
  e.build(second);
}

LAYER_CASE(kernels_a_hundred_at_once) {
  const Program program = e.built(fill_source);
  std::vector<Kernel> kernels;
  const Memory result = e.memory(4 * sizeof(int));
  cl_int wrong = 0;
  for (int i = 0; i < 100; ++i) {
    kernels.emplace_back(::clCreateKernel(program, "fill", nullptr));
    wrong |= ::clSetKernelArg(kernels.back(), 0, sizeof(cl_mem), result.address());
    wrong |= ::clSetKernelArg(kernels.back(), 1, sizeof i, &i);
  }
  e.out.number("statuses", wrong);
  print_count(e, "with 100 kernels", program);
  for (const int chosen : {99, 0, 50}) {
    e.launch(kernels[static_cast<std::size_t>(chosen)], {4}, {4});
    e.read<int>("fill", result, 4);
  }
}

}  // namespace kiln::layer_cases
