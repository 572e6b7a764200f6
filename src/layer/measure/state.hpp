#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <string>

#include "layer/entry/handle_table.hpp"
#include "layer/interface/interface.hpp"
#include "layer/measure/statistics.hpp"

// What the measuring library holds of its process: made once, never destroyed, since programs call
// OpenCL after all else.
namespace kiln::layer::measure {

/// The functions that the wrappers call: those of the layer that serves programs.
extern const cl_icd_dispatch* under;

/// Whether this is a child of a process that had the layer: everything is passed on, what the
/// program was told of its queues stays.
bool is_child() noexcept;

enum class Transfer { read, write, copy, fill, map, unmap, migrate };
inline constexpr const char* transfer_names[] = {"read", "write", "copy",   "fill",
                                                 "map",  "unmap", "migrate"};
inline constexpr std::size_t transfers = std::size(transfer_names);

struct Device {
  int number = 0;
  cl_device_id handle = nullptr;
  std::string name, vendor, version, driver_version, platform, platform_version, type;
  cl_uint compute_units = 0, clock_mhz = 0;
  bool is_part = false;
  Series transfer[transfers];
};

/// A program that kernels were made of: its text and options, not its handle.
struct Program {
  int number = 0;
  std::string identity;  ///< digest of the text, else of the kernels' names; file "IDENTITY.cl"
  bool has_text = false;
  std::string options;
  std::uint64_t builds = 0;
  std::int64_t build_ns = 0;
};

struct Queue;

/// All that is counted. Locked by `mutex`, but for what is atomic.
struct Books {
  std::mutex mutex;
  std::deque<Device> devices;
  std::deque<Program> programs;
  std::map<std::string, Program*> program_by_identity;
  std::deque<Series> kernels;
  std::map<std::string, Series*> kernel_by_name;  ///< with program and device
  std::deque<Queue*> queues;
  HostTime finish, wait_for_events, blocking_transfer;
  HostTime build, compile, link, binaries;
  std::atomic<std::uint64_t> failed_builds{0};

  Device& device_of(cl_device_id handle);
  /// The launches of a program's kernel on a device.
  Series& kernel(const std::string& name, const Program& program, int device);
};
Books& books();

/// Memory objects and SVM allocations by their handles: bytes, as a pointer.
extern HandleTable memory_objects, svm_allocations;

/// The wrappers, by the files that have them.
void add_queue_functions(cl_icd_dispatch& table) noexcept;
void add_kernel_functions(cl_icd_dispatch& table) noexcept;
void add_memory_functions(cl_icd_dispatch& table) noexcept;
void add_transfer_functions(cl_icd_dispatch& table) noexcept;
void add_image_transfer_functions(cl_icd_dispatch& table) noexcept;
void add_program_functions(cl_icd_dispatch& table) noexcept;

/// What is known of a program with a handle, which has been built. Asks the driver at most once a
/// build.
Program& program_of(cl_program handle);

/// Puts a function into a table where that has one.
template <class Function>
void replace(Function*& entry, Function* own) noexcept {
  if (entry != nullptr) entry = own;
}

}  // namespace kiln::layer::measure
