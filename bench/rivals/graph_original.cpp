// A graph by the scheduler of PySchedCL's successor, in C++ and in its own way: components of
// tasks, one device each, whose queues it takes as a whole; nothing of a component runs before all
// of it is enqueued; results go to other components through the host's memory, told by callbacks.
// Inputs are there before the clock starts, where the original makes them while it runs.
//
//   graph_original "FAMILY NUMBERS…" RUNS cluster|eager|heft [TASKS]    prints milliseconds as JSON
//
// cluster: two components; the tasks of TASKS parts (a transformer's heads) go to the second
// device. eager: each task a component, the highest rank first, on the first device to which no
// thread is enqueuing. heft: the highest rank first, to the device that its estimates say.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "graph/plain_loop.hpp"

namespace {

using namespace graph_families;

enum class Policy : std::uint8_t { cluster, eager, heft };
constexpr std::size_t devices = 2;  // 0 is its GPU, 1 its CPU

/// What its execution statistics hold of a kernel, in milliseconds.
struct Costs {
  double run[devices] = {}, up = 0, down = 0;
};

struct TaskState {
  std::vector<std::uint32_t> parents, children;
  std::vector<std::uint32_t> producer;  ///< by access: the task whose result it is; none: an input
  std::vector<cl_mem> memory;           ///< by access
  cl_event done = nullptr;
  std::uint32_t component = 0, waits_for = 0;
  double rank = 0;
  bool is_dispatched = false;
};
struct Component {
  std::vector<std::uint32_t> tasks;
  std::size_t device = 0, dispatched = 0;
  bool is_in_frontier = false, is_running = false;
  std::unique_ptr<std::mutex> dispatching = std::make_unique<std::mutex>();  ///< one at a time
};
constexpr auto none = static_cast<std::uint32_t>(-1);

class Scheduler {
 public:
  Scheduler(const Graph& graph, Policy policy, std::size_t on_second)
      : graph_(graph), policy_(policy), tasks_(graph.tasks.size()) {
    if (Machine::all_devices().size() < devices)
      throw std::runtime_error("needs two OpenCL devices");
    for (std::size_t device = 0; device < devices; ++device)
      machines_.push_back(std::make_unique<Machine>(device));
    for (const Buffer& buffer : graph.buffers) host_.emplace_back(buffer.bytes);
    std::vector<std::uint32_t> writer(graph.buffers.size(), none);
    const auto before = predecessors(graph);
    for (std::uint32_t task = 0; task < tasks_.size(); ++task) {
      TaskState& state = tasks_[task];
      state.parents = before[task];
      for (const auto parent : before[task]) tasks_[parent].children.push_back(task);
      for (const Access& access : graph.tasks[task].accesses) {
        state.producer.push_back(access.mode == Mode::write ? none : writer[access.buffer]);
        if (access.mode != Mode::read) writer[access.buffer] = task;
      }
    }
    make_components(on_second);
    for (auto& machine : machines_) {
      kernels_.emplace_back();
      for (const Kernel& kernel : graph.kernels) {
        cl_int status = CL_SUCCESS;
        kernels_.back().push_back(clCreateKernel(machine->program, kernel.name.c_str(), &status));
        check(status, "clCreateKernel");
      }
    }
  }

  /// The time of each kernel alone, as its profiler takes them.
  void measure() {
    costs_.resize(graph_.kernels.size());
    reset();
    for (std::uint32_t kernel = 0; kernel < graph_.kernels.size(); ++kernel) {
      const auto task = std::ranges::find(graph_.tasks, kernel, &Task::kernel);
      for (std::size_t device = 0; device < devices; ++device)
        for (int round = 0; round < 3; ++round) {
          const auto start = std::chrono::steady_clock::now();
          const auto queue = machines_[device]->queue;
          std::vector<cl_mem> memory;
          for (const Access& access : task->accesses)
            memory.push_back(create(device, access.buffer));
          for (std::size_t i = 0; i < memory.size(); ++i) {
            const auto bytes = graph_.buffers[task->accesses[i].buffer].bytes;
            clEnqueueWriteBuffer(queue, memory[i], CL_TRUE, 0, bytes,
                                 host_[task->accesses[i].buffer].floats(), 0, nullptr, nullptr);
          }
          const auto written = std::chrono::steady_clock::now();
          launch(device, *task, memory, 0, nullptr, nullptr);
          clFinish(queue);
          const auto end = std::chrono::steady_clock::now();
          costs_[kernel].up = ms(start, written);
          costs_[kernel].down = costs_[kernel].up / 2;
          costs_[kernel].run[device] = ms(written, end);
          for (const cl_mem buffer : memory) clReleaseMemObject(buffer);
        }
    }
    for (std::uint32_t task = static_cast<std::uint32_t>(tasks_.size()); task-- > 0;) {
      const Costs& costs = costs_[graph_.tasks[task].kernel];
      double longest = 0;
      for (const auto child : tasks_[task].children)
        longest = std::max(longest, tasks_[child].rank);
      tasks_[task].rank = (costs.run[0] + costs.run[1] + costs.up + costs.down) / 2 + longest;
    }
  }

