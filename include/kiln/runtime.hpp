#pragma once

// OpenCL's header wants a version, and says so in each compilation that names none.
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kiln/error.hpp"

/// What an application holds: devices with their queues, a store of programs, and data on them.
namespace kiln {

class ArrayStorage;
class Kernel;
class Runtime;
class Store;
struct KernelOptions;
struct Source;

enum class DeviceType : std::uint8_t { cpu, gpu, other };
KILN_API const char* name_of(DeviceType type) noexcept;  ///< "CPU", "GPU" or "other"

/// What a device is, for people and for choosing among several.
struct DeviceInfo {
  std::string name, vendor;
  std::string driver;   ///< its version, as the driver says it
  std::string version;  ///< of OpenCL
  std::string platform, platform_version;
  std::string il_versions;  ///< intermediate languages it takes: "SPIR-V_1.0 SPIR-V_1.2"; or empty
  std::string fingerprint;  ///< what a program's binary depends on
  /// The number that lists of devices take; -1 where it is not among them. A sub-device has its
  /// parent's, and its own place among its siblings.
  int index = -1;
  std::optional<unsigned> part = {};
  DeviceType type = DeviceType::other;
  unsigned compute_units = 0;
  std::uint64_t memory_bytes = 0;      ///< global memory
  std::uint64_t local_memory = 0;      ///< bytes a work-group may have
  std::uint64_t largest_buffer = 0;    ///< bytes of one buffer at most
  std::size_t largest_work_group = 0;  ///< work-items
  bool uses_host_memory = false;       ///< works in the host's memory: buffers need no transfer
  bool has_doubles = false;            ///< computes in double precision
  cl_device_id handle = nullptr;       ///< valid while the Runtime is
};

/// What a driver was found to do, by trying it: Kiln assumes nothing because of its name or
/// version, and goes another, slower way where something does not hold.
struct DriverFinding {
  std::string name;  ///< of what was tried: "sin of float8"
  bool holds = false;
  std::string reason;  ///< why not, or what was seen; one line, may be empty
};

/// Findings of one kind: "compiling" (that programs can be compiled in another process, and how
/// the results are kept), "threads" (that the driver's threads can be given cores of their own),
/// "lanes" (that built-in functions keep the lanes of vectors apart).
struct DriverTopic {
  std::string name;
  std::vector<DriverFinding> findings;  ///< by name; none: not tried yet
};

/// When something that was enqueued is complete: an OpenCL event, shared by its copies. A default
/// one is complete. Thread-safe.
class KILN_API Event {
 public:
  Event() = default;
  /// Takes an event of the application, which is retained. Throws Error (bad_input) for null.
  static Event adopt(cl_event event);
  Event(const Event& other) noexcept;
  Event& operator=(const Event& other) noexcept;
  ~Event();

  /// Returns when it is complete. Throws Error (device) where what it stands for failed.
  void wait() const;
  /// Whether it is complete; false, too, for what failed and was not waited for.
  bool is_complete() const;
  /// Nanoseconds that the device was at it, by its own clock: of a kernel's run that was enqueued
  /// with Arrays the kernel's. Waits for it. 0 for what was complete from the beginning. Throws
  /// Error: unsupported where its queue takes no times, as those of a Runtime do but queues of an
  /// application need not; device as wait().
  std::int64_t nanoseconds() const;
  /// The OpenCL event, not retained for the caller; null for what was complete from the beginning.
  cl_event handle() const noexcept { return event_; }

 private:
  cl_event event_ = nullptr;
};

/// What a kernel does with memory that it is given.
enum class Access : std::uint8_t {
  in,     ///< reads it; it is never changed, even where the kernel writes it
  out,    ///< writes it; it starts as zeros in every run
  inout,  ///< reads and writes it
  /// What the kernel's text says: `inout` where it may be written, else `in`.
  derived,
};

/// Elements with copies on the host and on devices, and the knowledge of which one is current.
/// Copies of the object are the same array. What a kernel is given of it is transferred when it is
/// needed; what it wrote comes back when the host asks. One thread at a time; an Array does not
/// outlive the use of its Runtime's devices in a child of fork().
class KILN_API ArrayBase {
 public:
  std::size_t bytes() const;
  /// For Kiln's own modules.
  const std::shared_ptr<ArrayStorage>& storage() const { return storage_; }

