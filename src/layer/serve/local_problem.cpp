#include "layer/serve/local_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/lifetime.hpp"
#include "base/os/environment.hpp"
#include "layer/serve/opencl_below.hpp"
#include "layer/serve/report.hpp"
#include "layer/tune/free_local_size.hpp"

// Which kernels' local sizes may be chosen, and what is on record of them.
namespace kiln::layer {
namespace {

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

}  // namespace

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
  const StoreUse use;
  resolver().record(problem.request, *problem.device, {one});
}

namespace {

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
  std::string options = details.options;
  if (details.devices.front().device->pocl) options += " " + environment("POCL_EXTRA_BUILD_FLAGS");
  made->is_free = details.source->module() == nullptr &&
                  has_free_local_size(details.source->text(), options, made->name);
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
  {
    const StoreUse use;
    look_up(*made, launch);
  }
  const std::lock_guard lock(problems().mutex);
  return problems().by_name.try_emplace(name, std::move(made)).first->second.get();
}

}  // namespace

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

void forget_kernel(void* tuning) { delete static_cast<KernelTuning*>(tuning); }

}  // namespace kiln::layer
