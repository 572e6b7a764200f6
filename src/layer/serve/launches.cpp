#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

#include "base/lifetime.hpp"
#include "base/os/environment.hpp"
#include "base/os/file.hpp"
#include "layer/program/usage.hpp"
#include "layer/serve/details.hpp"
#include "layer/serve/report.hpp"
#include "layer/serve/start.hpp"

// Local sizes of launches are learnt: PoCL compiles a kernel for each, so the archive gets them
// before the launch, and the store with it.
namespace kiln::layer {

std::atomic<cl_uint> unseen_launches{0};

namespace fs = std::filesystem;
std::string name_of(cl_kernel kernel) {
  std::size_t bytes = 0;
  check_cl(::clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, 0, nullptr, &bytes),
           "clGetKernelInfo");
  std::string name(bytes, '\0');
  check_cl(::clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, bytes, name.data(), nullptr),
           "clGetKernelInfo");
  while (!name.empty() && name.back() == '\0') name.pop_back();
  return name;
}

namespace {

using Sizes = std::array<std::size_t, 3>;

Sizes sizes_of(const std::size_t* values, cl_uint dimensions, std::size_t otherwise) {
  Sizes sizes{otherwise, otherwise, otherwise};
  for (cl_uint d = 0; d < dimensions && values != nullptr; ++d) sizes[d] = values[d];
  return sizes;
}

/// Whether the driver would launch it: what it would refuse must cost no compile.
bool is_sound(const Kernel& kernel, const OnDevice& one, const Sizes& global, const Sizes& local) {
  std::size_t items = 1, most = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (local[d] == 0 || local[d] > 0xFFFFFFFF || global[d] == 0 || global[d] % local[d] != 0)
      return false;
    if (__builtin_mul_overflow(items, local[d], &items)) return false;
  }
  const cl_int status = ::clGetKernelWorkGroupInfo(
      kernel.handle, one.device->handle(), CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, nullptr);
  if (status != CL_SUCCESS || items > most) return false;
  Sizes required{};
  if (::clGetKernelWorkGroupInfo(kernel.handle, one.device->handle(),
                                 CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, &required,
                                 nullptr) != CL_SUCCESS)
    return false;
  return required[0] == 0 || required == local;
}

/// The folder of PoCL's cache in this process.
fs::path driver_cache() {
  if (const auto named = environment("POCL_CACHE_DIR"); !named.empty()) return named;
  const auto cache = environment("XDG_CACHE_HOME");
  const fs::path base = cache.empty() ? fs::path(environment("HOME")) / ".cache" : fs::path(cache);
  return base / "pocl" / "kcache";
}

/// What was learnt of a program is of use to the one that the application makes of its binary.
void extend_binary(OnDevice& one) {
  if (one.as_binary == nullptr) return;
  auto both = poclbin::merge(one.as_binary->archive(), one.found.program->archive());
  if (both && *both != one.as_binary->archive())
    resolver().extend(*one.as_binary, *std::move(both));
}

/// Adds what the driver has compiled of a kernel to the archive. Whether there was any.
bool take_in(OnDevice& one, const std::string& label, const std::string& kernel) {
  VariantReport told{label, kernel, {}};
  Bytes bytes = one.found.program->archive();
  auto archive = poclbin::parse(bytes);
  if (!archive) return false;
  const poclbin::Kernel* described = archive->find(kernel);
  const fs::path folder = driver_cache() / std::string(archive->build_hash);
  std::error_code error;
  bool has_grown = false;
  for (const auto& entry : fs::directory_iterator(folder / kernel, error)) {
    const std::string variant = entry.path().filename().string();
    if (described == nullptr || !poclbin::Variant::from_folder(variant) ||
        poclbin::find_object(*described, variant) != nullptr)
      continue;
    const fs::path object = entry.path() / (kernel + ".so");
    constexpr std::uint64_t most = 64u << 20;
    const auto content = read_file(object, most);
    if (!content || !poclbin::check_object(*content, kernel)) continue;
    Bytes larger = poclbin::with_file(
        *archive, kernel, fmt::format("/{}/{}/{}.so", kernel, variant, kernel), *content);
    if (larger.empty()) continue;
    bytes = std::move(larger);
    archive = poclbin::parse(bytes);
    if (!archive) return false;
    described = archive->find(kernel);
    has_grown = true;
    note_variant(resolver(), one.found.program->key(),
                 {kernel, *poclbin::Variant::from_folder(variant)});
    told.variant += (told.variant.empty() ? "" : ", ") + variant;
  }
  if (!has_grown) return false;
  resolver().extend(*one.found.program, std::move(bytes));
  extend_binary(one);
  report(told);
  return true;
}

