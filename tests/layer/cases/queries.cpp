// All queries of an object, one line each, so that a case can ask them in every state.
#include <chrono>
#include <thread>

#include "cases.hpp"

namespace kiln::layer_cases {
namespace {

struct Query {
  cl_uint name;
  const char* text;
  Form form;
};
#define QUERY(name, form) \
  { name, #name, Form::form }

// BINARY_SIZES and BINARIES differ between two compilations: binary_of() tells of them.
constexpr Query program_queries[] = {
    QUERY(CL_PROGRAM_REFERENCE_COUNT, number),
    QUERY(CL_PROGRAM_CONTEXT, handles),
    QUERY(CL_PROGRAM_NUM_DEVICES, number),
    QUERY(CL_PROGRAM_DEVICES, handles),
    QUERY(CL_PROGRAM_SOURCE, text),
    QUERY(CL_PROGRAM_NUM_KERNELS, number),
    QUERY(CL_PROGRAM_KERNEL_NAMES, text),
    QUERY(CL_PROGRAM_IL, bytes),
    QUERY(CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, number),
    QUERY(CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, number),
};
constexpr Query build_queries[] = {
    QUERY(CL_PROGRAM_BUILD_STATUS, signed_number),
    QUERY(CL_PROGRAM_BUILD_OPTIONS, text),
    QUERY(CL_PROGRAM_BUILD_LOG, text),
    QUERY(CL_PROGRAM_BINARY_TYPE, number),
    QUERY(CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, number),
};
constexpr Query kernel_queries[] = {
    QUERY(CL_KERNEL_FUNCTION_NAME, text),     QUERY(CL_KERNEL_NUM_ARGS, number),
    QUERY(CL_KERNEL_REFERENCE_COUNT, number), QUERY(CL_KERNEL_CONTEXT, handles),
    QUERY(CL_KERNEL_PROGRAM, handles),        QUERY(CL_KERNEL_ATTRIBUTES, text),
};
constexpr Query work_group_queries[] = {
    QUERY(CL_KERNEL_WORK_GROUP_SIZE, number),
    QUERY(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, number),
    QUERY(CL_KERNEL_LOCAL_MEM_SIZE, number),
    QUERY(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, number),
    QUERY(CL_KERNEL_PRIVATE_MEM_SIZE, number),
    QUERY(CL_KERNEL_GLOBAL_WORK_SIZE, number),
};
constexpr Query argument_queries[] = {
    QUERY(CL_KERNEL_ARG_ADDRESS_QUALIFIER, number),
    QUERY(CL_KERNEL_ARG_ACCESS_QUALIFIER, number),
    QUERY(CL_KERNEL_ARG_TYPE_NAME, text),
    QUERY(CL_KERNEL_ARG_TYPE_QUALIFIER, number),
    QUERY(CL_KERNEL_ARG_NAME, text),
};
constexpr Query sub_group_queries[] = {
    QUERY(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, number),
    QUERY(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, number),
    QUERY(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, number),
    QUERY(CL_KERNEL_MAX_NUM_SUB_GROUPS, number),
    QUERY(CL_KERNEL_COMPILE_NUM_SUB_GROUPS, number),
};
#undef QUERY

}  // namespace

void print_program(Environment& e, cl_program program) {
  for (const Query& query : program_queries)
    e.out.answer(query.text, query.form, [&](std::size_t size, void* value, std::size_t* told) {
      return ::clGetProgramInfo(program, query.name, size, value, told);
    });
}

void print_build(Environment& e, cl_program program, cl_device_id device) {
  for (const Query& query : build_queries)
    e.out.answer(query.text, query.form, [&](std::size_t size, void* value, std::size_t* told) {
      return ::clGetProgramBuildInfo(program, device, query.name, size, value, told);
    });
}

void print_kernel(Environment& e, cl_kernel kernel) {
  for (const Query& query : kernel_queries)
    e.out.answer(query.text, query.form, [&](std::size_t size, void* value, std::size_t* told) {
      return ::clGetKernelInfo(kernel, query.name, size, value, told);
    });
}

void print_work_group(Environment& e, cl_kernel kernel, cl_device_id device) {
  for (const Query& query : work_group_queries)
    e.out.answer(query.text, query.form, [&](std::size_t size, void* value, std::size_t* told) {
      return ::clGetKernelWorkGroupInfo(kernel, device, query.name, size, value, told);
    });
}

void print_arguments(Environment& e, cl_kernel kernel, cl_uint count) {
  for (cl_uint index = 0; index < count; ++index)
    for (const Query& query : argument_queries)
      e.out.answer("argument " + std::to_string(index) + " " + query.text, query.form,
                   [&](std::size_t size, void* value, std::size_t* told) {
                     return ::clGetKernelArgInfo(kernel, index, query.name, size, value, told);
                   });
}

void print_sub_groups(Environment& e, cl_kernel kernel, cl_device_id device) {
  for (const Query& query : sub_group_queries) {
    // The local size, or the number of sub-groups that a local size is asked for.
    const std::size_t local[3] = {8, 1, 1};
    const std::size_t bytes =
        query.name == CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT ? sizeof local[0] : sizeof local;
    e.out.answer(query.text, query.form, [&](std::size_t size, void* value, std::size_t* told) {
      return ::clGetKernelSubGroupInfo(kernel, device, query.name, bytes, local, size, value, told);
    });
  }
}

namespace {

template <class Ask>
void wait_for(cl_uint expected, const Ask& ask) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (cl_uint count = 0; std::chrono::steady_clock::now() < end; std::this_thread::yield())
    if (ask(&count) != CL_SUCCESS || count <= expected) return;
}

}  // namespace

void settle(cl_program program, cl_uint expected) {
  wait_for(expected, [=](cl_uint* count) {
    return ::clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof *count, count, nullptr);
  });
}

