#include <utility>

#include "base/lifetime.hpp"
#include "layer/serve/local_problem.hpp"
#include "layer/serve/opencl_below.hpp"

// Launches that were begun with a local size to be judged, until their times are known.
namespace kiln::layer {
namespace {

struct Trial {
  cl_event event;
  Problem* problem;
  std::size_t entrant;
};

/// Those that have not ended. Bounded: beyond it, launches are not timed.
struct Trials {
  static constexpr std::size_t most = 64;
  std::mutex mutex;
  std::vector<Trial> running;
};
Trials& trials() {
  static NeverDestroyed<Trials> all;
  return *all;
}

/// Takes the running ones away: the driver is asked with nothing locked, since it may be calling
/// the program back, which may call us.
std::vector<Trial> take_trials() {
  const std::lock_guard lock(trials().mutex);
  return std::exchange(trials().running, {});
}

void lose(const Trial& trial) {
  const std::lock_guard lock(trial.problem->mutex);
  if (trial.problem->race) trial.problem->race->lose(trial.entrant);
}

/// Ends a race that is over.
void finish_race(Problem& problem) {
  std::optional<Race::Result> result;
  LocalSize local = drivers_own;
  {
    const std::lock_guard lock(problem.mutex);
    if (problem.state != Problem::State::racing || !problem.race) return;
    if (problem.race->is_given_up()) problem.state = Problem::State::drivers_own;
    result = problem.race->result();
    if (!result) return;
    if (result->winner != 0) local = problem.candidates[result->winner - 1];
    problem.local = local;
    problem.state = result->winner == 0 ? Problem::State::drivers_own : Problem::State::found;
  }
  try {
    keep(problem, *result, local);
  } catch (...) {
    log_failure_of("a local size's record");  // this process has it
  }
}

/// Nothing but the driver's own choice from now on.
void give_up(Problem& problem) {
  const std::lock_guard lock(problem.mutex);
  problem.state = Problem::State::drivers_own;
}

/// The driver takes the launch, and not with the size that was chosen.
void refuse(Problem& problem, const LocalChoice& choice) {
  if (!choice.is_timed) return give_up(problem);
  {
    const std::lock_guard lock(problem.mutex);
    if (problem.race) problem.race->drop(choice.entrant);
  }
  finish_race(problem);
}

std::int64_t stamp(cl_event event, cl_profiling_info what) {
  cl_ulong value = 0;
  const cl_int status = below->clGetEventProfilingInfo(event, what, sizeof value, &value, nullptr);
  return status == CL_SUCCESS ? static_cast<std::int64_t>(value) : -1;
}

/// Whether it has ended; then its time is entered, and its event let go.
bool end(const Trial& trial) {
  cl_int state = CL_QUEUED;
  if (::clGetEventInfo(trial.event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                       nullptr) != CL_SUCCESS)
    state = -1;
  if (state > CL_COMPLETE) return false;
  const std::int64_t start = stamp(trial.event, CL_PROFILING_COMMAND_START);
  const std::int64_t end = stamp(trial.event, CL_PROFILING_COMMAND_END);
  (void)::clReleaseEvent(trial.event);
  if (state < 0) {
    give_up(*trial.problem);
  } else if (start < 0 || end < start) {
    lose(trial);
  } else {
    {
      const std::lock_guard lock(trial.problem->mutex);
      if (trial.problem->race) trial.problem->race->add(trial.entrant, end - start);
    }
    finish_race(*trial.problem);
  }
  return true;
}

}  // namespace

bool has_room_for_trial() {
  const std::lock_guard lock(trials().mutex);
  return trials().running.size() < Trials::most;
}

void judge(const LocalChoice& choice, cl_event event, bool refused) {
  auto& problem = *static_cast<Problem*>(choice.problem);
  try {
    if (refused) return refuse(problem, choice);
    if (!choice.is_timed) return;
    const Trial trial{event, &problem, choice.entrant};
    if (event == nullptr || ::clRetainEvent(event) != CL_SUCCESS) return lose(trial);
    const std::lock_guard lock(trials().mutex);
    trials().running.push_back(trial);
  } catch (...) {
    log_failure_of("a launch's time");
  }
}

void collect_times() {
  try {
    std::vector<Trial> running = take_trials();
    if (running.empty()) return;
    std::erase_if(running, end);
    const std::lock_guard lock(trials().mutex);
    trials().running.insert(trials().running.begin(), running.begin(), running.end());
  } catch (...) {
    log_failure_of("launches' times");
  }
}

void release_events() {
  try {
    for (const Trial& trial : take_trials()) {
      if (end(trial)) continue;
      lose(trial);
      (void)::clReleaseEvent(trial.event);
    }
  } catch (...) {
    log_failure_of("launches' events");
  }
}

}  // namespace kiln::layer
