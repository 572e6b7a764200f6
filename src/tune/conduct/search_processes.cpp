// The processes of one search.
#include "tune/conduct/search_processes.hpp"

#include <sched.h>

#include <algorithm>

#include "store/layer/layers.hpp"
#include "tune/worker/child.hpp"

namespace kiln::tune {
namespace {

/// More would need candidates further ahead than a strategy can choose well, and each process has a
/// driver in memory.
constexpr std::size_t most_jobs = 8;

std::size_t own_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::size_t>(CPU_COUNT(&set));
}

/// On a CPU all processors compile, then all of them run what was compiled; with a GPU one
/// processor is left to the process that measures.
std::size_t own_jobs(bool device_is_cpu) {
  const std::size_t processors = own_processors();
  const std::size_t jobs = device_is_cpu ? processors : std::max<std::size_t>(processors, 2) - 1;
  return std::min(jobs, most_jobs);
}

WorkerLimits worker_limits_of(std::chrono::milliseconds hang_time) {
  WorkerLimits limits;
  limits.prepare = limits.run = hang_time;
  return limits;
}

}  // namespace

SearchProcesses::SearchProcesses(const SearchTask& task, std::size_t jobs,
                                 std::chrono::milliseconds hang_time)
    : task_(task),
      scratch_(value_or_throw(ScratchFolder::create())),
      worker_(
          [this] {
            open(Into::scratch);
            return task_.tunable->open(*opened_.resolver, opened_.queue->context(), *opened_.queue);
          },
          worker_limits_of(hang_time)) {
  if (jobs == 0) jobs = own_jobs(task.device.is_cpu);
  // A single one on the device's own processor would be no faster than the measuring process
  // itself.
  if (jobs < 2 && task.device.is_cpu) return;
  compilers_.emplace(
      [this] {
        open(Into::scratch);
        return task_.tunable->open_compiler(*opened_.resolver, opened_.queue->context(),
                                            *opened_.queue);
      },
      jobs, hang_time);
}

void SearchProcesses::open(Into into) {
  auto store = value_or_throw(open_store(task_.store));
  const std::string scratch = scratch_.path().string();
  if (into == Into::scratch) {
    store = std::make_unique<ScratchStore>(scratch, std::move(store));
  } else if (store != nullptr) {
    std::vector<LayeredStore::Below> below;
    below.push_back({.layer = open_local_store(scratch), .copied = true});
    store = std::make_unique<LayeredStore>(std::move(store), std::move(below));
  }
  opened_.resolver = std::make_unique<Resolver>(std::move(store), task_.compile);
  const DevicePtr device = task_.find_device();
  opened_.queue.emplace(kiln::Context::create({device}), device);
}

void SearchProcesses::keep(ConfigurationId winner) {
  const auto keep_it = [&]() -> std::string {
    open(Into::store);
    if (opened_.resolver->store() == nullptr) return "";
    if (const auto compile = task_.tunable->open_compiler(*opened_.resolver,
                                                          opened_.queue->context(), *opened_.queue))
      compile(winner);
    opened_ = {};  // waits for what is still being compiled or sent
    return "";
  };
  value_or_throw(in_child(keep_it, longest_opening));
}

}  // namespace kiln::tune
