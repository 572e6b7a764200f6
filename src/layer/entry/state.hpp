#pragma once

#include <cstring>

#include "layer/entry/handle_table.hpp"
#include "layer/interface/interface.hpp"

// What the layer holds: constant-initialised, never destroyed.
namespace kiln::layer {

/// The functions below, copied: where the loader was closed and opened again they are other ones.
extern cl_icd_dispatch below;

/// Programs, kernels of programs that are served, and contexts in which programs that serve are
/// counted.
extern HandleTable programs, kernels, contexts;

/// Whether this is a child of a process that had the layer: it passes everything on.
bool is_child() noexcept;
void note_forks() noexcept;

/// What is known of a handle; null in most programs, at most of their calls.
inline Program* program_of(cl_program handle) noexcept {
  return static_cast<Program*>(programs.find(handle));
}
inline Kernel* kernel_of(cl_kernel handle) noexcept {
  return static_cast<Kernel*>(kernels.find(handle));
}

/// The library that serves, loaded at the first call; null where it cannot be used, or in a child.
const Serve* serve() noexcept;
/// The same where it was loaded; it is loaded by no other thread meanwhile.
const Serve* loaded_serve() noexcept;

/// The same in a child, where nothing of it may wait for another thread.
const Serve* parents_serve() noexcept;

/// The layer's own functions in the loader's table. A function that the table below lacks stays
/// absent.
void add_program_functions(cl_icd_dispatch& table) noexcept;
void add_query_functions(cl_icd_dispatch& table) noexcept;
void add_link_functions(cl_icd_dispatch& table) noexcept;
void add_kernel_functions(cl_icd_dispatch& table) noexcept;
void add_local_size_functions(cl_icd_dispatch& table) noexcept;

/// Whether local sizes are chosen where the program passes none.
bool is_tuning() noexcept;
void note_tuning(bool is_wanted) noexcept;
/// A local size for a launch that has none, where one is known or to be tried.
LocalChoice chosen_local(Kernel& kernel, const Geometry& geometry, cl_command_queue queue) noexcept;
/// Tells what came of it.
void judge(const LocalChoice& choice, cl_event event, bool refused) noexcept;
/// Lets go of events before the application asks for counts of references, or ends what has them.
void release_events() noexcept;

// Programs: what building, compiling and linking share (programs.cpp, links.cpp).

/// Notes a program that the application has made.
void add_program(cl_program handle, cl_context context, Program::Origin origin,
                 void* details = nullptr) noexcept;
/// Takes the one that serves away: it is about to be another one, or the driver's own.
void drop_served(Program& program) noexcept;
void set_served(Program& program, cl_program served, bool counts) noexcept;

/// How many programs that serve a context counts; null where there never was one.
std::atomic<cl_int>* hidden_of(cl_context context) noexcept;

/// Who is told of a build, in the application's own terms: tell() takes one, and frees it.
struct Told {
  cl_program handle;
  void(CL_CALLBACK* notify)(cl_program, void*);
  void* data;
};
void CL_CALLBACK tell(cl_program, void* memory) noexcept;

/// Whether the driver would refuse to build a program again, since it has kernels: it is asked with
/// the one that serves, which has them, and tells the application. CL_SUCCESS: it would not.
cl_int refusal(Program& program, cl_uint count, const cl_device_id* devices, const char* options,
               void(CL_CALLBACK* notify)(cl_program, void*) = nullptr,
               void* data = nullptr) noexcept;

/// Has the driver compile what was deferred.
void ask_driver(Program& program) noexcept;
/// clBuildProgram of a program that the layer has linked.
cl_int build_linked(Program& program, const BuildCall& call,
                    void(CL_CALLBACK* notify)(cl_program, void*), void* data) noexcept;

/// Called when a kernel of a program has gone: the program may have waited for it.
void release_hold(Program& program) noexcept;

/// A build or compile of a program under way. The driver may call the application back meanwhile,
/// which may let the program go, or build it again.
class Attempt {
 public:
  explicit Attempt(Program& program) noexcept
      : program_(program), number_(program.generation.fetch_add(1) + 1) {
    program.holds.fetch_add(1, std::memory_order_relaxed);
    program.calls.fetch_add(1, std::memory_order_relaxed);
  }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  ~Attempt() {
    program_.calls.fetch_sub(1, std::memory_order_relaxed);
    release_hold(program_);
  }
  /// What came of it is what the program is now.
  bool is_last() const noexcept { return program_.generation.load() == number_; }

 private:
  Program& program_;
  cl_uint number_;
};

/// An answer of the layer's own to a query.
inline cl_int answer(const void* from, std::size_t bytes, std::size_t size, void* value,
                     std::size_t* size_ret) noexcept {
  if (value != nullptr && size < bytes) return CL_INVALID_VALUE;
  if (value != nullptr) std::memcpy(value, from, bytes);
  if (size_ret != nullptr) *size_ret = bytes;
  return CL_SUCCESS;
}

/// Puts a function of the layer into a table where that has one.
template <class Function>
void replace(Function*& entry, Function* own) noexcept {
  if (entry != nullptr) entry = own;
}

}  // namespace kiln::layer
