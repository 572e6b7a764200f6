// A graph by StarPU, over the same kernels on the same OpenCL devices.
//
//   graph_starpu "FAMILY NUMBERS…" RUNS SCHEDULER queues|waits [DEVICES]   prints milliseconds as
//   JSON
//
// SCHEDULER is StarPU's (dmda, dmdas, lws). Its performance models are calibrated first: each
// kernel runs 12 times a device at least. Tasks have priorities by the operations on the longest
// way to the end. A run is timed from the first submission to the last result in the host's memory;
// data are registered before it. STARPU_HOME says where models are kept.
//
// StarPU keeps a thread for each device that looks for work without sleeping. On a machine with as
// many cores as devices these threads and the driver's own compete.
#define CL_TARGET_OPENCL_VERSION 120
#include <starpu.h>
#include <starpu_opencl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "graph/families.hpp"

namespace {

using namespace graph_families;

/// What StarPU's worker threads find by a task's argument: one thread a device, so that a kernel
/// object is used by one thread alone.
struct Prepared {
  const Graph* graph = nullptr;
  std::vector<std::vector<cl_kernel>> kernels;  ///< by device and kernel
  std::vector<cl_command_queue> queues;         ///< by device
  bool waits = false;                           ///< for each kernel, in its function
};
Prepared prepared;

void check(int status, const char* what) {
  if (status != 0) throw std::runtime_error(std::string(what) + ": " + std::to_string(status));
}

/// The codelet's function: enqueues; StarPU waits for the queue's next marker.
void enqueue(void* buffers[], void* argument) {
  const Task& task = *static_cast<const Task*>(argument);
  const Kernel& geometry = prepared.graph->kernels[task.kernel];
  const auto device = static_cast<std::size_t>(starpu_worker_get_devid(starpu_worker_get_id()));
  const cl_kernel kernel = prepared.kernels[device][task.kernel];
  cl_uint position = 0;
  for (std::size_t i = 0; i < task.accesses.size(); ++i) {
    const auto* vector = static_cast<const starpu_vector_interface*>(buffers[i]);
    const auto memory = reinterpret_cast<cl_mem>(vector->dev_handle);
    clSetKernelArg(kernel, position++, sizeof memory, &memory);
  }
  for (const Scalar scalar : task.scalars)
    clSetKernelArg(kernel, position++, sizeof scalar, &scalar);
  const cl_int status =
      clEnqueueNDRangeKernel(prepared.queues[device], kernel, geometry.dimensions, nullptr,
                             geometry.global.data(), geometry.local.data(), 0, nullptr, nullptr);
  if (status != CL_SUCCESS) {
    std::fprintf(stderr, "graph_starpu: clEnqueueNDRangeKernel: %d\n", status);
    std::abort();
  }
  if (prepared.waits) clFinish(prepared.queues[device]);
}

/// A codelet a kernel, each with a model of its own.
struct Codelet {
  std::string symbol;
  starpu_perfmodel model;
  starpu_codelet codelet;
};

std::vector<std::unique_ptr<Codelet>> codelets_of(const Graph& graph) {
  std::vector<std::unique_ptr<Codelet>> all;
  for (std::size_t i = 0; i < graph.kernels.size(); ++i) {
    const Kernel& kernel = graph.kernels[i];
    auto made = std::make_unique<Codelet>();
    made->symbol = kernel.name + "_" + std::to_string(kernel.global[0]) + "_" +
                   std::to_string(kernel.global[1]);
    made->model = {};
    made->model.type = STARPU_HISTORY_BASED;
    made->model.symbol = made->symbol.c_str();
    starpu_codelet_init(&made->codelet);
    made->codelet.opencl_funcs[0] = enqueue;
    made->codelet.opencl_flags[0] = prepared.waits ? 0 : STARPU_OPENCL_ASYNC;
    made->codelet.model = &made->model;
    made->codelet.name = made->symbol.c_str();
    const auto task = std::ranges::find(graph.tasks, i, &Task::kernel);
    made->codelet.nbuffers = static_cast<int>(task->accesses.size());
    for (std::size_t use = 0; use < task->accesses.size(); ++use)
      made->codelet.modes[use] = task->accesses[use].mode == Mode::read    ? STARPU_R
                                 : task->accesses[use].mode == Mode::write ? STARPU_W
                                                                           : STARPU_RW;
    all.push_back(std::move(made));
  }
  return all;
}

class Run {
 public:
  explicit Run(const Graph& graph)
      : graph_(graph), codelets_(codelets_of(graph)), handles_(graph.buffers.size()) {
    const auto ways = priorities(graph);
    const double longest = *std::ranges::max_element(ways);
    for (const double way : ways) priority_.push_back(static_cast<int>(way / longest * 1e6));
    for (const Buffer& buffer : graph.buffers)
      memory_.emplace_back(std::aligned_alloc(4096, (buffer.bytes + 4095) / 4096 * 4096),
                           &std::free);
  }