  double run() {
    reset();
    const auto start = std::chrono::steady_clock::now();
    {
      std::unique_lock lock(mutex_);
      for (std::uint32_t i = 0; i < components_.size(); ++i)
        if (std::ranges::any_of(components_[i].tasks,
                                [&](auto task) { return tasks_[task].parents.empty(); }))
          add_to_frontier(i);
      std::size_t started = 0;
      while (started < components_.size()) {
        changed_.wait(lock, [&] { return can_choose(); });
        const std::uint32_t chosen = choose();
        Component& component = components_[chosen];
        changed_.wait(lock, [&] { return !is_taken_[component.device]; });
        is_taken_[component.device] = true;
        component.is_running = true;
        ++started;
        threads_.emplace_back([this, chosen] { dispatch(chosen); });
      }
      changed_.wait(lock, [&] { return finished_ == tasks_.size(); });
    }
    for (auto& thread : threads_) thread.join();
    threads_.clear();
    for (auto& machine : machines_) clFinish(machine->queue);
    const double taken = ms(start, std::chrono::steady_clock::now());
    release();
    return taken;
  }

  std::uint64_t result_digest() const {
    std::uint64_t number = digest_start;
    for (std::uint32_t i = 0; i < graph_.buffers.size(); ++i)
      if (graph_.buffers[i].is_result)
        number = digest(number, host_[i].floats(), graph_.buffers[i].bytes);
    return number;
  }

 private:
  using Time = std::chrono::steady_clock::time_point;
  static double ms(Time from, Time to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
  }

  void make_components(std::size_t on_second) {
    if (policy_ == Policy::cluster) components_.resize(devices);
    for (std::uint32_t task = 0; task < tasks_.size(); ++task) {
      if (policy_ != Policy::cluster) components_.emplace_back();
      const std::size_t device = graph_.tasks[task].part < on_second ? 1 : 0;
      tasks_[task].component =
          static_cast<std::uint32_t>(policy_ == Policy::cluster ? device : components_.size() - 1);
      Component& component = components_[tasks_[task].component];
      component.tasks.push_back(task);
      component.device = policy_ == Policy::cluster ? device : 0;
    }
    std::erase_if(components_, [](const Component& c) { return c.tasks.empty(); });
    for (std::uint32_t i = 0; i < components_.size(); ++i)
      for (const auto task : components_[i].tasks) tasks_[task].component = i;
  }

  void reset() {
    for (std::uint32_t i = 0; i < graph_.buffers.size(); ++i) fill(graph_, i, host_[i].floats());
    finished_ = 0;
    frontier_.clear();
    for (auto& component : components_)
      component.dispatched = component.is_in_frontier = component.is_running = false;
    for (auto& task : tasks_) {
      task.waits_for = 0;
      for (const auto parent : task.parents)
        task.waits_for += tasks_[parent].component != task.component ? 1 : 0;
      task.is_dispatched = false;
      task.memory.clear();
    }
    for (std::size_t device = 0; device < devices; ++device) estimate_[device] = 0;
  }

  void release() {
    for (TaskState& task : tasks_)
      if (task.done != nullptr) clReleaseEvent(std::exchange(task.done, nullptr));
    for (const cl_mem memory : created_) clReleaseMemObject(memory);
    for (const cl_event event : events_) clReleaseEvent(event);
    created_.clear();
    events_.clear();
  }

  void add_to_frontier(std::uint32_t component) {
    if (std::exchange(components_[component].is_in_frontier, true)) return;
    frontier_.push_back(component);
    changed_.notify_all();
  }

  bool can_choose() const {
    if (frontier_.empty()) return false;
    return policy_ != Policy::eager || !is_taken_[0] || !is_taken_[1];
  }
  /// Takes a component from the frontier, and says where it goes.
  std::uint32_t choose() {
    auto best = frontier_.begin();
    const auto rank = [&](std::uint32_t component) {
      return tasks_[components_[component].tasks.front()].rank;
    };
    if (policy_ != Policy::cluster) best = std::ranges::max_element(frontier_, {}, rank);
    const std::uint32_t chosen = *best;
    frontier_.erase(best);
    Component& component = components_[chosen];
    const Costs& costs = costs_[graph_.tasks[component.tasks.front()].kernel];
    if (policy_ == Policy::eager) component.device = is_taken_[0] ? 1 : 0;
    if (policy_ == Policy::heft) {
      const double first = costs.run[0] + costs.up + costs.down, second = costs.run[1];
      component.device = second + estimate_[1] > first + estimate_[0] ? 0 : 1;
      estimate_[component.device] = component.device == 0 ? first : second;
    }
    return chosen;
  }

