#include <algorithm>
#include <cstdlib>

#include "layer/serve/local_problem.hpp"
#include "layer/serve/opencl_below.hpp"

// A local size for a launch that has none.
namespace kiln::layer {
namespace {

/// A driver that compiles for each local size must not do that for what is launched a few times.
constexpr std::size_t launches_before_compiles = 8;

/// Begins a race where the kernel has been launched often enough. Locked.
void begin_race(Problem& problem, const FreeLaunch& launch) {
  const std::size_t wanted = problem.bounds.compiles_each ? launches_before_compiles : 0;
  if (++problem.launches <= wanted) return;
  problem.candidates = local_size_candidates(launch, problem.bounds);
  problem.state = problem.candidates.empty() ? Problem::State::drivers_own : Problem::State::racing;
  problem.race.emplace(problem.candidates.size(), problem.bounds.compiles_each ? 1 : 0);
}

bool has_time_stamps(cl_command_queue queue) {
  cl_command_queue_properties properties = 0;
  return ::clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties,
                                 nullptr) == CL_SUCCESS &&
         (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
}

void use(const LocalSize& local, LocalChoice& choice) {
  std::ranges::copy(local, choice.local);
  choice.is_set = true;
}

void choose_for(Problem& problem, const FreeLaunch& launch, cl_command_queue queue,
                LocalChoice& choice) {
  const bool may_time = has_room_for_trial();
  const std::lock_guard lock(problem.mutex);
  if (problem.state == Problem::State::waiting) begin_race(problem, launch);
  if (problem.state == Problem::State::found && fits(problem.local, launch, problem.bounds)) {
    use(problem.local, choice);
    choice.problem = &problem;
  }
  if (problem.state != Problem::State::racing || !may_time || !has_time_stamps(queue)) return;
  const auto entrant = problem.race->next();
  if (!entrant) return;
  if (*entrant != 0 && !fits(problem.candidates[*entrant - 1], launch, problem.bounds))
    return problem.race->lose(*entrant);
  if (*entrant != 0) use(problem.candidates[*entrant - 1], choice);
  choice.entrant = *entrant;
  choice.is_timed = true;
  choice.problem = &problem;
}

}  // namespace

bool is_tuning() {
  static const bool is = setting("KILN_LAYER_TUNE") != nullptr;
  return is;
}

void choose_local(Kernel& kernel, const Geometry& geometry, cl_command_queue queue,
                  LocalChoice& choice) {
  try {
    collect_times();
    FreeLaunch launch;
    launch.dimensions = geometry.dimensions;
    for (cl_uint d = 0; d < geometry.dimensions; ++d) {
      if (geometry.global[d] == 0) return;
      launch.global[d] = geometry.global[d];
    }
    cl_device_id device = nullptr;
    if (::clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr) !=
        CL_SUCCESS)
      return;
    if (Problem* problem = problem_of(kernel, launch, device))
      choose_for(*problem, launch, queue, choice);
  } catch (...) {
    log_failure_of("a local size");  // the driver chooses
  }
}

}  // namespace kiln::layer