 protected:
  ArrayBase() = default;
  explicit ArrayBase(std::shared_ptr<ArrayStorage> storage) : storage_(std::move(storage)) {}
  enum class HostUse : std::uint8_t { read, write, overwrite };
  /// The host's copy, current. Waits for those who write it, and to write, for all who use it.
  std::byte* on_host(HostUse use) const;

 private:
  std::shared_ptr<ArrayStorage> storage_;
};

template <class T>
class Array : public ArrayBase {
 public:
  /// Holds nothing: size 0, refused as an argument.
  Array() = default;
  std::size_t size() const { return bytes() / sizeof(T); }
  /// The elements as they are now: waits for kernels that write them. Valid until the next use of
  /// the Array by a kernel that writes it.
  std::span<const T> read() const {
    return {reinterpret_cast<const T*>(on_host(HostUse::read)), size()};
  }
  /// To be changed on the host: waits for all who use them. The next kernel sees the changes.
  std::span<T> write() { return {reinterpret_cast<T*>(on_host(HostUse::write)), size()}; }
  /// The same where each element gets a new value: nothing is brought from a device.
  std::span<T> overwrite() { return {reinterpret_cast<T*>(on_host(HostUse::overwrite)), size()}; }

 private:
  friend class Runtime;
  using ArrayBase::ArrayBase;
};

/// Devices with a queue each, a store, and all programs that were made for them. Thread-safe; a
/// copy is the same Runtime. What was made from it keeps it alive. Drivers are loaded at the first
/// use of a device, not before.
///
/// A process shares one store of programs among all Runtimes that were not given one of their own.
/// OpenCL does not work in a child of fork() whose parent has used it: each call there throws Error
/// (unsupported).
class KILN_API Runtime {
 public:
  struct Options {
    /// As on the command line: "all", "gpu", "cpu", "0", "~part of a name", "cpu/2" (two equal
    /// sub-devices), several with commas. The first one is the device of runs that name none.
    std::string devices = "all";
    /// A folder; "off": nothing is kept; empty: the user's store (KILN_STORE, then the cache
    /// folder), with the layers that the environment names.
    std::string store = {};
  };

  Runtime() : Runtime(Options{}) {}
  /// Loads nothing yet. Errors of opening the store are thrown here, those of devices at their
  /// first use.
  explicit Runtime(const Options& options);
  /// Works in a context of the application, on these queues of it (one at least). Context and
  /// queues are retained and never changed; programs and buffers are made in this context. A queue
  /// may be out-of-order: what is enqueued for one run is ordered by events. Runs that are split,
  /// and those of specification files, need queues that execute in order (Error, unsupported).
  /// Throws Error: bad_input for a handle that is none or a queue of another context.
  static Runtime adopt(cl_context context, std::span<const cl_command_queue> queues,
                       const std::string& store = "");

  /// The devices, in the order of Options::devices. Throws Error (not_found) where the list names
  /// none.
  std::vector<DeviceInfo> devices() const;
  /// What the driver of one of devices() was found to do so far, in this process and, where there
  /// is a store, in others; each topic, tried or not. Tries nothing. Throws Error: bad_input for a
  /// device of another Runtime.
  std::vector<DriverTopic> findings(const DeviceInfo& device) const;
  /// The queue of each device, in the same order: to be enqueued to and waited for, not released.
  std::vector<cl_command_queue> queues() const;

