#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "device/host_array.hpp"

/// Contexts, their queues, and buffers. What is made here may be adopted from an application, too.
namespace kiln {

/// A cl_context and what Kiln holds for it. Programs live here, per device, and go with it.
/// Thread-safe. Held by shared_ptr: whatever was made from a context keeps it alive.
class Context : public std::enable_shared_from_this<Context> {
 public:
  /// A new context over devices of one platform. Throws kiln::Error.
  static std::shared_ptr<Context> create(std::vector<DevicePtr> devices);
  /// Takes a context of the application (retained until this object goes). Throws kiln::Error.
  static std::shared_ptr<Context> adopt(cl_context context);

  const cl::Context& cl() const { return context_; }
  std::span<const DevicePtr> devices() const { return devices_; }
  /// The description of a device of this context; throws not_found for any other.
  const DevicePtr& device(cl_device_id id) const;

  /// One object of a higher module that lives as long as the context: the table of its programs.
  /// Made by the first caller; later calls are one atomic load.
  template <class T>
  T& attachment() {
    if (void* present = attachment_.load(std::memory_order_acquire))
      return *static_cast<T*>(present);
    const std::lock_guard lock(mutex_);
    if (!owner_) {
      auto made = std::make_shared<T>();
      attachment_.store(made.get(), std::memory_order_release);
      owner_ = std::move(made);
    }
    return *static_cast<T*>(owner_.get());
  }

 private:
  Context(cl::Context context, std::vector<DevicePtr> devices)
      : context_(std::move(context)), devices_(std::move(devices)) {}
  cl::Context context_;
  std::vector<DevicePtr> devices_;
  std::mutex mutex_;
  std::shared_ptr<void> owner_;  // declared after context_: goes first
  std::atomic<void*> attachment_{nullptr};
};
using ContextPtr = std::shared_ptr<Context>;

/// A command queue: in order, with profiling. Enqueuing from several threads is allowed by OpenCL;
/// Kiln gives each Schedule queues of its own. A copy is the same queue.
class Queue {
 public:
  /// Whether commands' times can be asked for. Drivers take them then, asked or not: PoCL 3.1 needs
  /// a tenth longer for a small command.
  enum class Times : std::uint8_t { taken, none };
  /// A new queue. Throws kiln::Error.
  Queue(ContextPtr context, DevicePtr device, Times times = Times::taken);
  /// A queue of the application and the context that it was made in.
  static Queue adopt(cl_command_queue queue, ContextPtr context);

  const cl::CommandQueue& cl() const { return *queue_; }
  const ContextPtr& context() const { return context_; }
  const DevicePtr& device() const { return device_; }

 private:
  Queue() = default;
  ContextPtr context_;
  DevicePtr device_;
  std::shared_ptr<const cl::CommandQueue> queue_;
};

/// Takes a queue that is no longer used and releases it when `retired_queues` others have come
/// after it, or with the process.
///
/// Why: PoCL 3.1 tells a waiting thread that a command is complete before its worker has let go of
/// the command and the queue's lock. What is released in this moment is taken from under the
/// worker: the queue, and the sub-device that it works on, which PoCL's queue does not retain. The
/// moment is microseconds long; many queues later it is surely over. The price is that up to so
/// many queues, and their cl_contexts, live longer. Thread-safe.
void retire_queue(cl::CommandQueue queue, DevicePtr device);
inline constexpr std::size_t retired_queues = 16;

/// What PoCL's kernels may assume of a buffer: the widest vector type, double16.
inline constexpr std::size_t buffer_alignment = 128;

/// A buffer of `bytes` bytes. Where the device works in the host's memory and `host` is aligned to
/// 128 bytes, it is the user's memory itself (no copy; it must outlive the buffer); elsewhere
/// device memory, whose contents the caller transfers. Throws kiln::Error.
struct Buffer {
  cl::Buffer cl;
  std::size_t bytes = 0;
  bool is_host_memory = false;
};
Buffer make_buffer(const Context& context, const Device& device, void* host, std::size_t bytes);
/// Whether memory is aligned so that devices which work in it need no copy.
bool is_buffer_aligned(const void* host);

/// A buffer of `bytes` of memory in the host's large pages (2 MiB; the system may give small ones
/// all the same), for devices that compute in the host's memory.
///
/// Small pages lie anywhere in the physical memory, so that a block that should fill half of a
/// cache falls on some of its sets twice, and differently in every process.
///
/// The memory goes when OpenCL no longer needs it. Its content is undefined. Thread-safe. Throws
/// cl::Error, with CL_MEM_OBJECT_ALLOCATION_FAILURE where there is no memory.
cl::Buffer large_page_buffer(const Context& context, std::size_t bytes);

}  // namespace kiln