void settle(cl_kernel kernel, cl_uint expected) {
  wait_for(expected, [=](cl_uint* count) {
    return ::clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof *count, count, nullptr);
  });
}

Settled::Settled(cl_program program) : program_(program) {
  ::clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof before_, &before_, nullptr);
}

void print_count(Environment& e, const std::string& what, cl_program program) {
  cl_uint count = 0;
  const cl_int status =
      ::clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof count, &count, nullptr);
  e.out.line("count of the program %s: %u (%s)", what.c_str(), count, status_name(status).c_str());
}

void print_count(Environment& e, const std::string& what, cl_kernel kernel) {
  cl_uint count = 0;
  const cl_int status =
      ::clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof count, &count, nullptr);
  e.out.line("count of the kernel %s: %u (%s)", what.c_str(), count, status_name(status).c_str());
}

void print_count(Environment& e, const std::string& what, cl_context context) {
  cl_uint count = 0;
  const cl_int status =
      ::clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr);
  e.out.line("count of the context %s: %u (%s)", what.c_str(), count, status_name(status).c_str());
}

std::vector<unsigned char> binary_of(Environment& e, cl_program program) {
  std::size_t size = 0;
  cl_int status = ::clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr);
  e.out.line("binary: %s, size > 0: %s", status_name(status).c_str(), size > 0 ? "yes" : "no");
  std::vector<unsigned char> binary(size);
  if (size == 0) return binary;
  unsigned char* place = binary.data();
  status = ::clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, &place, nullptr);
  e.out.status("binary read", status);
  return binary;
}

Program from_binary(Environment& e, const std::vector<unsigned char>& binary, cl_context in) {
  const std::size_t size = binary.size();
  const unsigned char* bytes = binary.data();
  cl_int status = 1, binary_status = 1;
  Program created =
      ::clCreateProgramWithBinary(in, 1, &e.device, &size, &bytes, &binary_status, &status);
  e.out.status("program from binary", status);
  e.out.status("binary status", binary_status);
  e.out.know(created, "program");
  return created;
}

}  // namespace kiln::layer_cases
