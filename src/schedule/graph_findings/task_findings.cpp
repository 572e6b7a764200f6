#include "schedule/graph_findings/task_findings.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "device/transfer.hpp"

namespace kiln::graph {
namespace {

/// Lanes are held against one for about this long, and with so many commands.
constexpr double lane_trial_ns = 200'000;
constexpr int most_commands = 16;
/// Of a longer task nothing is found: as if a second lane doubled the device.
constexpr double longest_lane_trial_ns = 1e9;

}  // namespace

bool TaskFindings::lacks_slow_down(const Work& work, std::uint32_t device) const {
  const auto& entry = devices_.all()[device];
  // With one device nothing is to be chosen.
  return devices_.all().size() > 1 && entry.lanes > 1 &&
         !times_.slow_down(work.kind(), *entry.device);
}

bool TaskFindings::lack(const Work& work, std::uint32_t device) const {
  if (work.runs_on_host() || work.keeps_data()) return false;
  return whole_writes_.lacks(work) || lacks_slow_down(work, device);
}

void TaskFindings::look(const TaskRun& run) {
  if (run.work.keeps_data()) return;
  if (whole_writes_.lacks(run.work)) find_whole_writes(run);
  if (!lacks_slow_down(run.work, run.where.device)) return;
  try {
    find_slow_down(run);
  } catch (const Error& error) {
    // The run of the graph may know only one of the lanes.
    if (error.code() != Errc::timeout)
      for (const Queue& lane : devices_.all()[run.where.device].queues(Queue::Times::none).lanes)
        ::clFinish(lane.cl()());
    throw;
  }
}

/// Memory that the task can write to in place of its own.
cl_mem TaskFindings::memory_like(const TaskRun& run, std::size_t use) {
  const Queue& queue = run.where.queue;
  memory_.push_back(
      make_buffer(*queue.context(), *queue.device(), nullptr, run.work.uses()[use].bytes).cl);
  return memory_.back()();
}

/// What the task wrote began as zeros. What is the same after a run over other bytes was written by
/// both.
void TaskFindings::find_whole_writes(const TaskRun& run) {
  const cl_command_queue handle = run.where.queue.cl()();
  const auto& uses = run.work.uses();
  std::vector<cl_mem> memory(run.memory.begin(), run.memory.end());
  for (std::size_t use = 0; use < uses.size(); ++use) {
    if (uses[use].access != Access::out) continue;
    memory[use] = memory_like(run, use);
    constexpr cl_uchar other = 0xa5;
    check_cl(::clEnqueueFillBuffer(handle, memory[use], &other, 1, 0, uses[use].bytes, 0, nullptr,
                                   nullptr),
             "clEnqueueFillBuffer");
  }
  run.runner.enqueue(run.work, memory, {}, nullptr);
  run.wait(run.where.queue);
  std::vector<bool> writes_all(uses.size());
  for (std::size_t use = 0; use < uses.size(); ++use) {
    if (uses[use].access != Access::out) continue;
    Bytes of_zeros(uses[use].bytes), of_others(uses[use].bytes);
    for (const auto& [from, to] :
         {std::pair(run.memory[use], &of_zeros), {memory[use], &of_others}})
      enqueue_read(run.where.queue, cl::Buffer(from, true), 0, *to, {.waits = true});
    writes_all[use] = of_zeros == of_others;
  }
  whole_writes_.learn(run.work, writes_all);
}

/// The task's inputs, and other memory with the same contents for what it writes.
std::vector<cl_mem> TaskFindings::own_memory(const TaskRun& run) {
  const auto& uses = run.work.uses();
  std::vector<cl_mem> memory(run.memory.begin(), run.memory.end());
  for (std::size_t use = 0; use < uses.size(); ++use) {
    if (uses[use].access == Access::in) continue;
    memory[use] = memory_like(run, use);
    check_cl(::clEnqueueCopyBuffer(run.where.queue.cl()(), run.memory[use], memory[use], 0, 0,
                                   uses[use].bytes, 0, nullptr, nullptr),
             "clEnqueueCopyBuffer");
  }
  return memory;
}

void TaskFindings::find_slow_down(const TaskRun& run) {
  const auto& entry = devices_.all()[run.where.device];
  const auto& lanes = entry.queues(Queue::Times::none).lanes;
  const std::size_t first_memory = memory_.size();
  struct UsedLane {
    const Queue& queue;
    std::unique_ptr<Runner> runner;
    std::vector<cl_mem> memory;
  };
  std::vector<UsedLane> used;  // with Runners of their own
  for (std::size_t lane = 0; lane < 2; ++lane) {
    used.push_back(
        {lanes[lane], run.work.prepare(devices_.resolver(), lanes[lane]), own_memory(run)});
    used.back().runner->begin_run();
  }
  run.wait(run.where.queue);
  const auto time = [&](std::size_t on, int commands) {
    const auto start = now_ns();
    for (int command = 0; command < commands; ++command)
      for (std::size_t lane = 0; lane < on; ++lane)
        used[lane].runner->enqueue(run.work, used[lane].memory, {}, nullptr);
    for (std::size_t lane = 0; lane < on; ++lane) ::clFlush(used[lane].queue.cl()());
    for (std::size_t lane = 0; lane < on; ++lane) run.wait(used[lane].queue);
    return static_cast<double>(now_ns() - start);
  };
  const double once = time(1, 1);
  if (once > longest_lane_trial_ns) {
    times_.learn_slow_down(run.work.kind(), *entry.device, 1);
    return;
  }
  time(2, 1);
  const int commands = std::clamp(static_cast<int>(lane_trial_ns / once), 1, most_commands);
  double alone = time(1, commands), both = time(2, commands);
  for (int round = 0; commands > 1 && round < 2; ++round) {
    alone = std::min(alone, time(1, commands));
    both = std::min(both, time(2, commands));
  }
  times_.learn_slow_down(run.work.kind(), *entry.device, std::clamp(both / alone, 1.0, 2.0));
  // Only these Runners know it.
  used.clear();
  memory_.resize(first_memory);
}

}  // namespace kiln::graph