  /// Milliseconds.
  double operator()() {
    for (std::uint32_t i = 0; i < graph_.buffers.size(); ++i) {
      const Buffer& buffer = graph_.buffers[i];
      // What tasks make has no place in the host's memory unless it is asked for there.
      const bool on_host = buffer.contents != Contents::none || buffer.is_result;
      if (on_host) fill(graph_, i, static_cast<float*>(memory_[i].get()));
      starpu_vector_data_register(&handles_[i], on_host ? STARPU_MAIN_RAM : -1,
                                  on_host ? reinterpret_cast<uintptr_t>(memory_[i].get()) : 0,
                                  static_cast<std::uint32_t>(buffer.bytes / sizeof(float)),
                                  sizeof(float));
    }
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < graph_.tasks.size(); ++i) {
      const Task& task = graph_.tasks[i];
      starpu_task* made = starpu_task_create();
      made->cl = &codelets_[task.kernel]->codelet;
      for (std::size_t use = 0; use < task.accesses.size(); ++use)
        made->handles[use] = handles_[task.accesses[use].buffer];
      made->cl_arg = const_cast<Task*>(&task);
      made->cl_arg_size = sizeof task;
      made->priority = priority_[i];
      check(starpu_task_submit(made), "starpu_task_submit");
    }
    for (std::uint32_t i = 0; i < graph_.buffers.size(); ++i)
      if (graph_.buffers[i].is_result) check(starpu_data_acquire(handles_[i], STARPU_R), "acquire");
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    digest_ = digest_start;
    for (std::uint32_t i = 0; i < graph_.buffers.size(); ++i)
      if (graph_.buffers[i].is_result) {
        digest_ = digest(digest_, memory_[i].get(), graph_.buffers[i].bytes);
        starpu_data_release(handles_[i]);
      }
    check(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
    for (const auto handle : handles_) starpu_data_unregister_no_coherency(handle);
    return taken.count();
  }
  std::uint64_t result_digest() const { return digest_; }

 private:
  const Graph& graph_;
  std::vector<std::unique_ptr<Codelet>> codelets_;
  std::vector<int> priority_;
  std::vector<std::unique_ptr<void, decltype(&std::free)>> memory_;
  std::vector<starpu_data_handle_t> handles_;
  std::uint64_t digest_ = 0;
};

void load_kernels(const Graph& graph) {
  starpu_opencl_program program;
  check(starpu_opencl_load_opencl_from_string(kernel_text, &program, ""), "building the kernels");
  prepared.graph = &graph;
  prepared.kernels.resize(starpu_opencl_worker_get_count());
  prepared.queues.resize(prepared.kernels.size());
  for (std::size_t device = 0; device < prepared.kernels.size(); ++device) {
    starpu_opencl_get_queue(static_cast<int>(device), &prepared.queues[device]);
    for (const Kernel& kernel : graph.kernels) {
      cl_int status = CL_SUCCESS;
      prepared.kernels[device].push_back(
          clCreateKernel(program.programs[device], kernel.name.c_str(), &status));
      check(status, "clCreateKernel");
    }
  }
}

/// So many that each kernel has run 12 times on each device, where a scheduler spreads them evenly.
int calibrating_runs(const Graph& graph) {
  std::vector<std::size_t> tasks(graph.kernels.size());
  for (const Task& task : graph.tasks) ++tasks[task.kernel];
  const std::size_t fewest = *std::ranges::min_element(tasks);
  return static_cast<int>(
      std::max<std::size_t>(12, (12 * prepared.kernels.size() - 1) / fewest + 1));
}

}  // namespace

int main(int count, char** words) try {
  if (count < 5) return 2;
  const Graph graph = make(words[1]);
  setenv("STARPU_NCPUS", "0", 1);
  setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
  const char* const devices = std::getenv("KILN_BENCH_DEVICES");
  const bool has_gpu = devices != nullptr && std::string(devices).starts_with("gpu");
  setenv("STARPU_OPENCL_ONLY_ON_CPUS", has_gpu ? "0" : "1", 1);
  setenv("STARPU_CALIBRATE", "1", 1);
  setenv("STARPU_SILENT", "1", 1);
  setenv("STARPU_SCHED", words[3], 1);
  prepared.waits = std::string(words[4]) == "waits";
  if (prepared.waits) {
    setenv("STARPU_OPENCL_PIPELINE", "0", 1);
    setenv("STARPU_DISABLE_ASYNCHRONOUS_OPENCL_COPY", "1", 1);
  }
  if (count > 5) setenv("STARPU_NOPENCL", words[5], 1);
  check(starpu_init(nullptr), "starpu_init");
  load_kernels(graph);
  if (prepared.kernels.empty()) throw std::runtime_error("StarPU finds no OpenCL device");
  // StarPU looks at its codelets' models once more when it ends.
  Run run(graph);
  {
    const double first = run();
    const auto digest = run.result_digest();
    const int calibrating = calibrating_runs(graph);
    for (int i = 0; i < calibrating; ++i) run();
    std::printf(
        "{\"graph\": \"%s\", \"side\": \"starpu %s\", \"tasks\": %zu, \"devices\": %zu, "
        "\"calibrating\": %d, \"first_ms\": %.4f, \"ms\": [",
        words[1], words[3], graph.tasks.size(), prepared.kernels.size(), calibrating, first);
    bool same = true;
    for (int i = 0; i < std::atoi(words[2]); ++i) {
      std::printf("%s%.4f", i > 0 ? ", " : "", run());
      same &= run.result_digest() == digest;
    }
    std::printf("], \"same\": %s, \"digest\": \"%016llx\"}\n", same ? "true" : "false",
                static_cast<unsigned long long>(digest));
  }
  starpu_shutdown();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "graph_starpu: %s\n", error.what());
  return 1;
}
