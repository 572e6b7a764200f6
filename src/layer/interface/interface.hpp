#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_layer.h>
#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

// What the two libraries of the OpenCL layer share. libkiln-layer.so is loaded into every program
// and must cost nothing: it passes calls on and knows which programs are served. What serves them,
// with the store and all that it needs, is a library of its own, loaded when a program is built,
// compiled, linked or made of a binary for the first time.
//
// Nothing here has a destructor: applications call OpenCL after those of static objects have run.
namespace kiln::layer {

/// A program that the application made while the layer was there.
///
/// The handle that the application has is the driver's own. Where the program is served, another
/// one of the driver, made of a binary, does its work: `served`.
struct Program {
  enum class Origin : std::uint8_t { source, binary, module, linked };

  cl_program handle = nullptr;
  cl_context context = nullptr;
  Origin origin = Origin::source;
  /// Held by queries, which ask `served` and read `details`, and by whoever lets these go: another
  /// thread may build the program meanwhile.
  pthread_rwlock_t queries = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
  bool counts_in_context = false;  ///< `served` has made the context's count greater by 1
  /// The driver refuses to compile a program again while it has kernels, as PoCL does.
  std::atomic<bool> keeps_kernels{false};
  std::atomic<bool> is_native{false};  ///< the driver itself has built it: it is let alone
  /// The last build was refused for what it said: the driver answers, though `served` is there.
  std::atomic<bool> is_refused{false};
  /// The driver's own handle has given kernels: it may refuse to compile it again.
  std::atomic<bool> has_own_kernels{false};
  /// Kernels of programs that served may be there, also where none serves now.
  std::atomic<bool> was_served{false};
  /// It is compiled and its text is known, so that the layer can link it.
  std::atomic<bool> is_part{false};
  /// The same, and the driver was not asked: it is on record that it compiles.
  std::atomic<bool> is_deferred{false};
  std::atomic<bool> is_released{false};  ///< by the application; kernels are left
  std::atomic<cl_program> served{nullptr};
  std::atomic<cl_uint> references{1};  ///< that the application holds
  std::atomic<cl_uint> holds{1};       ///< one for all of these, one for each kernel
  std::atomic<cl_uint> calls{0};       ///< of these holds, those of builds and compiles under way
  /// Raised by each build and compile: one that has called back knows by it whether it is the last.
  std::atomic<cl_uint> generation{0};
  std::atomic<void*> details{nullptr};  ///< what serves it knows of it
  std::atomic<bool> learns{false};      ///< geometries of launches are of interest
};

/// A variable of the environment that says more than "off"; null otherwise.
inline const char* setting(const char* variable) noexcept {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return nullptr;
  return std::strcmp(value, "off") == 0 || std::strcmp(value, "0") == 0 ? nullptr : value;
}

/// The program that serves; null where the driver's own answers for it.
inline cl_program serving(const Program* program) noexcept {
  if (program == nullptr || program->is_refused.load(std::memory_order_acquire)) return nullptr;
  return program->served.load(std::memory_order_acquire);
}

/// Holds Program::queries while it lives, with others that ask, or alone. Does nothing without a
/// program, or in a child of fork(), where another thread of the parent may have held it.
class QueryLock {
 public:
  enum class For { asking, replacing };
  QueryLock(Program* program, For use, bool is_child = false) noexcept
      : program_(is_child ? nullptr : program) {
    if (program_ == nullptr) return;
    if (use == For::asking)
      ::pthread_rwlock_rdlock(&program_->queries);
    else
      ::pthread_rwlock_wrlock(&program_->queries);
  }
  ~QueryLock() {
    if (program_ != nullptr) ::pthread_rwlock_unlock(&program_->queries);
  }
  QueryLock(const QueryLock&) = delete;
  QueryLock& operator=(const QueryLock&) = delete;

 private:
  Program* program_;
};

/// A kernel of a served program.
struct Kernel {
  static constexpr std::size_t most_seen = 32;

