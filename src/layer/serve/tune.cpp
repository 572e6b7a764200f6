#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/lifetime.hpp"
#include "layer/serve/details.hpp"
#include "layer/serve/opencl_below.hpp"
#include "layer/serve/report.hpp"
#include "layer/tune/free_local_size.hpp"
#include "layer/tune/local_sizes.hpp"
#include "layer/tune/race.hpp"

// Local sizes of launches that have none. They are tried over the program's own launches, judged by
// the device's time, and kept on record. Nothing here waits for a launch.
namespace kiln::layer {
namespace {

/// One kernel's launches of one size class on a device: what is known of their local size.
struct Problem {
  enum class State : std::uint8_t {
    waiting,  ///< it is not launched often enough yet
    racing,
    found,
    drivers_own  ///< nothing is better, or nothing can be told
  };

  std::mutex mutex;
  State state = State::waiting;
  std::string program, kernel, sizes;
  unsigned dimensions = 1;
  DevicePtr device;
  Request request;  ///< of the record
  LocalBounds bounds;
  std::vector<LocalSize> candidates;
  std::optional<Race> race;
  LocalSize local{1, 1, 1};
  std::size_t launches = 0;
};

/// A driver that compiles for each local size must not do that for what is launched a few times.
constexpr std::size_t launches_before_compiles = 8;

// What is on record.

Parameters parameters_of(const LocalSize& local) {
  return {{"x", static_cast<std::int64_t>(local[0])},
          {"y", static_cast<std::int64_t>(local[1])},
          {"z", static_cast<std::int64_t>(local[2])}};
}

LocalSize local_of(const Parameters& parameters) {
  const auto size = [&](const char* name) {
    const std::int64_t value = parameters.get(name, 0);
    return static_cast<std::size_t>(value < 0 ? 0 : value);
  };
  return {size("x"), size("y"), size("z")};
}

/// The driver's own choice, as a record has it.
constexpr LocalSize drivers_own{0, 0, 0};

Request request_of(const Details& details, const Problem& problem) {
  const std::string text = details.source->digest().hex() + " " + details.options;
  Request request;
  request.family = "program.local";
  request.problem_class = fmt::format("{} {} {}", blake2b(as_bytes(text)).hex().substr(0, 32),
                                      problem.kernel, problem.sizes);
  request.label = problem.kernel;
  return request;
}

LocalSizeReport report_of(const Problem& problem, const LocalSize& local) {
  LocalSizeReport told;
  told.program = problem.program;
  told.kernel = problem.kernel;
  told.sizes = problem.sizes;
  if (local != drivers_own) told.local = text_of(local, problem.dimensions);
  return told;
}

/// Takes what an earlier process has found; it is checked as if it came from a stranger.
void look_up(Problem& problem, const FreeLaunch& launch) {
  const auto is_usable = [&](const Measurement& one) {
    const LocalSize local = local_of(one.parameters);
    return local == drivers_own || fits(local, launch, problem.bounds);
  };
  const auto chosen = resolver().choose(problem.request, *problem.device, is_usable);
  if (chosen.parameters.empty()) return;
  problem.local = local_of(chosen.parameters);
  const bool is_own = problem.local == drivers_own;
  problem.state = is_own ? Problem::State::drivers_own : Problem::State::found;
  LocalSizeReport told = report_of(problem, problem.local);
  told.reason = chosen.from;
  told.is_on_record = true;
  report(told);
}

/// Puts the race's result on record.
void keep(const Problem& problem, const Race::Result& result, const LocalSize& local) {
  LocalSizeReport told = report_of(problem, local);
  told.reason = local == drivers_own
                    ? fmt::format("nothing was faster ({} launches)", result.launches)
                    : fmt::format("{:.2f} times faster ({} launches)",
                                  result.incumbent_ns / result.winner_ns, result.launches);
  Measurement one;
  one.parameters = parameters_of(local);
  one.milliseconds = result.winner_ns * 1e-6;
  one.standard_milliseconds = result.incumbent_ns * 1e-6;
  one.from = told.reason;
  report(told);
  resolver().record(problem.request, *problem.device, {one});
}

// Problems of the process.

template <class T>
T work_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what) {
  T value{};
  check_cl(::clGetKernelWorkGroupInfo(kernel, device, what, sizeof value, &value, nullptr),
           "clGetKernelWorkGroupInfo");
  return value;
}

/// What bounds a kernel's local sizes; nothing may be chosen where the kernel demands one.
std::optional<LocalBounds> bounds_of(cl_kernel kernel, const Device& device) {
  const cl_device_id id = device.handle();
  if (work_group_info<LocalSize>(kernel, id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE)[0] != 0) return {};
  LocalBounds bounds;
  bounds.most_items = work_group_info<std::size_t>(kernel, id, CL_KERNEL_WORK_GROUP_SIZE);
  bounds.multiple =
      work_group_info<std::size_t>(kernel, id, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
  for (std::size_t d = 0; d < 3 && d < device.max_work_item_sizes.size(); ++d)
    bounds.most[d] = device.max_work_item_sizes[d];
  bounds.compiles_each = device.pocl;
  return bounds;
}

/// All problems; they stay for as long as the process, since launches know them.
struct Problems {
  static constexpr std::size_t most = 4096;
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<Problem>> by_name;
};
Problems& problems() {
  static NeverDestroyed<Problems> all;
  return *all;
}

/// What is known of one kernel object: Kernel::tuning.
struct KernelTuning {
  struct Seen {
    FreeLaunch launch;
    cl_device_id device;
    Problem* problem;
  };
  static constexpr std::size_t most_seen = 64;

  std::string name;
  bool is_free = false;  ///< the text proves that its local size cannot be seen
  std::mutex mutex;
  std::vector<Seen> seen;
};

KernelTuning* tuning_of(Kernel& kernel, const Details& details) {
  auto* known = static_cast<KernelTuning*>(kernel.tuning.load(std::memory_order_acquire));
  if (known != nullptr) return known;
  auto made = std::make_unique<KernelTuning>();
  made->name = name_of(kernel.handle);
  made->is_free = details.source->module() == nullptr &&
                  has_free_local_size(details.source->text(), details.options, made->name);
  void* there = nullptr;
  if (kernel.tuning.compare_exchange_strong(there, made.get(), std::memory_order_acq_rel))
    return made.release();
  return static_cast<KernelTuning*>(there);  // another thread was first
}

/// Null where nothing may be chosen.
Problem* make_problem(const Kernel& kernel, const KernelTuning& tuning, const Details& details,
                      const FreeLaunch& launch, cl_device_id id) {
  const auto on = std::ranges::find_if(
      details.devices, [&](const OnDevice& one) { return one.device->handle() == id; });
  if (on == details.devices.end()) return nullptr;
  auto made = std::make_unique<Problem>();
  made->program = details.label;
  made->kernel = tuning.name;
  made->sizes = size_class(launch);
  made->dimensions = launch.dimensions;
  made->device = on->device;
  made->request = request_of(details, *made);
  const std::string name = made->request.problem_class + " " + made->device->speed_identity();
  {
    const std::lock_guard lock(problems().mutex);
    const auto known = problems().by_name.find(name);
    if (known != problems().by_name.end()) return known->second.get();
    if (problems().by_name.size() >= Problems::most) return nullptr;
  }
  const auto bounds = bounds_of(kernel.handle, *made->device);
  if (!bounds) return nullptr;
  made->bounds = *bounds;
  look_up(*made, launch);
  const std::lock_guard lock(problems().mutex);
  return problems().by_name.try_emplace(name, std::move(made)).first->second.get();
}

Problem* problem_of(Kernel& kernel, const FreeLaunch& launch, cl_device_id device) {
  const Details* details = details_of(*kernel.program);
  if (details == nullptr || details->source == nullptr) return nullptr;
  KernelTuning* tuning = tuning_of(kernel, *details);
  if (!tuning->is_free) return nullptr;
  {
    const std::lock_guard lock(tuning->mutex);
    for (const auto& seen : tuning->seen)
      if (seen.device == device && seen.launch == launch) return seen.problem;
    if (tuning->seen.size() >= KernelTuning::most_seen) return nullptr;
  }
  Problem* problem = make_problem(kernel, *tuning, *details, launch, device);
  const std::lock_guard lock(tuning->mutex);
  tuning->seen.push_back({launch, device, problem});
  return problem;
}

// Launches that were begun.

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

bool has_room_for_trial() {
  const std::lock_guard lock(trials().mutex);
  return trials().running.size() < Trials::most;
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
  static const bool is = [] {
    const char* value = std::getenv("KILN_LAYER_TUNE");
    return value != nullptr && *value != '\0';
  }();
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

void judge(const LocalChoice& choice, cl_event event, bool refused) {
  auto& problem = *static_cast<Problem*>(choice.problem);
  try {
    if (refused) return give_up(problem);
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

void forget_kernel(void* tuning) { delete static_cast<KernelTuning*>(tuning); }

}  // namespace kiln::layer