  cl_mem create(std::size_t device, std::uint32_t buffer) {
    cl_int status = CL_SUCCESS;
    const cl_mem memory = clCreateBuffer(
        machines_[device]->context,
        device == 0 ? CL_MEM_READ_WRITE : CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
        graph_.buffers[buffer].bytes, device == 0 ? nullptr : host_[buffer].floats(), &status);
    check(status, "clCreateBuffer");
    return memory;
  }

  void launch(std::size_t device, const Task& task, const std::vector<cl_mem>& memory,
              cl_uint waits, const cl_event* after, cl_event* done) {
    const cl_kernel kernel = kernels_[device][task.kernel];
    cl_uint position = 0;
    for (const cl_mem& buffer : memory) clSetKernelArg(kernel, position++, sizeof buffer, &buffer);
    for (const Scalar& scalar : task.scalars)
      clSetKernelArg(kernel, position++, sizeof scalar, &scalar);
    const Kernel& geometry = graph_.kernels[task.kernel];
    check(clEnqueueNDRangeKernel(machines_[device]->queue, kernel, geometry.dimensions, nullptr,
                                 geometry.global.data(), geometry.local.data(), waits, after, done),
          "clEnqueueNDRangeKernel");
  }

  /// Enqueues the tasks of a component that are free, those that become so by it as well; then lets
  /// them start.
  void dispatch(std::uint32_t index) {
    Component& component = components_[index];
    const std::lock_guard one_at_a_time(*component.dispatching);
    std::vector<cl_event> gates;
    for (;;) {
      std::uint32_t task = none;
      {
        const std::lock_guard lock(mutex_);
        for (const auto candidate : component.tasks)
          if (!tasks_[candidate].is_dispatched && tasks_[candidate].waits_for == 0 &&
              std::ranges::all_of(tasks_[candidate].parents, [&](auto parent) {
                return tasks_[parent].component != index || tasks_[parent].is_dispatched;
              })) {
            task = candidate;
            break;
          }
        if (task == none) break;
      }
      enqueue(component.device, task, gates);
      const std::lock_guard lock(mutex_);
      tasks_[task].is_dispatched = true;
      ++component.dispatched;
    }
    for (const cl_event gate : gates) clSetUserEventStatus(gate, CL_COMPLETE);
    clFlush(machines_[component.device]->queue);
    const std::lock_guard lock(mutex_);
    // Its queues are free again once all of it is enqueued, whatever the device does.
    if (component.dispatched == component.tasks.size()) is_taken_[component.device] = false;
    changed_.notify_all();
  }

  cl_event user_event(std::size_t device) {
    cl_int status = CL_SUCCESS;
    const cl_event event = clCreateUserEvent(machines_[device]->context, &status);
    check(status, "clCreateUserEvent");
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
    return event;
  }

  void enqueue(std::size_t device, std::uint32_t index, std::vector<cl_event>& gates) {
    const Task& task = graph_.tasks[index];
    TaskState& state = tasks_[index];
    const cl_command_queue queue = machines_[device]->queue;
    const auto barrier = [&](cl_uint count, const cl_event* after) {
      check(clEnqueueBarrierWithWaitList(queue, count, after, nullptr), "a barrier");
    };
    // Two a task, one a context.
    gates.push_back(user_event(1 - device));
    gates.push_back(user_event(device));
    const cl_event gate = gates.back();
    const auto is_inside = [&](std::uint32_t other) {
      return other != none && tasks_[other].component == state.component;
    };
    if (device == 0) barrier(1, &gate);
    for (std::size_t i = 0; i < task.accesses.size(); ++i) {
      const Access& access = task.accesses[i];
      const std::uint32_t producer = state.producer[i];
      if (is_inside(producer)) {
        state.memory.push_back(memory_of(producer, access.buffer));
        continue;
      }
      state.memory.push_back(create(device, access.buffer));
      {
        const std::lock_guard lock(mutex_);
        created_.push_back(state.memory.back());
      }
      if (device == 0 && access.mode != Mode::write)
        check(clEnqueueWriteBuffer(queue, state.memory.back(), CL_FALSE, 0,
                                   graph_.buffers[access.buffer].bytes,
                                   host_[access.buffer].floats(), 0, nullptr, nullptr),
              "clEnqueueWriteBuffer");
    }
    if (device == 0) barrier(0, nullptr);
    std::vector<cl_event> after;
    for (const auto parent : state.parents)
      if (is_inside(parent)) after.assign(1, tasks_[parent].done);  // the last one only
    if (device == 1) after.push_back(gate);
    launch(device, task, state.memory, static_cast<cl_uint>(after.size()),
           after.empty() ? nullptr : after.data(), &state.done);
    barrier(0, nullptr);
    cl_event last = state.done;
    if (device == 0) last = read_results(queue, index);
    auto* told = new Told{this, index};
    check(clSetEventCallback(last, CL_COMPLETE, &Scheduler::on_complete, told),
          "clSetEventCallback");
  }

