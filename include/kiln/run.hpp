#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kiln/error.hpp"

/// Running an OpenCL kernel on the devices of this machine without host code of one's own:
/// compiled once and kept, split over devices only where the result stays that of one device.
namespace kiln {

struct DeviceSummary {
  std::string name, type;  ///< type: "CPU", "GPU", "other"
  unsigned compute_units = 0;
};

/// Devices and a store, opened once and used by many kernels. Thread-safe.
class KILN_API Machine {
 public:
  /// `devices` as on the command line: "all", "gpu", "cpu", "0", "~part of a name", "cpu/2",
  /// several with commas. `store`: a folder, "off", or empty for the default (KILN_STORE, then the
  /// user's cache folder). Throws Error: not_found, bad_input.
  explicit Machine(std::string_view devices = "all", const std::string& store = "");
  ~Machine();
  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) = delete;
  std::vector<DeviceSummary> devices() const;

 private:
  friend class KernelRun;
  struct State;
  std::shared_ptr<State> state_;
};

/// Work-items in one to three dimensions, and the work-group's shape, which must divide them.
struct Range {
  std::vector<std::size_t> global, local;
};

/// Whether writes outside of buffers are looked for. A checked run has zones before and behind each
/// buffer that show what a kernel writes there. A zone is as large as the buffer, rounded up to
/// 4 KiB and at most 256 KiB; where the device's largest allocation leaves no room there is none,
/// and nothing is found. Costs a copy of all buffers and a wait for each run. What a kernel only
/// reads, and local memory, is not checked.
enum class Bounds { unchecked, checked };

/// What a run did. Times are nanoseconds.
struct RunSummary {
  std::int64_t wall_ns = 0;
  bool split = false;  ///< more than one device worked
  std::string reason;  ///< why not, although it was asked for
  struct Share {
    std::string device;
    std::size_t groups = 0;  ///< work-groups of dimension 0
    std::int64_t kernel_ns = 0;
  };
  std::vector<Share> shares;
};

/// One kernel with its arguments. Arguments are added in the kernel's order; their memory is the
/// caller's and must outlive the object. Memory aligned to 128 bytes is used by CPU devices without
/// a copy. One thread at a time; different objects may run at once.
class KILN_API KernelRun {
 public:
  /// `source`: a file; its includes are looked for beside it. `macros`: name and value of each -D.
  /// Throws Error where the file cannot be read.
  KernelRun(const Machine& machine, const std::filesystem::path& source, std::string kernel,
            const std::vector<std::pair<std::string, std::string>>& macros = {});
  ~KernelRun();
  KernelRun(KernelRun&&) noexcept;
  KernelRun& operator=(KernelRun&&) = delete;

  /// Read by the kernel; never changed, even where the kernel writes it.
  template <class T>
  KernelRun& in(std::span<const T> data) {
    return buffer(std::as_bytes(data), sizeof(T), Access::in);
  }
  /// Written by the kernel; starts as zeros in every run.
  template <class T>
  KernelRun& out(std::span<T> data) {
    return buffer(std::as_bytes(data), sizeof(T), Access::out);
  }
  /// Read and written; every run of a range starts from the contents at the first one of it.
  template <class T>
  KernelRun& inout(std::span<T> data) {
    return buffer(std::as_bytes(data), sizeof(T), Access::inout);
  }
  /// A scalar, a vector or a structure as the kernel has it: run() refuses one of another size.
  template <class T>
  requires std::is_trivially_copyable_v<T> KernelRun& value(const T& value) {
    return scalar({reinterpret_cast<const std::byte*>(&value), sizeof value});
  }
  /// __local memory.
  KernelRun& local(std::size_t bytes);

  /// From now on, runs are checked, or not (as at first); the next run prepares anew. A run that
  /// finds a write outside of a buffer throws Error (device) with the parameter, how many elements,
  /// and which is first.
  KernelRun& bounds(Bounds bounds);

  /// Runs. `partition`: "0" to "10" (tenths for the first device), weights "3:1", "auto" (learnt
  /// from earlier runs) or "dynamic". Compiles at the first run of a range. Throws Error: build
  /// with the driver's log, bad_input where arguments or range do not fit the kernel or a device,
  /// device.
  RunSummary run(const Range& range, std::string_view partition = "10");

 private:
  enum class Access { in, out, inout };
  KernelRun& buffer(std::span<const std::byte> data, std::size_t element_bytes, Access access);
  KernelRun& scalar(std::span<const std::byte> bytes);
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kiln
