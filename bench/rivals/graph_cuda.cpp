// A chain of small kernels by CUDA: launched one by one to a stream, and as a CUDA graph that is
// made once. The driver is loaded while this runs; nothing of CUDA is needed to build it.
//
//   graph_cuda TASKS RUNS     prints milliseconds as JSON; exit code 3: there is no driver or
//   device
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// What the driver's interface (CUDA 12's cuda.h) has of what is called here.
using Result = int;
using Pointer = unsigned long long;
using Handle = void*;
constexpr unsigned non_blocking = 1, capture_relaxed = 2;

void* library = nullptr;

template <class... Arguments>
void call(const char* name, Arguments... arguments) {
  void* const function = ::dlsym(library, name);
  if (function == nullptr) throw std::runtime_error(std::string(name) + " is absent");
  const Result result = reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...);
  if (result != 0)
    throw std::runtime_error(std::string(name) + " failed: " + std::to_string(result));
}

// a[i] += 1
constexpr const char* kernel_text = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry bump(.param .u64 a) {
  .reg .b32 %r<6>;
  .reg .f32 %f<3>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [a];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.s32 %rd3, %r4, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  add.f32 %f2, %f1, 0f3F800000;
  st.global.f32 [%rd4], %f2;
  ret;
}
)";
constexpr unsigned elements = 64;

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

void print(const char* name, std::vector<double> taken) {
  std::printf("\"%s\": [", name);
  for (std::size_t i = 0; i < taken.size(); ++i) std::printf("%s%.4f", i > 0 ? ", " : "", taken[i]);
  std::printf("]");
}

void measure(int tasks, int runs) {
  int device = 0;
  Handle context = nullptr, module = nullptr, kernel = nullptr, stream = nullptr;
  call("cuDeviceGet", &device, 0);
  call("cuDevicePrimaryCtxRetain", &context, device);
  call("cuCtxSetCurrent", context);
  call("cuModuleLoadData", &module, static_cast<const void*>(kernel_text));
  call("cuModuleGetFunction", &kernel, module, "bump");
  call("cuStreamCreate", &stream, non_blocking);
  Pointer memory = 0;
  call("cuMemAlloc_v2", &memory, std::size_t{elements} * sizeof(float));
  call("cuMemsetD32_v2", memory, 0U, std::size_t{elements});
  void* arguments[] = {&memory};
  const auto launch_all = [&] {
    for (int i = 0; i < tasks; ++i)
      call("cuLaunchKernel", kernel, 1U, 1U, 1U, elements, 1U, 1U, 0U, stream,
           static_cast<void**>(arguments), static_cast<void**>(nullptr));
  };
  Handle graph = nullptr, executable = nullptr;
  call("cuStreamBeginCapture_v2", stream, capture_relaxed);
  launch_all();
  call("cuStreamEndCapture", stream, &graph);
  call("cuGraphInstantiateWithFlags", &executable, graph, 0ULL);
  std::vector<double> launched, replayed;
  for (int run = -3; run < runs; ++run) {
    auto start = std::chrono::steady_clock::now();
    launch_all();
    call("cuStreamSynchronize", stream);
    if (run >= 0) launched.push_back(ms_since(start));
    start = std::chrono::steady_clock::now();
    call("cuGraphLaunch", executable, stream);
    call("cuStreamSynchronize", stream);
    if (run >= 0) replayed.push_back(ms_since(start));
  }
  float first = 0;
  call("cuMemcpyDtoH_v2", static_cast<void*>(&first), memory, sizeof first);
  const auto expected = static_cast<float>(2 * (runs + 3) * tasks);
  if (first != std::min(expected, 16777216.0F)) throw std::runtime_error("the result is wrong");
  std::printf("{\"tasks\": %d, ", tasks);
  print("launched_ms", launched);
  std::printf(", ");
  print("graph_ms", replayed);
  std::printf("}\n");
}

}  // namespace

int main(int count, char** words) try {
  if (count < 3) return 2;
  library = ::dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return 3;
  const auto init = reinterpret_cast<Result (*)(unsigned)>(::dlsym(library, "cuInit"));
  if (init == nullptr || init(0) != 0) return 3;
  measure(std::atoi(words[1]), std::atoi(words[2]));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "graph_cuda: %s\n", error.what());
  return 1;
}
