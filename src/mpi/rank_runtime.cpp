#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "kiln/mpi/runtime.hpp"
#include "mpi/watch.hpp"

namespace kiln::mpi {
namespace {

/// What a rank may use of the machine's cores.
class Cores {
 public:
  Cores() = default;
  /// Those of this thread, shared among the ranks that are bound to the same ones. Collective.
  explicit Cores(const Communicator& comm) {
    CPU_ZERO(&share_);
    cpu_set_t bound;
    CPU_ZERO(&bound);
    if (::sched_getaffinity(0, sizeof bound, &bound) != 0) CPU_ZERO(&bound);  // others wait below
    std::vector<cpu_set_t> all(static_cast<std::size_t>(comm.local_size()));
    constexpr const char* what = "finding the cores of the ranks";
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallgather(&bound, sizeof bound, MPI_BYTE, all.data(), sizeof bound, MPI_BYTE,
                         comm.state()->local.get(), &request),
          what);
    Watch(comm, stall_limit({})).wait(what, request);
    std::size_t sharing = 0, before = 0;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      if (!CPU_EQUAL(&all[rank], &bound)) continue;
      ++sharing;
      before += rank < static_cast<std::size_t>(comm.local_rank()) ? 1 : 0;
    }
    std::vector<int> cores;
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &bound)) cores.push_back(core);
    if (cores.empty()) return;
    count_ = std::max<std::size_t>(cores.size() / sharing, 1);
    const std::size_t first = before * count_ % cores.size();
    for (std::size_t at = 0; at < count_; ++at)
      CPU_SET(cores[(first + at) % cores.size()], &share_);
  }

  std::size_t count() const { return count_; }  ///< 0: not known
  const cpu_set_t& share() const { return share_; }

 private:
  std::size_t count_ = 0;
  cpu_set_t share_{};
};

/// This thread on some cores while it lives: the threads that it starts stay there.
class Bound {
 public:
  explicit Bound(const Cores& cores) {
    CPU_ZERO(&before_);
    is_bound_ = cores.count() > 0 && ::sched_getaffinity(0, sizeof before_, &before_) == 0 &&
                ::sched_setaffinity(0, sizeof cores.share(), &cores.share()) == 0;
  }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;
  ~Bound() {
    if (is_bound_) ::sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_{};
  bool is_bound_ = false;
};

/// PoCL starts a thread for each core of the machine, in each of its ranks, and wakes all of them
/// for each launch; a rank that has some cores needs as many. (16 ranks of 16 cores lost half of
/// their time that way.) It reads these variables when it is first used in a process. What the user
/// set stays; those that this process starts get what it got.
class PoclThreads {
 public:
  explicit PoclThreads(std::size_t threads) {
    const long cores = ::sysconf(_SC_NPROCESSORS_ONLN);
    if (threads == 0 || cores <= 0 || threads >= static_cast<std::size_t>(cores)) return;
    for (const char* const name : names) {
      if (std::getenv(name) != nullptr) continue;
      ::setenv(name, fmt::to_string(threads).c_str(), 1);
      set_.push_back(name);
    }
  }
  PoclThreads(const PoclThreads&) = delete;
  PoclThreads& operator=(const PoclThreads&) = delete;
  ~PoclThreads() {
    for (const char* const name : set_) ::unsetenv(name);
  }

 private:
  /// Its name until PoCL 4, and from then on.
  static constexpr std::array names = {"POCL_MAX_PTHREAD_COUNT", "POCL_CPU_MAX_CU_COUNT"};
  std::vector<const char*> set_;
};

std::vector<DeviceInfo> devices_of(const std::string& list, const std::string& store) {
  return Runtime({.devices = list, .store = store}).devices();
}

std::vector<DeviceInfo> shared_devices(const RuntimeOptions& options) {
  if (!options.devices.empty()) return devices_of(options.devices, options.store);
  try {
    return devices_of("gpu", options.store);
  } catch (const Error& error) {
    if (error.code() != Errc::not_found) throw;
  }
  return devices_of("cpu", options.store);
}

/// The list that names a device, or some compute units of a CPU.
std::string name_of(const DeviceInfo& device, std::size_t threads) {
  if (device.type != DeviceType::cpu || device.part || threads == 0 ||
      threads >= device.compute_units)
    return fmt::to_string(device.index);
  return fmt::format("{}/{},{}", device.index, threads, device.compute_units - threads);
}

}  // namespace

Runtime runtime_for_rank(const Communicator& comm, const RuntimeOptions& options) {
  const Cores cores(comm);
  const std::size_t threads = options.threads > 0 ? options.threads : cores.count();
  std::string name;
  {
    const Bound bound(options.threads > 0 ? Cores() : cores);
    const PoclThreads pocl(threads);
    const std::vector<DeviceInfo> devices = shared_devices(options);
    const DeviceInfo& device =
        devices[static_cast<std::size_t>(comm.local_rank()) % devices.size()];
    name = name_of(device, threads);
    if (device.part) {
      // Sub-devices of the list itself: a rank takes one of them.
      throw Error(
          Errc::bad_input,
          fmt::format("mpi: found parts of the device '{}' in '{}', expected whole devices, and "
                      "RuntimeOptions::threads for the share of a rank",
                      device.name, options.devices));
    }
  }
  return Runtime({.devices = name, .store = options.store});
}

}  // namespace kiln::mpi
