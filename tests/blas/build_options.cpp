// Kernels for GPUs on a CPU: no user runs them there, and what is asked of them is that their text
// is right. Most of such a test would be a CPU's compiler at work on their unrolled loops, which no
// GPU ever sees. So this program's own clBuildProgram, which comes
// before the driver's, asks for no optimisation while Machine hands out a library of such a form.
// Kernels of a device's own forms are tested as users run them.
#include <dlfcn.h>

#include <string>

#include "blas/machine.hpp"

extern "C" CL_API_ENTRY cl_int CL_API_CALL
clBuildProgram(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
               void(CL_CALLBACK* notify)(cl_program, void*), void* user_data) {
  using Function = cl_int(cl_program, cl_uint, const cl_device_id*, const char*,
                          void(CL_CALLBACK*)(cl_program, void*), void*);
  static auto* const next = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, "clBuildProgram"));
  std::string all = options == nullptr ? "" : options;
  if (kiln::blas::testing::Machine::is_of_another_device) all += " -cl-opt-disable";
  return next(program, count, devices, all.c_str(), notify, user_data);
}
