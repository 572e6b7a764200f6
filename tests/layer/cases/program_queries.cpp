// The queries of a program in every state that it can be in.
#include "cases.hpp"

namespace kiln::layer_cases {
namespace {

/// A text of three kernels, whose order in answers is to be seen.
constexpr const char* three_kernels =
    "constant int base = 100;\n"
    "kernel void second_name(global int* out) { out[get_global_id(0)] = base; }\n"
    "kernel void first_name(global float* out, float x) { out[get_global_id(0)] = x; }\n"
    "kernel void no_argument() {}\n";

constexpr std::pair<cl_program_info, const char*> program_names[] = {
    {CL_PROGRAM_REFERENCE_COUNT, "CL_PROGRAM_REFERENCE_COUNT"},
    {CL_PROGRAM_CONTEXT, "CL_PROGRAM_CONTEXT"},
    {CL_PROGRAM_NUM_DEVICES, "CL_PROGRAM_NUM_DEVICES"},
    {CL_PROGRAM_DEVICES, "CL_PROGRAM_DEVICES"},
    {CL_PROGRAM_SOURCE, "CL_PROGRAM_SOURCE"},
    {CL_PROGRAM_NUM_KERNELS, "CL_PROGRAM_NUM_KERNELS"},
    {CL_PROGRAM_KERNEL_NAMES, "CL_PROGRAM_KERNEL_NAMES"},
    {CL_PROGRAM_BINARY_SIZES, "CL_PROGRAM_BINARY_SIZES"},
};
constexpr std::pair<cl_program_build_info, const char*> build_names[] = {
    {CL_PROGRAM_BUILD_STATUS, "CL_PROGRAM_BUILD_STATUS"},
    {CL_PROGRAM_BUILD_OPTIONS, "CL_PROGRAM_BUILD_OPTIONS"},
    {CL_PROGRAM_BUILD_LOG, "CL_PROGRAM_BUILD_LOG"},
    {CL_PROGRAM_BINARY_TYPE, "CL_PROGRAM_BINARY_TYPE"},
    {CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, "CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE"},
};

void all_program_edges(Environment& e, cl_program program) {
  for (const auto& [name, text] : program_names)
    e.out.edges(text, [&, query = name](std::size_t size, void* value, std::size_t* told) {
      return ::clGetProgramInfo(program, query, size, value, told);
    });
}

void all_build_edges(Environment& e, cl_program program) {
  for (const auto& [name, text] : build_names)
    e.out.edges(text, [&, query = name](std::size_t size, void* value, std::size_t* told) {
      return ::clGetProgramBuildInfo(program, e.device, query, size, value, told);
    });
}

/// Binaries are asked with a list of places, of which some may be NULL.
void binaries_edges(Environment& e, cl_program program) {
  std::size_t size = 0, told = 0;
  e.out.status("BINARIES, for the size",
               ::clGetProgramInfo(program, CL_PROGRAM_BINARIES, 0, nullptr, &told));
  e.out.number("bytes of places", static_cast<long long>(told));
  e.out.status("BINARY_SIZES",
               ::clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr));
  e.out.yes_no("a size", size > 0);
  // A place that is NULL: PoCL 3.1 crashes.
  std::vector<unsigned char> bytes(size + 1, 0xa5);
  unsigned char* place = bytes.data();
  e.out.status("BINARIES, list too short",
               ::clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place - 1, &place, nullptr));
  e.out.yes_no("untouched", bytes.front() == 0xa5);
  e.out.status("BINARIES, list longer",
               ::clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, &place, &told));
  e.out.yes_no("not one byte too many", bytes.back() == 0xa5);
}

}  // namespace

LAYER_CASE(program_queries_before_a_build) {
  const Program program = e.program(three_kernels);
  print_program(e, program);
  print_build(e, program, e.device);
}

LONG_LAYER_CASE(program_queries_after_a_build) {
  const Program program = e.built(three_kernels);
  print_program(e, program);
  print_build(e, program, e.device);
}

LONG_LAYER_CASE(program_queries_after_a_failed_build) {
  const Program program = e.built(wrong_source);
  print_program(e, program);
}

LONG_LAYER_CASE(program_queries_after_a_second_failed_build) {
  const Program program = e.built(wrong_source);
  e.build(program);
  print_program(e, program);
  print_build(e, program, e.device);
}

LAYER_CASE(program_queries_after_a_build_with_warnings) {
  const Program program = e.built(warned_source);
  print_program(e, program);
  print_build(e, program, e.device);
}

LAYER_CASE(program_queries_of_two_programs_with_warnings) {
  const Program first = e.built(warned_source), second = e.built(warned_source);
  print_build(e, first, e.device);
  print_build(e, second, e.device);
}

LONG_LAYER_CASE(program_queries_after_a_rebuild) {
  const Program program = e.built(three_kernels);
  e.build(program, "-D SOMETHING=1");
  print_program(e, program);
  print_build(e, program, e.device);
}

LAYER_CASE(program_queries_after_a_rebuild_that_fails) {
  const Program program =
      e.built("#ifdef BREAK\nthis is no program\n#endif\n" + std::string(three_kernels));
  e.build(program, "-D BREAK");
  print_program(e, program);
  print_build(e, program, e.device);
}

