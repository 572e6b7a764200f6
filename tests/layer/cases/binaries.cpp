// Programs from binaries, and the other ways to a program that are not source.
#include <algorithm>

#include "cases.hpp"

namespace kiln::layer_cases {
namespace {

/// As from_binary(), with all that can be given wrong.
cl_program create(Environment& e, const char* what, cl_uint count, const cl_device_id* devices,
                  const std::size_t* lengths, const unsigned char** binaries,
                  bool with_binary_status = true) {
  cl_int status = 1, binary_status = 1;
  const cl_program program =
      ::clCreateProgramWithBinary(e.context, count, devices, lengths, binaries,
                                  with_binary_status ? &binary_status : nullptr, &status);
  e.out.line("%s: %s, binary status %s", what, status_name(status).c_str(),
             binary_status == 1 ? "not written" : status_name(binary_status).c_str());
  return program;
}

void print_all(Environment& e, cl_program program) {
  print_program(e, program);
  print_build(e, program, e.device);
}

void try_damaged(Environment& e, const std::vector<unsigned char>& binary) {
  const Program program = from_binary(e, binary, e.context);
  if (program == nullptr) return;
  if (e.build(program) == CL_SUCCESS) e.run_fill(program);
}

constexpr const char* attributes_source =
    "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void fill(global int* out, int value) "
    "{\n"
    "  out[get_global_id(0)] = value + (int)get_global_id(0);\n}\n";

}  // namespace

LAYER_CASE(binary_in_the_same_context) {
  const Program program = e.built(fill_source);
  const auto binary = binary_of(e, program);
  const Program made = from_binary(e, binary, e.context);
  print_all(e, made);
  e.build(made);
  print_all(e, made);
  e.run_fill(made);
}

LAYER_CASE(binary_in_another_context) {
  const Program program = e.built(fill_source);
  const auto binary = binary_of(e, program);
  const Context other = e.new_context();
  const Queue queue = e.new_queue(other);
  const Program made = from_binary(e, binary, other);
  e.build(made);
  print_all(e, made);
  e.run_fill(made, 7, other, queue);
}

LAYER_CASE(binary_after_its_program_was_released) {
  Program program = e.built(fill_source);
  const auto binary = binary_of(e, program);
  e.out.status("release", program.release());
  const Program made = from_binary(e, binary, e.context);
  e.build(made);
  e.run_fill(made);
}

LAYER_CASE(binary_asked_twice) {
  const Program program = e.built(fill_source);
  const auto first = binary_of(e, program), second = binary_of(e, program);
  e.out.yes_no("equal", first == second);
  e.run_fill(program);
  const auto third = binary_of(e, program);
  e.out.yes_no("a size after a launch", !third.empty());
  const auto fourth = binary_of(e, program);
  e.out.yes_no("equal again", third == fourth);
}

LAYER_CASE(binary_before_a_build) {
  const Program program = e.program(fill_source);
  const auto binary = binary_of(e, program);
}

LAYER_CASE(binary_of_a_binary) {
  const Program program = e.built(fill_source);
  const auto first = binary_of(e, program);
  const Program made = from_binary(e, first, e.context);
  const auto before_build = binary_of(e, made);
  e.out.yes_no("equal before the build", first == before_build);
  e.build(made);
  const auto second = binary_of(e, made);
  const Program again = from_binary(e, second, e.context);
  e.build(again);
  e.run_fill(again);
}

LAYER_CASE(binary_used_without_a_build) {
  const Program program = e.built(fill_source);
  const Program made = from_binary(e, binary_of(e, program), e.context);
  const Kernel none = e.kernel(made, "fill");
  print_all(e, made);
}

LAYER_CASE(binary_with_options) {
  const Program program = e.built(fill_source, "-DUNUSED=1 -cl-mad-enable");
  const Program made = from_binary(e, binary_of(e, program), e.context);
  print_build(e, made, e.device);
  e.build(made, "-DOTHER=2");
  print_build(e, made, e.device);
  e.build(made, "-no-such-option");
  print_build(e, made, e.device);
  // Another build now: PoCL 3.1 fails an assertion.
}

LONG_LAYER_CASE(binary_with_attributes_and_arguments) {
  const Program program = e.built(attributes_source, "-cl-kernel-arg-info");
  const Program made = from_binary(e, binary_of(e, program), e.context);
  e.build(made, "-cl-kernel-arg-info");
  const Kernel kernel = e.kernel(made, "fill");
  print_kernel(e, kernel);
  print_work_group(e, kernel, e.device);
  print_arguments(e, kernel, 2);
  e.run_fill(made);
}

LAYER_CASE(binary_and_counts) {
  const Program program = e.built(fill_source);
  const auto binary = binary_of(e, program);
  print_count(e, "with the program", e.context);
  Program made = from_binary(e, binary, e.context);
  print_count(e, "made", made);
  print_count(e, "with both", e.context);
  e.build(made);
  print_count(e, "built", made);
  print_count(e, "with both", e.context);
  e.out.status("release", made.release());
  print_count(e, "with the program", e.context);
}

LAYER_CASE(binary_rebuilt_with_a_kernel_alive) {
  const Program program = e.built(fill_source);
  const Program made = from_binary(e, binary_of(e, program), e.context);
  e.build(made);
  const Kernel kernel = e.kernel(made, "fill");
  e.build(made);
  print_build(e, made, e.device);
}

LAYER_CASE(binary_is_compiled_and_linked) {
  const Program program = e.built(fill_source);
  const Program made = from_binary(e, binary_of(e, program), e.context);
  e.out.status("compile", ::clCompileProgram(made, 0, nullptr, nullptr, 0, nullptr, nullptr,
                                             nullptr, nullptr));
  cl_int status = 1;
  const cl_program objects[] = {made};
  const Program linked =
      ::clLinkProgram(e.context, 0, nullptr, nullptr, 1, objects, nullptr, nullptr, &status);
  e.out.status("link", status);
}

LAYER_CASE(binary_of_several_kernels) {
  const Program program = e.built(
      "kernel void zebra(global int* out) { out[0] = 1; }\n"
      "kernel void apple(global int* out) { out[0] = 2; }\n");
  const Program made = from_binary(e, binary_of(e, program), e.context);
  e.build(made);
  print_all(e, made);
  const Memory result = e.memory(sizeof(int));
  for (const char* name : {"zebra", "apple"}) {
    const Kernel kernel = e.kernel(made, name);
    e.set(kernel, 0, result);
    e.launch(kernel, {1}, {1});
    e.read<int>(name, result, 1);
  }
}

LAYER_CASE(binary_with_a_callback) {
  static int calls = 0;
  calls = 0;
  const Program program = e.built(fill_source);
  const Program made = from_binary(e, binary_of(e, program), e.context);
  e.out.status("build",
               ::clBuildProgram(
                   made, 0, nullptr, nullptr, [](cl_program, void*) { ++calls; }, nullptr));
  e.out.number("calls", calls);
}

LAYER_CASE(binary_overwritten_after_creation) {
  const Program program = e.built(fill_source);
  auto binary = binary_of(e, program);
  const Program made = from_binary(e, binary, e.context);
  std::fill(binary.begin(), binary.end(), static_cast<unsigned char>(0));
  e.build(made);
  e.run_fill(made);
}

LAYER_CASE(binary_damaged_at_its_begin) {
  const Program program = e.built(fill_source);
  auto binary = binary_of(e, program);
  binary[0] ^= 0xff;
  try_damaged(e, binary);
}

LAYER_CASE(binary_that_is_none) {
  for (const std::size_t size : {1u, 3u, 8u, 100u, 5000u})
    try_damaged(e, std::vector<unsigned char>(size, 'x'));
  const std::string text = fill_source;
  try_damaged(e, {text.begin(), text.end()});
}

LAYER_CASE(binary_wrong_lists) {
  const Program program = e.built(fill_source);
  const auto binary = binary_of(e, program);
  const std::size_t size = binary.size(), zero = 0;
  const unsigned char* bytes = binary.data();
  const unsigned char* nothing = nullptr;
  create(e, "no devices", 0, &e.device, &size, &bytes);
  create(e, "no list of devices", 1, nullptr, &size, &bytes);
  create(e, "no lengths", 1, &e.device, nullptr, &bytes);
  // No list of binaries: PoCL 3.1 crashes.
  create(e, "length 0", 1, &e.device, &zero, &bytes);
  create(e, "binary NULL", 1, &e.device, &size, &nothing);
  const Program right = create(e, "without binary status", 1, &e.device, &size, &bytes, false);
  e.build(right);
  cl_int status = 1;
  const cl_program in_none =
      ::clCreateProgramWithBinary(nullptr, 1, &e.device, &size, &bytes, nullptr, &status);
  e.out.status("no context", status);
  e.out.yes_no("a program", in_none != nullptr);
}

LAYER_CASE(binary_of_a_wrong_device) {
  const Program program = e.built(fill_source);
  const auto binary = binary_of(e, program);
  const std::size_t sizes[] = {binary.size(), binary.size()};
  const unsigned char* bytes[] = {binary.data(), binary.data()};
  const cl_device_id twice[] = {e.device, e.device};
  const Program made = create(e, "the device twice", 2, twice, sizes, bytes);
}

LAYER_CASE(intermediate_language) {
  const std::uint32_t words[] = {0x07230203, 0x00010000, 0, 1, 0};
  cl_int status = 1;
  Program program = ::clCreateProgramWithIL(e.context, words, sizeof words, &status);
  e.out.status("five words", status);
  e.out.yes_no("a program", program != nullptr);
  program = Program(::clCreateProgramWithIL(e.context, nullptr, 20, &status));
  e.out.status("NULL", status);
  program = Program(::clCreateProgramWithIL(e.context, words, 0, &status));
  e.out.status("no bytes", status);
  program = Program(::clCreateProgramWithIL(nullptr, words, sizeof words, &status));
  e.out.status("no context", status);
  program = Program(::clCreateProgramWithIL(e.context, fill_source, 60, &status));
  e.out.status("a text", status);
}

// Before a build PoCL 3.1 fails an assertion.
LAYER_CASE(specialisation_constants) {
  const Program program = e.built(fill_source);
  const int value = 3;
  e.out.status("constant 0",
               ::clSetProgramSpecializationConstant(program, 0, sizeof value, &value));
  e.out.status("no value", ::clSetProgramSpecializationConstant(program, 0, 4, nullptr));
  e.out.status("no program", ::clSetProgramSpecializationConstant(nullptr, 0, 4, &value));
}

LAYER_CASE(built_in_kernels) {
  e.out.answer("CL_DEVICE_BUILT_IN_KERNELS", Form::text,
               [&](std::size_t size, void* value, std::size_t* told) {
                 return ::clGetDeviceInfo(e.device, CL_DEVICE_BUILT_IN_KERNELS, size, value, told);
               });
  for (const char* names : {"no_such_kernel", "", "fill;fill"}) {
    cl_int status = 1;
    const Program program =
        ::clCreateProgramWithBuiltInKernels(e.context, 1, &e.device, names, &status);
    e.out.status(std::string("names \"") + names + "\"", status);
  }
  cl_int status = 1;
  const cl_program program =
      ::clCreateProgramWithBuiltInKernels(e.context, 0, &e.device, "fill", &status);
  e.out.status("no devices", status);
  e.out.yes_no("a program", program != nullptr);
  ::clCreateProgramWithBuiltInKernels(nullptr, 1, &e.device, "fill", &status);
  e.out.status("no context", status);
}

LAYER_CASE(compiler_unloaded_between_builds) {
  e.out.status("unload", ::clUnloadPlatformCompiler(e.platform));
  const Program first = e.built(fill_source);
  e.run_fill(first);
  e.out.status("unload", ::clUnloadPlatformCompiler(e.platform));
  e.out.status("unload", ::clUnloadCompiler());
  e.run_fill(first, 9);
  const Program second = e.built(fill_source, "-DUNLOADED");
  e.run_fill(second, 10);
  e.build(first);
  e.run_fill(first, 11);
  e.out.status("unload NULL", ::clUnloadPlatformCompiler(nullptr));
}

}  // namespace kiln::layer_cases