  /// `count` zeros; memory of a device is taken when a kernel first uses it there.
  template <class T>
  Array<T> array(std::size_t count) const {
    return Array<T>(make_array(count, sizeof(T)));
  }
  /// `count` elements of a buffer of the application, which is retained, from `offset` (elements)
  /// on. Its context is one of this Runtime's. Throws Error: bad_input where the buffer is smaller,
  /// is of another context, or where its device cannot begin a buffer at this offset.
  template <class T>
  Array<T> wrap(cl_mem memory, std::size_t count, std::size_t offset = 0) const {
    return Array<T>(wrap_memory(memory, count, offset, sizeof(T)));
  }
  /// The application's elements on the host. Devices that work in the host's memory use them in
  /// place where they are aligned to 128 bytes, others have copies; what kernels wrote is there
  /// after read(). `owner` is kept for as long as anything uses the memory; without one the memory
  /// must outlive the Array and all that was enqueued with it. Throws Error: bad_input for none.
  template <class T>
  Array<T> borrow(std::span<T> elements, std::shared_ptr<void> owner = nullptr) const {
    return Array<T>(borrow_memory(std::as_writable_bytes(elements), std::move(owner)));
  }

  /// A kernel of a source; see kiln/kernel.hpp, which declares what it takes.
  Kernel kernel(const Source& source, const std::string& name, const KernelOptions& options) const;
  Kernel kernel(const Source& source, const std::string& name) const;

  /// The local store of its programs; see kiln/store.hpp. Throws Error: bad_input where it is off.
  Store store() const;

  /// Waits for all that was enqueued to its queues, and until the store has all that was made.
  void finish() const;

  /// For Kiln's own modules.
  struct State;
  explicit Runtime(std::shared_ptr<State> state) : state_(std::move(state)) {}
  State& state() const;
  const std::shared_ptr<State>& shared_state() const { return state_; }

 private:
  std::shared_ptr<ArrayStorage> make_array(std::size_t count, std::size_t element_bytes) const;
  std::shared_ptr<ArrayStorage> wrap_memory(cl_mem memory, std::size_t count, std::size_t offset,
                                            std::size_t element_bytes) const;
  std::shared_ptr<ArrayStorage> borrow_memory(std::span<std::byte> memory,
                                              std::shared_ptr<void> owner) const;
  std::shared_ptr<State> state_;
};

/// Memory of Arrays and of the host as buffers on one queue, for commands that the application
/// enqueues there itself: BLAS, or OpenCL of its own.
///
///     MemoryUse use(runtime);
///     const Call product = blas::gemm<float>(…, {use.memory(a, Access::in), 0, k}, …);
///     const Event done = use.end(blas::run(product, runtime, {.after = use.after()}));
///
/// Access::in says that the commands leave the memory as it is, any other one that they may write
/// it. Between memory() and the last end() no other caller uses the Arrays. Where end() is not
/// called, the Arrays know of no command. One thread at a time.
class KILN_API MemoryUse {
 public:
  /// On the first queue of the Runtime, or another one of its contexts. Throws Error: bad_input for
  /// a queue of another context, and what its devices fail with.
  explicit MemoryUse(const Runtime& runtime, cl_command_queue queue = nullptr);
  ~MemoryUse();
  MemoryUse(MemoryUse&&) noexcept;
  MemoryUse& operator=(MemoryUse&&) noexcept;

  cl_command_queue queue() const;

  /// All elements of an Array, as they are once after() is complete. Transfers that this needs are
  /// enqueued. The buffer is the Array's; who retains it may use it longer than the Array lives.
  /// Throws Error: bad_input for an Array that holds nothing; device.
  cl_mem memory(const ArrayBase& array, Access access);

  /// A part of a buffer.
  struct Part {
    cl_mem memory = nullptr;
    std::size_t offset = 0;  ///< bytes, a multiple of an element's
  };
  /// Memory of the host, as it is now. Devices that work in the host's memory use it in place,
  /// which then begins somewhere in a buffer; others have a copy, whose changes come back after
  /// end(). With Access::out all of it is written, so that its contents are brought nowhere. It
  /// must stay until the event of end() is complete, and one piece of memory is given once. The
  /// buffer goes with this object. Throws Error: bad_input for no memory; device.
  Part memory(std::span<std::byte> host, Access access, std::size_t element_bytes);

  /// What must be complete before the first command begins.
  const std::vector<Event>& after() const;

  /// Tells the Arrays of the last command, after which all others on this queue are complete; a
  /// default Event: of all that was enqueued so far. May be called again for later ones. The result
  /// is complete when host memory has what was written, too. Throws Error (device).
  Event end(const Event& done);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kiln
