#include "cli/tune/search_processes.hpp"

#include <sched.h>

#include <algorithm>

#include "cli/context.hpp"
#include "cli/session.hpp"
#include "cli/store_settings.hpp"
#include "store/default_store.hpp"
#include "store/scratch_store.hpp"
#include "tune/worker/in_child.hpp"

namespace kiln::cli {
namespace {

/// More would ask the strategy further ahead than it can see; each has a driver in memory.
constexpr std::size_t most_jobs = 8;

std::size_t own_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::size_t>(CPU_COUNT(&set));
}

/// On a CPU all processors compile, then all of them run what was compiled; beside a GPU one is
/// left to the process that measures.
std::size_t own_jobs(bool device_is_cpu) {
  const std::size_t processors = own_processors();
  const std::size_t jobs = device_is_cpu ? processors : std::max<std::size_t>(processors, 2) - 1;
  return std::min(jobs, most_jobs);
}

tune::WorkerLimits worker_limits_of(std::chrono::milliseconds hang_time) {
  tune::WorkerLimits limits;
  limits.prepare = limits.run = hang_time;
  return limits;
}

}  // namespace

SearchProcesses::SearchProcesses(const Context& context, const TuningSubject& subject,
                                 std::size_t jobs, std::chrono::milliseconds hang_time)
    : context_(context),
      subject_(subject),
      scratch_(value_or_throw(ScratchFolder::create())),
      worker_(
          [this] {
            open(Into::scratch);
            return subject_.tunable->open(*opened_.resolver, opened_.queue->context(),
                                          *opened_.queue);
          },
          worker_limits_of(hang_time)) {
  if (jobs == 0) jobs = own_jobs(subject.device_is_cpu);
  // A single one on the device's own processor would do what the measuring process does as well.
  if (jobs < 2 && subject.device_is_cpu) return;
  compilers_.emplace(
      [this] {
        open(Into::scratch);
        return subject_.tunable->open_compiler(*opened_.resolver, opened_.queue->context(),
                                               *opened_.queue);
      },
      jobs, hang_time);
}

void SearchProcesses::open(Into into) {
  auto store = value_or_throw(open_store(store_settings_of(context_)));
  if (into == Into::scratch)
    store = std::make_unique<ScratchStore>(scratch_.path().string(), std::move(store));
  opened_.resolver = make_resolver(context_, std::move(store));
  const DevicePtr device = subject_.find_device();
  opened_.queue.emplace(kiln::Context::create({device}), device);
}

void SearchProcesses::keep(tune::ConfigurationId winner) {
  const auto compile = [&]() -> std::string {
    open(Into::store);
    if (opened_.resolver->store() == nullptr) return "";
    if (const auto compiler = subject_.tunable->open_compiler(
            *opened_.resolver, opened_.queue->context(), *opened_.queue))
      compiler->compile(winner);
    opened_ = {};  // what is still being compiled or sent comes to its end
    return "";
  };
  value_or_throw(tune::in_child(compile, std::chrono::minutes(2)));
}

}  // namespace kiln::cli
