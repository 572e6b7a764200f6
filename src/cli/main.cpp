// The program `kiln`: main(), and the OpenCL functions that Kiln calls. Each of them looks the
// real one up in the ICD loader when it is first called. So the commands that touch no device load
// no OpenCL library; linked in the usual way, the loader would be there before main(). The linker
// takes these definitions, finds no use for libOpenCL.so, and leaves it out; a function that is
// missing here brings it back, which a test notices (tests/cli/version.cpp).
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>

#include <tuple>
#include <type_traits>

#include "cli/command/command.hpp"
#include "cli/output/output.hpp"

namespace {

/// What a call gives where there is no loader: the loader's own answer where it finds no platform.
constexpr cl_int no_platform = -1001;  // CL_PLATFORM_NOT_FOUND_KHR

void* find(const char* name) {
  static void* const loader = ::dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  return loader == nullptr ? nullptr : ::dlsym(loader, name);
}

/// What a function's declaration says of it.
template <class Function>
struct Signature;
template <class R, class... Arguments>
struct Signature<R(Arguments...)> {
  using Result = R;
  template <std::size_t index>
  using Argument = std::tuple_element_t<index, std::tuple<Arguments...>>;

  /// What is called where there is no loader. It is the same for every function, though only
  /// clGetPlatformIDs can be the first: without a platform there are no handles to pass to the
  /// others, and their errcode_ret is not read.
  static R without_loader(Arguments...) {
    if constexpr (std::is_pointer_v<R>)
      return nullptr;
    else
      return static_cast<R>(no_platform);
  }
};

template <class Function>
Function* real_or_none(const char* name) {
  void* const real = find(name);
  return real != nullptr ? reinterpret_cast<Function*>(real) : Signature<Function>::without_loader;
}

}  // namespace