  cl_mem memory_of(std::uint32_t task, std::uint32_t buffer) const {
    for (std::size_t i = 0; i < graph_.tasks[task].accesses.size(); ++i)
      if (graph_.tasks[task].accesses[i].buffer == buffer) return tasks_[task].memory[i];
    throw std::runtime_error("a producer without the buffer");
  }

  /// Results that no task of the component takes are read.
  cl_event read_results(cl_command_queue queue, std::uint32_t index) {
    const Task& task = graph_.tasks[index];
    TaskState& state = tasks_[index];
    cl_event last = state.done;
    for (std::size_t i = 0; i < task.accesses.size(); ++i) {
      if (task.accesses[i].mode == Mode::read) continue;
      const auto buffer = task.accesses[i].buffer;
      const bool has_consumer_inside = std::ranges::any_of(state.children, [&](auto child) {
        const auto& uses = graph_.tasks[child].accesses;
        return tasks_[child].component == state.component &&
               std::ranges::find(uses, buffer, &Access::buffer) != uses.end();
      });
      if (has_consumer_inside) continue;
      check(clEnqueueReadBuffer(queue, state.memory[i], CL_FALSE, 0, graph_.buffers[buffer].bytes,
                                host_[buffer].floats(), 0, nullptr, &last),
            "clEnqueueReadBuffer");
      const std::lock_guard lock(mutex_);
      events_.push_back(last);
    }
    check(clEnqueueBarrierWithWaitList(queue, 0, nullptr, nullptr), "a barrier");
    return last;
  }

  struct Told {
    Scheduler* scheduler;
    std::uint32_t task;
  };
  static void CL_CALLBACK on_complete(cl_event, cl_int, void* data) {
    const std::unique_ptr<Told> told(static_cast<Told*>(data));
    told->scheduler->complete(told->task);
  }
  /// On the driver's thread.
  void complete(std::uint32_t index) {
    std::vector<std::uint32_t> to_dispatch;
    {
      const std::lock_guard lock(mutex_);
      for (const auto child : tasks_[index].children) {
        if (tasks_[child].component == tasks_[index].component) continue;
        if (--tasks_[child].waits_for > 0) continue;
        const auto component = tasks_[child].component;
        if (components_[component].is_running)
          to_dispatch.push_back(component);
        else
          add_to_frontier(component);
      }
    }
    for (const auto component : to_dispatch) dispatch(component);
    const std::lock_guard lock(mutex_);
    ++finished_;
    changed_.notify_all();
  }

  const Graph& graph_;
  Policy policy_;
  std::vector<TaskState> tasks_;
  std::vector<Component> components_;
  std::vector<std::unique_ptr<Machine>> machines_;
  std::vector<std::vector<cl_kernel>> kernels_;
  std::vector<PageMemory> host_;
  std::vector<Costs> costs_;
  std::vector<cl_mem> created_;
  std::vector<cl_event> events_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::uint32_t> frontier_;
  bool is_taken_[devices] = {};
  double estimate_[devices] = {};
  std::size_t finished_ = 0;
};

}  // namespace

int main(int count, char** words) try {
  if (count < 4) return 2;
  const Graph graph = make(words[1]);
  const std::string name = words[3];
  const Policy policy = name == "cluster" ? Policy::cluster
                        : name == "eager" ? Policy::eager
                                          : Policy::heft;
  Scheduler scheduler(graph, policy, count > 4 ? std::strtoul(words[4], nullptr, 10) : 0);
  scheduler.measure();
  const double first = scheduler.run();
  std::printf(
      "{\"graph\": \"%s\", \"side\": \"original %s\", \"tasks\": %zu, \"first_ms\": %.4f, "
      "\"ms\": [",
      words[1], words[3], graph.tasks.size(), first);
  for (int run = 0; run < std::atoi(words[2]); ++run)
    std::printf("%s%.4f", run > 0 ? ", " : "", scheduler.run());
  std::printf("], \"digest\": \"%016llx\"}\n",
              static_cast<unsigned long long>(scheduler.result_digest()));
  std::fflush(stdout);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "graph_original: %s\n", error.what());
  return 1;
}
