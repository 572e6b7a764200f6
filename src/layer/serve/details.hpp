#pragma once

#include <unistd.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "kernel/resolver/resolver.hpp"
#include "kernel/source/units.hpp"
#include "layer/interface/interface.hpp"

// What is known of a program that is served, and the spine that serves.
namespace kiln::layer {

/// What has loaded this: a child that was forked is another.
inline const pid_t own_process = ::getpid();

/// A program on one of its devices.
struct OnDevice {
  DevicePtr device;
  Resolver::Startable found;
  std::string build_log;  ///< as the driver would give it
  /// By kernel, where the binary has them; looked up without an allocation.
  std::map<std::string, std::string, std::less<>> attributes;
  /// The same program as what the application makes of the binary that it was given: variants that
  /// are learnt are of use there, too. Null where it never asked.
  std::unique_ptr<kiln::Program> as_binary;
  /// By the driver's compiler at an earlier start: nothing is kept of it.
  bool was_refused = false;
};

struct Details {
  /// Of `as_binary` of each device, of additions to the archives, and of `constants`.
  std::recursive_mutex mutex;
  std::vector<OnDevice> devices;
  std::vector<std::pair<cl_uint, std::string>> constants;  ///< set for the next build
  std::string label;
  SourcePtr source;     ///< where local sizes are chosen
  std::string options;  ///< of the build there, and of every link
  /// Parts that a linked program is made of; of a compiled one itself alone, as far as it is known.
  std::vector<Unit> units;
  std::string unit_options;           ///< of a compiled one, as the application gave them
  std::string unit_log;               ///< of a compiled one that the driver was not asked for
  std::unique_ptr<Details> previous;  ///< replace_details()
  Bytes better;                       ///< bytes that were handed out in place of the application's
};

inline Details* details_of(const Program& program) {
  return static_cast<Details*>(program.details.load(std::memory_order_acquire));
}

/// Puts them in the place of those of an earlier build. Another thread may still be reading these:
/// they stay until the next ones take the place.
void replace_details(Program& program, std::unique_ptr<Details> details);

/// The kernel's name. Throws kiln::Error.
std::string name_of(cl_kernel kernel);

/// The Resolver of all served programs. It is this library's own: an application that uses Kiln
/// itself has a second one.
Resolver& resolver();

/// A device of the application; null for a part of one, whose programs are the driver's own affair.
/// Throws kiln::Error.
DevicePtr device_of(cl_device_id id);

/// While it lives the store may be open: afterwards nothing is, and all that was made is there.
class StoreUse {
 public:
  StoreUse() = default;
  StoreUse(const StoreUse&) = delete;
  StoreUse& operator=(const StoreUse&) = delete;
  ~StoreUse();
};

/// Logs a failure that the application is not told of: it is served by the driver.
void log_failure_of(const char* what) noexcept;

// The functions of Serve, by the files that have them.
cl_program build(Program& program, const BuildCall& call, bool* counts, void** pending);
void built(Program& program, cl_int status, void* pending);
const unsigned char* own_binary(Program& program, cl_uint number, std::size_t* size);
const unsigned char* binary(cl_context context, cl_device_id device, const unsigned char* bytes,
                            std::size_t size, std::size_t* better_size, void** details);
bool compile(Program& program, const CompileCall& call);
void compiled(Program& program, cl_int status);
void compile_now(Program& program);
const char* compile_log(Program& program, cl_device_id device);
bool link(const LinkCall& call, Linked* made, void** pending);
cl_program link_now(Program& program, bool* counts);
void set_constant(Program& program, cl_uint id, std::size_t size, const void* value);
void before_launch(Kernel& kernel, const Geometry& geometry);
void after_launch(Kernel& kernel);
void after_wait();
extern std::atomic<cl_uint> unseen_launches;
void forget(void* details);
void choose_local(Kernel& kernel, const Geometry& geometry, cl_command_queue queue,
                  LocalChoice& choice);
void judge(const LocalChoice& choice, cl_event event, bool refused);
void collect_times();
void release_events();
void forget_kernel(void* tuning);

/// Whether the environment asks for local sizes where the program passes none.
bool is_tuning();

}  // namespace kiln::layer