// Declares and passes on the first N parameters of a function, whose types are the header's: C++
// has no other way to define a function by the type that it was declared with.
#define KILN_PARAMETER(name, index) Signature<decltype(name)>::Argument<index> a##index
#define KILN_PARAMETERS_1(name) KILN_PARAMETER(name, 0)
#define KILN_PARAMETERS_2(name) KILN_PARAMETERS_1(name), KILN_PARAMETER(name, 1)
#define KILN_PARAMETERS_3(name) KILN_PARAMETERS_2(name), KILN_PARAMETER(name, 2)
#define KILN_PARAMETERS_4(name) KILN_PARAMETERS_3(name), KILN_PARAMETER(name, 3)
#define KILN_PARAMETERS_5(name) KILN_PARAMETERS_4(name), KILN_PARAMETER(name, 4)
#define KILN_PARAMETERS_6(name) KILN_PARAMETERS_5(name), KILN_PARAMETER(name, 5)
#define KILN_PARAMETERS_7(name) KILN_PARAMETERS_6(name), KILN_PARAMETER(name, 6)
#define KILN_PARAMETERS_8(name) KILN_PARAMETERS_7(name), KILN_PARAMETER(name, 7)
#define KILN_PARAMETERS_9(name) KILN_PARAMETERS_8(name), KILN_PARAMETER(name, 8)
#define KILN_PARAMETERS_10(name) KILN_PARAMETERS_9(name), KILN_PARAMETER(name, 9)
#define KILN_ARGUMENTS_1 a0
#define KILN_ARGUMENTS_2 KILN_ARGUMENTS_1, a1
#define KILN_ARGUMENTS_3 KILN_ARGUMENTS_2, a2
#define KILN_ARGUMENTS_4 KILN_ARGUMENTS_3, a3
#define KILN_ARGUMENTS_5 KILN_ARGUMENTS_4, a4
#define KILN_ARGUMENTS_6 KILN_ARGUMENTS_5, a5
#define KILN_ARGUMENTS_7 KILN_ARGUMENTS_6, a6
#define KILN_ARGUMENTS_8 KILN_ARGUMENTS_7, a7
#define KILN_ARGUMENTS_9 KILN_ARGUMENTS_8, a8
#define KILN_ARGUMENTS_10 KILN_ARGUMENTS_9, a9
#define KILN_LATE(name, count)                                                             \
  extern "C" __attribute__((visibility("hidden"))) Signature<decltype(name)>::Result name( \
      KILN_PARAMETERS_##count(name)) {                                                     \
    static const auto real = real_or_none<decltype(name)>(#name);                          \
    return real(KILN_ARGUMENTS_##count);                                                   \
  }

KILN_LATE(clBuildProgram, 6)
KILN_LATE(clCompileProgram, 9)
KILN_LATE(clCreateBuffer, 5)
KILN_LATE(clCreateCommandQueue, 4)
KILN_LATE(clCreateContext, 6)
KILN_LATE(clCreateImage, 6)
KILN_LATE(clCreateKernel, 3)
KILN_LATE(clCreateKernelsInProgram, 4)
KILN_LATE(clCreateProgramWithBinary, 7)
KILN_LATE(clCreateProgramWithIL, 4)
KILN_LATE(clCreateProgramWithSource, 5)
KILN_LATE(clCreateSampler, 5)
KILN_LATE(clCreateSubBuffer, 5)
KILN_LATE(clCreateSubDevices, 5)
KILN_LATE(clCreateUserEvent, 2)
KILN_LATE(clEnqueueBarrierWithWaitList, 4)
KILN_LATE(clEnqueueCopyBuffer, 9)
KILN_LATE(clEnqueueFillBuffer, 9)
KILN_LATE(clEnqueueMapBuffer, 10)
KILN_LATE(clEnqueueMarkerWithWaitList, 4)
KILN_LATE(clEnqueueNDRangeKernel, 9)
KILN_LATE(clEnqueueNativeKernel, 10)
KILN_LATE(clEnqueueReadBuffer, 9)
KILN_LATE(clEnqueueUnmapMemObject, 6)
KILN_LATE(clEnqueueWriteBuffer, 9)
KILN_LATE(clFinish, 1)
KILN_LATE(clFlush, 1)
KILN_LATE(clGetCommandQueueInfo, 5)
KILN_LATE(clGetContextInfo, 5)
KILN_LATE(clGetDeviceIDs, 5)
KILN_LATE(clGetDeviceInfo, 5)
KILN_LATE(clGetEventInfo, 5)
KILN_LATE(clGetEventProfilingInfo, 5)
KILN_LATE(clGetExtensionFunctionAddressForPlatform, 2)
KILN_LATE(clGetKernelArgInfo, 6)
KILN_LATE(clGetKernelInfo, 5)
KILN_LATE(clGetKernelWorkGroupInfo, 6)
KILN_LATE(clGetMemObjectInfo, 5)
KILN_LATE(clGetPlatformIDs, 3)
KILN_LATE(clGetPlatformInfo, 5)
KILN_LATE(clGetProgramBuildInfo, 6)
KILN_LATE(clGetProgramInfo, 5)
KILN_LATE(clLinkProgram, 9)
KILN_LATE(clReleaseCommandQueue, 1)
KILN_LATE(clReleaseContext, 1)
KILN_LATE(clReleaseDevice, 1)
KILN_LATE(clReleaseEvent, 1)
KILN_LATE(clReleaseKernel, 1)
KILN_LATE(clReleaseMemObject, 1)
KILN_LATE(clReleaseProgram, 1)
KILN_LATE(clReleaseSampler, 1)
KILN_LATE(clRetainCommandQueue, 1)
KILN_LATE(clRetainContext, 1)
KILN_LATE(clRetainDevice, 1)
KILN_LATE(clRetainEvent, 1)
KILN_LATE(clRetainKernel, 1)
KILN_LATE(clRetainMemObject, 1)
KILN_LATE(clRetainProgram, 1)
KILN_LATE(clSetEventCallback, 4)
KILN_LATE(clSetKernelArg, 4)
KILN_LATE(clSetMemObjectDestructorCallback, 3)
KILN_LATE(clSetUserEventStatus, 2)
KILN_LATE(clWaitForEvents, 2)

int main(int count, char** words) {
  const kiln::cli::LaunchedRank rank(count, words);
  return rank.end(kiln::cli::run(count, words));
}
