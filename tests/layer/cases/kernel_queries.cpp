// The queries of a kernel, of its arguments and of its work-groups.
#include "cases.hpp"

namespace kiln::layer_cases {
namespace {

/// Kernels with all that an attribute can say, and arguments of all kinds.
constexpr const char* attributes_source =
    "kernel __attribute__((reqd_work_group_size(8, 2, 1))) void required(global int* out) {\n"
    "  out[get_global_id(0)] = (int)get_local_size(0);\n}\n"
    "kernel __attribute__((work_group_size_hint(4, 1, 1))) void hinted(global int* out) {\n"
    "  out[0] = 1;\n}\n"
    "kernel __attribute__((vec_type_hint(float4))) void vectors(global float4* out) {\n"
    "  out[get_global_id(0)] = (float4)(1.0f, 2.0f, 3.0f, 4.0f);\n}\n"
    "kernel __attribute__((vec_type_hint(int))) __attribute__((reqd_work_group_size(1, 1, 1)))\n"
    "void both(global int* out) { out[0] = 2; }\n"
    "kernel void plain(global int* out) { out[0] = 3; }\n";

constexpr const char* arguments_source =
    "struct pair { int first; float second; };\n"
    "typedef struct pair named_pair;\n"
    "kernel void pointers(global int* a, global const float* b, global volatile uint* c,\n"
    "                     global int* restrict d, constant char* e, local double2* f,\n"
    "                     global const volatile float4* restrict g) {\n"
    "  a[0] = (int)b[0] + (int)c[0] + d[0] + e[0] + (int)g[0].x; f[0] = 0; }\n"
    "kernel void values(char a, const unsigned short b, int c, ulong d, float e, float16 f,\n"
    "                   struct pair g, named_pair h, ulong unusual_name, uchar3 i) {}\n"
    "kernel void images(read_only image2d_t a, write_only image2d_t b, sampler_t c,\n"
    "                   read_only image3d_t d, read_only image1d_t e) {}\n"
    "kernel void none() {}\n";

void print_all_of(Environment& e, cl_program program, const char* name) {
  const Kernel kernel = e.kernel(program, name);
  if (kernel == nullptr) return;
  print_kernel(e, kernel);
  print_work_group(e, kernel, e.device);
}

void print_all_arguments(Environment& e, cl_program program) {
  for (const auto& [name, count] :
       {std::pair{"pointers", 8u}, {"values", 11u}, {"images", 6u}, {"none", 1u}}) {
    const Kernel kernel = e.kernel(program, name);
    print_arguments(e, kernel, count);
  }
}

constexpr std::pair<cl_kernel_info, const char*> kernel_names[] = {
    {CL_KERNEL_FUNCTION_NAME, "CL_KERNEL_FUNCTION_NAME"},
    {CL_KERNEL_NUM_ARGS, "CL_KERNEL_NUM_ARGS"},
    {CL_KERNEL_REFERENCE_COUNT, "CL_KERNEL_REFERENCE_COUNT"},
    {CL_KERNEL_CONTEXT, "CL_KERNEL_CONTEXT"},
    {CL_KERNEL_PROGRAM, "CL_KERNEL_PROGRAM"},
    {CL_KERNEL_ATTRIBUTES, "CL_KERNEL_ATTRIBUTES"},
};
constexpr std::pair<cl_kernel_arg_info, const char*> argument_names[] = {
    {CL_KERNEL_ARG_ADDRESS_QUALIFIER, "CL_KERNEL_ARG_ADDRESS_QUALIFIER"},
    {CL_KERNEL_ARG_ACCESS_QUALIFIER, "CL_KERNEL_ARG_ACCESS_QUALIFIER"},
    {CL_KERNEL_ARG_TYPE_NAME, "CL_KERNEL_ARG_TYPE_NAME"},
    {CL_KERNEL_ARG_TYPE_QUALIFIER, "CL_KERNEL_ARG_TYPE_QUALIFIER"},
    {CL_KERNEL_ARG_NAME, "CL_KERNEL_ARG_NAME"},
};
constexpr std::pair<cl_kernel_work_group_info, const char*> work_group_names[] = {
    {CL_KERNEL_WORK_GROUP_SIZE, "CL_KERNEL_WORK_GROUP_SIZE"},
    {CL_KERNEL_COMPILE_WORK_GROUP_SIZE, "CL_KERNEL_COMPILE_WORK_GROUP_SIZE"},
    {CL_KERNEL_LOCAL_MEM_SIZE, "CL_KERNEL_LOCAL_MEM_SIZE"},
    {CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE"},
    {CL_KERNEL_PRIVATE_MEM_SIZE, "CL_KERNEL_PRIVATE_MEM_SIZE"},
    {CL_KERNEL_GLOBAL_WORK_SIZE, "CL_KERNEL_GLOBAL_WORK_SIZE"},
};

}  // namespace

LONG_LAYER_CASE(kernel_attributes) {
  const Program program = e.built(attributes_source);
  for (const char* name : {"required", "hinted", "vectors", "both", "plain"})
    print_all_of(e, program, name);
}

LAYER_CASE(kernel_attributes_in_a_second_program) {
  const Program first = e.built(attributes_source);
  const Program second = e.built(attributes_source);
  for (const char* name : {"required", "hinted", "vectors", "both", "plain"})
    print_all_of(e, second, name);
}

LONG_LAYER_CASE(kernel_attributes_after_a_rebuild) {
  const Program program = e.built(attributes_source);
  e.build(program, "-cl-opt-disable");
  for (const char* name : {"required", "hinted", "vectors", "both", "plain"})
    print_all_of(e, program, name);
}

LAYER_CASE(kernel_attributes_from_macros) {
  const std::string text =
      "kernel __attribute__((reqd_work_group_size(SIZE, 1, 1))) void sized(global int* out) {\n"
      "  out[get_global_id(0)] = SIZE;\n}\n";
  for (const char* options : {"-DSIZE=4", "-DSIZE=16"}) {
    const Program program = e.built(text, options);
    print_all_of(e, program, "sized");
  }
}

LAYER_CASE(kernel_attributes_after_a_launch) {
  const Program program = e.built(attributes_source);
  const Kernel kernel = e.kernel(program, "required");
  const Memory result = e.memory(16 * sizeof(int));
  e.set(kernel, 0, result);
  e.launch(kernel, {16, 2}, {8, 2});
  e.read<int>("required", result, 16);
  settle(kernel, 1);
  print_kernel(e, kernel);
  print_work_group(e, kernel, e.device);
}

LONG_LAYER_CASE(kernel_arguments_of_all_kinds) {
  print_all_arguments(e, e.built(arguments_source, "-cl-kernel-arg-info"));
}

LAYER_CASE(kernel_arguments_without_the_option) {
  print_all_arguments(e, e.built(arguments_source));
}

LONG_LAYER_CASE(kernel_arguments_with_the_option_second) {
  const Program without = e.built(fill_source, "-w");
  const Kernel first = e.kernel(without, "fill");
  const Program with = e.built(fill_source, "-w -cl-kernel-arg-info");
  const Kernel second = e.kernel(with, "fill");
  print_arguments(e, second, 2);
  print_arguments(e, first, 2);
}

LAYER_CASE(kernel_sizes) {
  const Program program = e.built(attributes_source);
  const Kernel kernel = e.kernel(program, "required");
  for (const auto& [name, text] : kernel_names)
    e.out.edges(text, [&, query = name](std::size_t size, void* value, std::size_t* told) {
      return ::clGetKernelInfo(kernel, query, size, value, told);
    });
}

LAYER_CASE(kernel_argument_sizes) {
  const Program program = e.built(fill_source, "-cl-kernel-arg-info");
  const Kernel kernel = e.kernel(program, "fill");
  for (const auto& [name, text] : argument_names)
    e.out.edges(text, [&, query = name](std::size_t size, void* value, std::size_t* told) {
      return ::clGetKernelArgInfo(kernel, 1, query, size, value, told);
    });
}

LAYER_CASE(kernel_work_group_sizes) {
  const Program program = e.built(attributes_source);
  const Kernel kernel = e.kernel(program, "required");
  for (const auto& [name, text] : work_group_names)
    e.out.edges(text, [&, query = name](std::size_t size, void* value, std::size_t* told) {
      return ::clGetKernelWorkGroupInfo(kernel, e.device, query, size, value, told);
    });
}

LAYER_CASE(kernel_unknown_queries) {
  const Program program = e.built(fill_source, "-cl-kernel-arg-info");
  const Kernel kernel = e.kernel(program, "fill");
  char value[64] = {};
  for (const cl_uint name : {0u, 0x118fu, 0x1196u, 0x11b6u, 0x119bu, 0xffffffffu}) {
    e.out.line("query 0x%x", name);
    e.out.status("of a kernel", ::clGetKernelInfo(kernel, name, sizeof value, value, nullptr));
    e.out.status("of an argument",
                 ::clGetKernelArgInfo(kernel, 0, name, sizeof value, value, nullptr));
    e.out.status("of a work-group",
                 ::clGetKernelWorkGroupInfo(kernel, e.device, name, sizeof value, value, nullptr));
  }
  e.out.status("argument beyond the last",
               ::clGetKernelArgInfo(kernel, 2, CL_KERNEL_ARG_NAME, sizeof value, value, nullptr));
  e.out.status("argument far beyond", ::clGetKernelArgInfo(kernel, 0xffffffffu, CL_KERNEL_ARG_NAME,
                                                           sizeof value, value, nullptr));
}

LAYER_CASE(kernel_work_group_without_a_device) {
  const Program program = e.built(attributes_source);
  const Kernel kernel = e.kernel(program, "required");
  print_work_group(e, kernel, nullptr);
}

LAYER_CASE(kernel_local_memory_size) {
  const Program program = e.built(
      "kernel void own(global int* out) {\n  local int own_memory[32];\n"
      "  own_memory[get_local_id(0)] = 1; barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  out[get_global_id(0)] = own_memory[0];\n}\n"
      "kernel void given(global int* out, local int* memory) {\n"
      "  memory[get_local_id(0)] = 2; barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  out[get_global_id(0)] = memory[0];\n}\n");
  const Memory result = e.memory(8 * sizeof(int));
  const Kernel own = e.kernel(program, "own"), given = e.kernel(program, "given");
  print_work_group(e, own, e.device);
  print_work_group(e, given, e.device);
  e.set(given, 0, result);
  e.set(given, 1, 256, nullptr);
  print_work_group(e, given, e.device);
  e.launch(given, {8}, {8});
  e.read<int>("given", result, 8);
  e.set(own, 0, result);
  e.launch(own, {8}, {8});
  e.read<int>("own", result, 8);
  settle(own, 1);
  print_kernel(e, own);
}

LAYER_CASE(kernel_sub_groups) {
  const Program program = e.built(attributes_source);
  const Kernel kernel = e.kernel(program, "plain");
  print_sub_groups(e, kernel, e.device);
  const Kernel required = e.kernel(program, "required");
  print_sub_groups(e, required, e.device);
}

LAYER_CASE(kernel_sub_groups_refused) {
  const Program program = e.built(fill_source);
  const Kernel kernel = e.kernel(program, "fill");
  const std::size_t local[3] = {8, 1, 1};
  std::size_t value[3] = {};
  const auto ask = [&](const char* what, cl_kernel of, cl_uint query, std::size_t bytes,
                       const void* input, std::size_t size) {
    e.out.status(
        what, ::clGetKernelSubGroupInfo(of, e.device, query, bytes, input, size, value, nullptr));
  };
  ask("no kernel", nullptr, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 24, local, 8);
  ask("no input", kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 0, nullptr, 8);
  ask("input of 7 bytes", kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 7, local, 8);
  ask("too small", kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 24, local, 4);
  ask("no query", kernel, 0, 24, local, 8);
  ask("of one dimension", kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 8, local, 8);
  ask("of two dimensions", kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 16, local, 8);
}

LAYER_CASE(kernel_program_and_context_are_the_handles) {
  const Program first = e.built(fill_source), second = e.built(fill_source);
  for (const cl_program program : {cl_program(first), cl_program(second)}) {
    const Kernel kernel = e.kernel(program, "fill");
    cl_program back = nullptr;
    cl_context context = nullptr;
    ::clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof back, &back, nullptr);
    ::clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof context, &context, nullptr);
    e.out.yes_no("the program", back == program);
    e.out.yes_no("the context", context == e.context);
    std::size_t size = 0;
    e.out.status("source asked from it",
                 ::clGetProgramInfo(back, CL_PROGRAM_SOURCE, 0, nullptr, &size));
    e.out.number("bytes", static_cast<long long>(size));
  }
}

LAYER_CASE(kernel_execution_information) {
  const Program program = e.built(fill_source);
  const Kernel kernel = e.kernel(program, "fill");
  const cl_bool yes = CL_TRUE;
  e.out.status(
      "fine-grained system memory",
      ::clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes));
  e.out.status("no value", ::clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, nullptr));
  e.out.status("no such name", ::clSetKernelExecInfo(kernel, 0, sizeof yes, &yes));
  e.out.status("no kernel",
               ::clSetKernelExecInfo(nullptr, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, nullptr));
}

}  // namespace kiln::layer_cases