/// Has the helper compile a variant that a launch is about to need.
void make(OnDevice& one, const std::string& label, const KernelVariant& variant) {
  VariantReport told{label, variant.kernel, variant.variant.folder()};
  one.found.program->prepare(variant);
  told.is_compiled = one.found.program->missing({variant}).empty();
  if (told.is_compiled)
    extend_binary(one);
  else
    told.reason = "left to the driver";
  report(told);
}

/// Launches whose local size the driver has chosen, by program, until what it has compiled for them
/// is found: drivers compile when the launch begins, not when it is enqueued.
class Unseen {
 public:
  void add(Details* details, std::string kernel) {
    const std::lock_guard lock(mutex_);
    waiting_[details].insert_or_assign(std::move(kernel), 0);
    count();
  }
  void look() noexcept {
    const std::lock_guard lock(mutex_);
    for (auto program = waiting_.begin(); program != waiting_.end();) {
      auto& [details, kernels] = *program;
      for (auto kernel = kernels.begin(); kernel != kernels.end();)
        kernel = take_in_all(*details, kernel->first) || ++kernel->second >= most_looks
                     ? kernels.erase(kernel)
                     : std::next(kernel);
      program = kernels.empty() ? waiting_.erase(program) : std::next(program);
    }
    count();
  }
  /// The last look for a program, which is about to go.
  void look_last(Details* details) noexcept {
    const std::lock_guard lock(mutex_);
    const auto program = waiting_.extract(details);
    if (program.empty()) return;
    for (const auto& kernel : program.mapped()) take_in_all(*details, kernel.first);
    count();
  }

 private:
  /// It may be there already, or the driver may have used another function.
  static constexpr int most_looks = 4;

  static bool take_in_all(Details& details, const std::string& kernel) noexcept {
    bool is_found = false;
    try {
      const std::lock_guard lock(details.mutex);
      for (auto& one : details.devices)
        if (one.device->pocl && take_in(one, details.label, kernel)) is_found = true;
    } catch (...) {
      log_failure_of("the driver's choice of a local size");
    }
    return is_found;
  }
  void count() { unseen_launches = static_cast<cl_uint>(waiting_.size()); }

  std::mutex mutex_;
  std::map<Details*, std::map<std::string, int>> waiting_;
};

Unseen& unseen() {
  static NeverDestroyed<Unseen> all;
  return *all;
}

}  // namespace

void before_launch(Kernel& kernel, const Geometry& geometry) {
  Details* details = details_of(*kernel.program);
  if (details == nullptr) return;
  const StoreUse use;
  try {
    const Sizes global = sizes_of(geometry.global, geometry.dimensions, 1);
    const Sizes local = sizes_of(geometry.local, geometry.dimensions, 1);
    const Sizes offset = sizes_of(geometry.offset, geometry.dimensions, 0);
    std::string name;
    for (auto& one : details->devices) {
      if (!one.device->pocl || !is_sound(kernel, one, global, local)) continue;
      if (name.empty()) name = name_of(kernel.handle);
      const KernelVariant variant{name, poclbin::Variant::for_launch(global, local, offset)};
      note_variant(resolver(), one.found.program->key(), variant);
      const std::lock_guard lock(details->mutex);
      const auto is_missing = [&] { return !one.found.program->missing({variant}).empty(); };
      if (!is_missing()) continue;
      take_in(one, details->label, name);  // an earlier process may have had the driver compile it
      if (is_missing() && keeps_entries()) make(one, details->label, variant);
    }
  } catch (...) {
    log_failure_of("a launch's local size");  // the driver compiles it
  }
}

void after_launch(Kernel& kernel) {
  Details* details = details_of(*kernel.program);
  if (details == nullptr) return;
  try {
    unseen().add(details, name_of(kernel.handle));
  } catch (...) {
    log_failure_of("a launch without a local size");
  }
}

void after_wait() {
  const StoreUse use;
  unseen().look();
}

void replace_details(Program& program, std::unique_ptr<Details> details) {
  auto* earlier =
      static_cast<Details*>(program.details.exchange(details.get(), std::memory_order_acq_rel));
  Details* now = details.release();
  if (earlier == nullptr) return;
  Details* oldest = earlier->previous.release();
  now->previous.reset(earlier);
  const QueryLock lock(&program, QueryLock::For::replacing);
  forget(oldest);
}

void forget(void* known) {
  auto* details = static_cast<Details*>(known);
  if (details == nullptr) return;
  forget(details->previous.release());
  if (unseen_launches != 0) {
    const StoreUse use;
    unseen().look_last(details);
  }
  delete details;
}

}  // namespace kiln::layer
