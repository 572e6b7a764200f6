// A program that knows nothing of Kiln: `layer_measured WAY LAUNCHES` launches saxpy on 4096
// elements, and prints what OpenCL answers it where a library that measures might show. Ways:
//   release   releases all that it made
//   exit      ends by exit() without a release
//   kill      releases a second context, and ends at once by a signal
//   fork      has a child that ends by exit()
//   profiled  has a queue with time stamps of its own
//   unordered has a queue without order
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr std::size_t elements = 4096, bytes = elements * sizeof(float);

constexpr const char* text =
    "kernel void saxpy(global float* y, global const float* x, float a, uint n) {\n"
    "  size_t i = get_global_id(0);\n"
    "  if (i < n) y[i] = a * x[i] + y[i];\n"
    "}\n";

void check(cl_int status, const char* call) {
  if (status == CL_SUCCESS) return;
  std::fprintf(stderr, "%s: %d\n", call, status);
  std::exit(2);
}

struct Work {
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;
  cl_kernel kernel = nullptr;
  cl_mem x = nullptr, y = nullptr;
};

Work start(cl_command_queue_properties properties, bool has_list) {
  Work work;
  cl_platform_id platform = nullptr;
  cl_int status = CL_SUCCESS;
  check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &work.device, nullptr), "clGetDeviceIDs");
  work.context = clCreateContext(nullptr, 1, &work.device, nullptr, nullptr, &status);
  check(status, "clCreateContext");
  const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
  work.queue = clCreateCommandQueueWithProperties(work.context, work.device,
                                                  has_list ? list : nullptr, &status);
  check(status, "clCreateCommandQueueWithProperties");
  work.program =
      clCreateProgramWithSource(work.context, 1, const_cast<const char**>(&text), nullptr, &status);
  check(clBuildProgram(work.program, 1, &work.device, "-cl-mad-enable", nullptr, nullptr),
        "clBuildProgram");
  work.kernel = clCreateKernel(work.program, "saxpy", &status);
  check(status, "clCreateKernel");
  work.x = clCreateBuffer(work.context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
  work.y = clCreateBuffer(work.context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
  check(status, "clCreateBuffer");
  const std::vector<float> ones(elements, 1);
  check(
      clEnqueueWriteBuffer(work.queue, work.x, CL_TRUE, 0, bytes, ones.data(), 0, nullptr, nullptr),
      "clEnqueueWriteBuffer");
  check(
      clEnqueueWriteBuffer(work.queue, work.y, CL_TRUE, 0, bytes, ones.data(), 0, nullptr, nullptr),
      "clEnqueueWriteBuffer");
  const float a = 2;
  const cl_uint n = elements;
  check(clSetKernelArg(work.kernel, 0, sizeof work.y, &work.y), "clSetKernelArg");
  check(clSetKernelArg(work.kernel, 1, sizeof work.x, &work.x), "clSetKernelArg");
  check(clSetKernelArg(work.kernel, 2, sizeof a, &a), "clSetKernelArg");
  check(clSetKernelArg(work.kernel, 3, sizeof n, &n), "clSetKernelArg");
  return work;
}

/// All but the last in the form of 64 work-items; the last with the driver's own.
cl_event launch(const Work& work, int count) {
  cl_event last = nullptr;
  for (int i = 0; i < count; ++i) {
    const std::size_t local = 64;
    const bool is_last = i + 1 == count;
    check(clEnqueueNDRangeKernel(work.queue, work.kernel, 1, nullptr, &elements,
                                 is_last ? nullptr : &local, 0, nullptr, is_last ? &last : nullptr),
          "clEnqueueNDRangeKernel");
  }
  return last;
}

void print_answers(const Work& work, cl_event event) {
  cl_ulong stamp = 0;
  cl_uint references = 0;
  std::size_t size = 99;
  check(clWaitForEvents(1, &event), "clWaitForEvents");
  check(clFinish(work.queue), "clFinish");
  std::printf("time stamps: %d\n", clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END,
                                                           sizeof stamp, &stamp, nullptr));
  std::printf("none such: %d\n", clGetEventProfilingInfo(event, 1, sizeof stamp, &stamp, nullptr));
  cl_command_queue_properties properties = 99;
  check(clGetCommandQueueInfo(work.queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties,
                              nullptr),
        "CL_QUEUE_PROPERTIES");
  std::printf("properties: %llu\n", static_cast<unsigned long long>(properties));
  cl_queue_properties list[8] = {};
  const cl_int listed =
      clGetCommandQueueInfo(work.queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof list, list, &size);
  std::printf("list: %d, %zu bytes, %llu %llu\n", listed, size,
              static_cast<unsigned long long>(list[0]), static_cast<unsigned long long>(list[1]));
  if (size != 0)
    std::printf("too small: %d\n",
                clGetCommandQueueInfo(work.queue, CL_QUEUE_PROPERTIES_ARRAY, 1, list, nullptr));
  check(clGetContextInfo(work.context, CL_CONTEXT_REFERENCE_COUNT, sizeof references, &references,
                         nullptr),
        "CL_CONTEXT_REFERENCE_COUNT");
  std::printf("references to the context: %u\n", references);
  check(clGetKernelInfo(work.kernel, CL_KERNEL_REFERENCE_COUNT, sizeof references, &references,
                        nullptr),
        "CL_KERNEL_REFERENCE_COUNT");
  std::printf("references to the kernel: %u\n", references);
  std::vector<float> result(elements);
  check(clEnqueueReadBuffer(work.queue, work.y, CL_TRUE, 0, bytes, result.data(), 0, nullptr,
                            nullptr),
        "clEnqueueReadBuffer");
  std::printf("result: %g\n", static_cast<double>(result[elements - 1]));
}

/// Whether a library that measures is in this process.
void print_libraries() {
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  bool is_there = false;
  char line[4096];
  while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr)
    is_there = is_there || std::strstr(line, "libkiln-layer-measure") != nullptr;
  if (maps != nullptr) std::fclose(maps);
  std::fprintf(stderr, "measured: %s\n", is_there ? "yes" : "no");
}

void release(const Work& work, cl_event event) {
  clReleaseEvent(event);
  clReleaseMemObject(work.x);
  clReleaseMemObject(work.y);
  clReleaseKernel(work.kernel);
  clReleaseProgram(work.program);
  clReleaseCommandQueue(work.queue);
  clReleaseContext(work.context);
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  const std::string way = words[1];
  const cl_command_queue_properties properties = way == "profiled" ? CL_QUEUE_PROFILING_ENABLE
                                                 : way == "unordered"
                                                     ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
                                                     : 0;
  const Work work = start(properties, properties != 0);
  const cl_event event = launch(work, std::atoi(words[2]));
  print_answers(work, event);
  print_libraries();
  std::fflush(stdout);
  if (way == "exit") std::exit(3);
  if (way == "kill") {
    cl_int status = CL_SUCCESS;
    clReleaseContext(clCreateContext(nullptr, 1, &work.device, nullptr, nullptr, &status));
    ::raise(SIGKILL);
  }
  if (way == "fork") {
    const pid_t child = ::fork();
    if (child == 0) std::exit(0);
    ::waitpid(child, nullptr, 0);
  }
  release(work, event);
}