LAYER_CASE(program_queries_after_a_rebuild_that_mends) {
  const Program program =
      e.built("#ifndef MEND\nthis is no program\n#endif\n" + std::string(three_kernels));
  e.build(program, "-D MEND");
  print_program(e, program);
  print_build(e, program, e.device);
}

LAYER_CASE(program_queries_after_refused_options) {
  const Program program = e.built(three_kernels, "-no-such-option");
  print_program(e, program);
  print_build(e, program, e.device);
}

LAYER_CASE(program_sizes_before_a_build) {
  const Program program = e.program(three_kernels);
  all_program_edges(e, program);
}

LAYER_CASE(program_sizes_after_a_build) {
  const Program program = e.built(three_kernels);
  for (const auto& [name, text] : program_names) {
    // The size of the binary is not for the transcript, but its edges are.
    e.out.edges(text, [&, query = name](std::size_t size, void* value, std::size_t* told) {
      return ::clGetProgramInfo(program, query, size, value, told);
    });
  }
}

LAYER_CASE(program_build_sizes_before_a_build) { all_build_edges(e, e.program(three_kernels)); }

LAYER_CASE(program_build_sizes_after_a_build) { all_build_edges(e, e.built(three_kernels)); }

LONG_LAYER_CASE(program_build_sizes_after_a_failed_build) {
  all_build_edges(e, e.built(wrong_source));
}

LAYER_CASE(program_binaries_and_places) { binaries_edges(e, e.built(three_kernels)); }

LAYER_CASE(program_binaries_before_a_build) { binaries_edges(e, e.program(three_kernels)); }

LONG_LAYER_CASE(program_binaries_after_a_failed_build) { binaries_edges(e, e.built(wrong_source)); }

LAYER_CASE(program_unknown_queries) {
  const Program program = e.built(three_kernels);
  for (const cl_uint name : {0u, 0x1159u, 0x1170u, 0x1180u, 0x1186u, 0xffffffffu}) {
    std::size_t told = 4711;
    char value[64] = {};
    e.out.line("query 0x%x of a program", name);
    e.out.status("for the size", ::clGetProgramInfo(program, name, 0, nullptr, &told));
    e.out.status("for the value", ::clGetProgramInfo(program, name, sizeof value, value, nullptr));
    e.out.line("query 0x%x of a build", name);
    e.out.status("for the size",
                 ::clGetProgramBuildInfo(program, e.device, name, 0, nullptr, nullptr));
    e.out.status("for the value",
                 ::clGetProgramBuildInfo(program, e.device, name, sizeof value, value, nullptr));
  }
}

LAYER_CASE(program_queries_of_null) {
  for (const auto& [name, text] : program_names)
    e.out.status(text, ::clGetProgramInfo(nullptr, name, 0, nullptr, nullptr));
  for (const auto& [name, text] : build_names)
    e.out.status(text, ::clGetProgramBuildInfo(nullptr, e.device, name, 0, nullptr, nullptr));
  e.out.status("retain", ::clRetainProgram(nullptr));
  e.out.status("release", ::clReleaseProgram(nullptr));
  e.out.status("build", ::clBuildProgram(nullptr, 0, nullptr, nullptr, nullptr, nullptr));
}

LAYER_CASE(program_queries_of_a_device_that_is_not_its_own) {
  const Program program = e.built(three_kernels);
  for (const auto& [name, text] : build_names)
    e.out.status(text, ::clGetProgramBuildInfo(program, nullptr, name, 0, nullptr, nullptr));
}

LAYER_CASE(program_build_of_wrong_devices) {
  const Program program = e.program(three_kernels);
  const auto build = [&](const char* what, cl_uint count, const cl_device_id* devices) {
    e.out.status(what, ::clBuildProgram(program, count, devices, nullptr, nullptr, nullptr));
  };
  build("a count without a list", 1, nullptr);
  build("a list without a count", 0, &e.device);
  // A device NULL: PoCL 3.1 crashes.
  print_build(e, program, e.device);
  build("the device", 1, &e.device);
  const cl_device_id twice[] = {e.device, e.device};
  build("the device twice", 2, twice);
  print_program(e, program);
}

LAYER_CASE(program_queries_while_kernels_are_alive) {
  const Program program = e.built(three_kernels);
  const Kernel first = e.kernel(program, "first_name"), second = e.kernel(program, "second_name");
  print_program(e, program);
  print_build(e, program, e.device);
}

LONG_LAYER_CASE(program_scope_constants_and_their_size) {
  const Program program = e.built(
      "constant int table[8] = {1, 1, 2, 3, 5, 8, 13, 21};\n"
      "kernel void look(global int* out) { out[get_global_id(0)] = table[get_global_id(0)]; }\n");
  print_build(e, program, e.device);
  const Kernel look = e.kernel(program, "look");
  const Memory result = e.memory(8 * sizeof(int));
  e.set(look, 0, result);
  e.launch(look, {8}, {8});
  e.read<int>("table", result, 8);
}

LAYER_CASE(program_of_sixty_kernels) {
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += "kernel void k" + std::to_string((i * 7) % 60) +
            "(global int* o) { o[0] = " + std::to_string(i) + "; }\n";
  const Program program = e.built(text);
  print_program(e, program);
  const Kernel kernel = e.kernel(program, "k7");
  const Memory result = e.memory(sizeof(int));
  e.set(kernel, 0, result);
  e.launch(kernel, {1}, {1});
  e.read<int>("k7", result, 1);
}

}  // namespace kiln::layer_cases
