// A program that treats OpenCL's loader as plug-ins and scripting languages do: loads it by hand,
// closes it and loads it again, forks with it, ends in the midst of things. What it prints is the
// same with the layer and without.
//
//   layer_lifetimes reopen | fork | exit-while-building | leak | late | take-back |
//                   descriptors
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace {

/// The functions of a loader that was opened.
struct Loader {
  void* library = ::dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  template <class Function>
  Function* get(const char* name, Function*) const {
    return reinterpret_cast<Function*>(::dlsym(library, name));
  }
#define KILN_FUNCTION(name) decltype(&::name) name = get(#name, &::name)
  KILN_FUNCTION(clGetPlatformIDs);
  KILN_FUNCTION(clGetDeviceIDs);
  KILN_FUNCTION(clCreateContext);
  KILN_FUNCTION(clReleaseContext);
  KILN_FUNCTION(clCreateCommandQueue);
  KILN_FUNCTION(clReleaseCommandQueue);
  KILN_FUNCTION(clCreateProgramWithSource);
  KILN_FUNCTION(clBuildProgram);
  KILN_FUNCTION(clReleaseProgram);
  KILN_FUNCTION(clRetainProgram);
  KILN_FUNCTION(clGetProgramInfo);
  KILN_FUNCTION(clGetKernelInfo);
  KILN_FUNCTION(clCreateKernel);
  KILN_FUNCTION(clSetKernelArg);
  KILN_FUNCTION(clReleaseKernel);
  KILN_FUNCTION(clCreateBuffer);
  KILN_FUNCTION(clReleaseMemObject);
  KILN_FUNCTION(clEnqueueNDRangeKernel);
  KILN_FUNCTION(clEnqueueReadBuffer);
#undef KILN_FUNCTION
};

/// A context with a program, and what it computes.
struct Work {
  const Loader* loader;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;
  cl_kernel kernel = nullptr;
  cl_mem memory = nullptr;

  explicit Work(const Loader& from) : loader(&from) {
    cl_platform_id platform = nullptr;
    from.clGetPlatformIDs(1, &platform, nullptr);
    from.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
    context = from.clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    queue = from.clCreateCommandQueue(context, device, 0, nullptr);
    memory = from.clCreateBuffer(context, CL_MEM_READ_WRITE, 64, nullptr, nullptr);
  }

  void build(int number) {
    const std::string text =
        "kernel void k(global int* a) { a[get_global_id(0)] = " + std::to_string(number) +
        " + (int)get_global_id(0); }";
    const char* pointer = text.c_str();
    program = loader->clCreateProgramWithSource(context, 1, &pointer, nullptr, nullptr);
    std::printf("build %d\n", loader->clBuildProgram(program, 0, nullptr, "", nullptr, nullptr));
    kernel = loader->clCreateKernel(program, "k", nullptr);
  }

  void use(const Loader& now) const {
    const std::size_t items = 16, group = 8;
    int values[16] = {};
    now.clSetKernelArg(kernel, 0, sizeof memory, &memory);
    const int launched =
        now.clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, &group, 0, nullptr, nullptr);
    const int read = now.clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof values, values, 0,
                                             nullptr, nullptr);
    std::printf("launch %d, read %d: %d … %d\n", launched, read, values[0], values[15]);
  }

  void release(const Loader& now) const {
    std::printf("release %d", now.clReleaseKernel(kernel));
    std::printf(" %d", now.clReleaseProgram(program));
    std::printf(" %d", now.clReleaseMemObject(memory));
    std::printf(" %d", now.clReleaseCommandQueue(queue));
    std::printf(" %d\n", now.clReleaseContext(context));
  }
};

const Loader* last_loader = nullptr;
const Work* last_work = nullptr;

int reopen() {
  const Loader first;
  Work one(first);
  one.build(1);
  one.use(first);
  ::dlclose(first.library);
  const Loader second;
  one.use(second);
  Work two(second);
  two.build(1);
  two.use(second);
  one.release(second);
  two.release(second);
  ::dlclose(second.library);
  const Loader third;
  Work three(third);
  three.build(3);
  three.use(third);
  three.release(third);
  return 0;
}