  cl_kernel handle = nullptr;
  Program* program = nullptr;
  std::atomic<cl_uint> references{1};
  /// Digests of geometries that were launched. Those beyond the first ones are not kept: a kernel
  /// with that many is asked about at each launch.
  std::atomic<std::uint64_t> seen[most_seen] = {};
  std::atomic<void*> tuning{nullptr};  ///< what chooses local sizes knows of it
};

/// A launch as clEnqueueNDRangeKernel describes it; pointers may be null.
struct Geometry {
  cl_uint dimensions;
  const std::size_t *offset, *global, *local;
};

/// What is chosen for a launch that has no local size.
struct LocalChoice {
  std::size_t local[3] = {1, 1, 1};
  bool is_set = false;      ///< `local` is to be used; else the driver chooses
  void* problem = nullptr;  ///< not null: judge() is to be told what came of it
  std::size_t entrant = 0;
  bool is_timed = false;  ///< the launch needs an event
};

/// What clBuildProgram was asked.
struct BuildCall {
  cl_uint device_count;
  const cl_device_id* devices;
  const char* options;
};

/// What clCompileProgram was asked.
struct CompileCall {
  cl_uint device_count;
  const cl_device_id* devices;
  const char* options;
  cl_uint header_count;
  const cl_program* headers;
  const char* const* names;
};

/// What clLinkProgram was asked, of programs that are all parts.
struct LinkCall {
  cl_context context;
  cl_uint device_count;
  const cl_device_id* devices;
  const char* options;
  cl_uint count;
  Program* const* parts;
};

/// A program that was linked.
struct Linked {
  cl_program handle = nullptr;  ///< for the application
  cl_program served = nullptr;  ///< the one that serves, built
  bool counts = false;          ///< the context's reference count is greater by that
  bool keeps_kernels = false;   ///< as of Program
  void* details = nullptr;      ///< likewise
};

/// The functions of the library that serves. None throws; all are thread-safe.
struct Serve {
  /// A program that is built, of a binary, to stand behind `program`; null: the driver is to build
  /// it. `pending` is then, where it is not null, to be handed to built(). `counts`: whether the
  /// context's reference count is greater by it.
  cl_program (*build)(Program& program, const BuildCall& call, bool* counts, void** pending);
  /// What the driver has made, to be kept; or, with another status, that it could not.
  void (*built)(Program& program, cl_int status, void* pending);
  /// Notes what is compiled. Whether it is on record that it compiles: then the driver need not be
  /// asked before anything else than a link needs it; else compiled() is to be told what came of
  /// it.
  bool (*compile)(Program& program, const CompileCall& call);
  void (*compiled)(Program& program, cl_int status);
  /// Has the driver compile a deferred program.
  void (*compile_now)(Program& program);
  /// The log of a deferred program; null for a device that is not its own.
  const char* (*compile_log)(Program& program, cl_device_id device);
  /// A linked program. False: the driver is to link it; `pending` as of build().
  bool (*link)(const LinkCall& call, Linked* made, void** pending);
  /// The driver's own of a program that link() has made; null where that fails.
  cl_program (*link_now)(Program& program, bool* counts);
  /// Better bytes for a program that an application makes of its own binary: with the variants that
  /// were learnt since. Null: there are none. `details` goes into the Program.
  const unsigned char* (*binary)(cl_context context, cl_device_id device,
                                 const unsigned char* bytes, std::size_t size,
                                 std::size_t* better_size, void** details);
  /// What CL_PROGRAM_BINARIES is answered with for the number-th of a served program's devices;
  /// null where the driver is to answer. It does not change until the next build.
  const unsigned char* (*own_binary)(Program& program, cl_uint number, std::size_t* size);
  /// Writes down a constant of a module, for the next build.
  void (*set_constant)(Program& program, cl_uint id, std::size_t size, const void* value);
  /// The answer to CL_PROGRAM_BUILD_LOG, and to CL_KERNEL_ATTRIBUTES, of a served program; null
  /// where the driver's own is right.
  const char* (*build_log)(Program& program, cl_device_id device);
  const char* (*attributes)(Program& program, const char* kernel);
  /// Sees to it that a launch meets no compiler; to be called before it.
  void (*before_launch)(Kernel& kernel, const Geometry& geometry);
  /// Remembers a launch without a local size: what the driver has chosen can be seen when it has
  /// run. To be called after it.
  void (*after_launch)(Kernel& kernel);
  /// Learns what such launches have come to; to be called after a wait, where `unseen` is not 0.
  void (*after_wait)();
  const std::atomic<cl_uint>* unseen;
  /// Chooses for a launch without a local size, where the environment asks for it.
  void (*choose_local)(Kernel& kernel, const Geometry& geometry, cl_command_queue queue,
                       LocalChoice& choice);
  /// What came of it: the launch's event, which is retained where it is kept; `refused`: the driver
  /// took the launch without the size that was chosen, and not with it.
  void (*judge)(const LocalChoice& choice, cl_event event, bool refused);
  /// Looks which of these launches have ended; never waits.
  void (*collect_times)();
  /// Lets all events go that are kept: the application is about to ask who counts them.
  void (*release_events)();
  /// Lets go what Kernel::tuning holds.
  void (*forget_kernel)(void* tuning);
  /// Lets the details of a program go.
  void (*forget)(void* details);
};

/// Raised with every change of what is above: libraries of two installations must not meet.
inline constexpr std::uint32_t interface_version = 1 << 16 | sizeof(Serve);

/// What the serving library exports, as "kiln_layer_serve": its functions, or null where it is of
/// another version or cannot work. `below` are the driver's functions; they stay where they are,
/// and may be other ones after the loader was closed and opened again.
using ServeFunction = const Serve* (*)(std::uint32_t version, const cl_icd_dispatch* below);
inline constexpr const char* serve_function = "kiln_layer_serve";

/// What the measuring library exports, as "kiln_layer_measure": puts its functions into `table`,
/// which call those of `under`. False where it is of another version or has nothing to do: then
/// `table` is as before. `under` stays where it is, as above.
using MeasureFunction = bool (*)(std::uint32_t version, const cl_icd_dispatch* under,
                                 cl_icd_dispatch* table);
inline constexpr const char* measure_function = "kiln_layer_measure";
inline constexpr std::uint32_t measure_version = 1;

}  // namespace kiln::layer