int with_child() {
  const Loader loader;
  Work one(loader);
  one.build(1);
  one.use(loader);
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    // A driver's threads are not here, so nothing is launched: but counts are changed and read.
    std::printf("child: release %d %d\n", loader.clReleaseKernel(one.kernel),
                loader.clReleaseProgram(one.program));
    std::fflush(stdout);
    ::_exit(7);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  std::printf("child ended with %d\n", WEXITSTATUS(status));
  one.use(loader);
  one.release(loader);
  // Nothing of the layer's is left to be waited for.
  std::printf("other children: %d\n", ::waitpid(-1, nullptr, WNOHANG) > 0);
  return 0;
}

/// A program that was let go is asked for by its kernel.
int take_back() {
  const Loader loader;
  Work one(loader);
  one.build(1);
  const auto tell = [&](const char* when) {
    cl_program program = nullptr;
    cl_uint count = 0;
    loader.clGetKernelInfo(one.kernel, CL_KERNEL_PROGRAM, sizeof program, &program, nullptr);
    loader.clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof count, &count, nullptr);
    std::printf("%s: the same %d, references %u\n", when, program == one.program, count);
  };
  tell("built");
  for (int round = 0; round < 2; ++round) {
    std::printf("release %d\n", loader.clReleaseProgram(one.program));
    tell("released");
    std::printf("retain %d\n", loader.clRetainProgram(one.program));
    tell("taken back");
  }
  one.use(loader);
  std::printf("release %d\n", loader.clReleaseProgram(one.program));
  const cl_kernel another = loader.clCreateKernel(one.program, "k", nullptr);
  std::printf("another kernel: %d\n", another != nullptr);
  if (another != nullptr) loader.clReleaseKernel(another);
  tell("released");
  std::printf("release %d\n", loader.clReleaseKernel(one.kernel));
  return 0;
}

/// All descriptors that it does not know are closed, as daemons do it, and opened for files of its
/// own: what is written there must arrive.
int other_descriptors() {
  const Loader loader;
  Work one(loader);
  one.build(1);
  one.use(loader);
  constexpr int first = 3, count = 16;
  ::close_range(first, ~0u, 0);
  int files[count];
  for (int& file : files) file = ::memfd_create("own", 0);
  Work two(loader);
  two.build(2);
  two.use(loader);
  two.build(3);
  int kept = 0;
  for (const int file : files) {
    char back[4] = "";
    if (::write(file, "own", 3) == 3 && ::pread(file, back, sizeof back, 0) == 3 &&
        std::strcmp(back, "own") == 0)
      ++kept;
  }
  std::printf("files that are its own: %d of %d\n", kept, count);
  return 0;
}

int exit_while_building() {
  static const Loader loader;
  static Work one(loader);
  one.build(1);
  std::thread([] {
    for (int i = 100;; ++i) {
      const std::string text = "kernel void k(global int* a) { a[0] = " + std::to_string(i) + "; }";
      const char* pointer = text.c_str();
      const cl_program program =
          loader.clCreateProgramWithSource(one.context, 1, &pointer, nullptr, nullptr);
      if (i == 101) {
        std::fflush(stdout);
        ::_exit(5);
      }
      loader.clBuildProgram(program, 0, nullptr, "", nullptr, nullptr);
    }
  }).join();
  return 1;
}

}  // namespace

int main(int count, char** words) {
  const std::string mode = count > 1 ? words[1] : "";
  if (mode == "reopen") return reopen();
  if (mode == "fork") return with_child();
  if (mode == "take-back") return take_back();
  if (mode == "descriptors") return other_descriptors();
  if (mode == "exit-while-building") return exit_while_building();
  static const Loader loader;
  static Work work(loader);
  if (mode == "leak") {
    work.build(1);
    work.use(loader);
    return 3;
  }
  if (mode == "late") {
    // Registered before anything is built, so it runs after what the layer and the driver have
    // registered. (Nothing new may be compiled then: PoCL 3.1 dies of that by itself.)
    last_loader = &loader;
    last_work = &work;
    std::atexit([] {
      last_work->use(*last_loader);
      last_work->release(*last_loader);
      std::fflush(stdout);
    });
    work.build(1);
    work.use(loader);
    return 0;
  }
  std::fputs(
      "usage: layer_lifetimes reopen | fork | exit-while-building | leak | late | take-back | "
      "descriptors\n",
      stderr);
  return 2;
}
