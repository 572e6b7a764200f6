#include <cstdlib>
#include <new>

#include "layer/entry/state.hpp"

// clCompileProgram and clLinkProgram. A program that is compiled may be deferred: then the driver
// is asked when anything but a link needs it.
namespace kiln::layer {

void ask_driver(Program& program) noexcept {
  if (!program.is_deferred.load(std::memory_order_acquire)) return;
  // In a child of fork(), too: there the driver has what it had in the parent.
  if (const Serve* server = parents_serve()) server->compile_now(program);
}

namespace {

/// What is asked of a linked program that only the driver can answer: its own takes the place of
/// the one that serves.
cl_program own_link(Program& program) noexcept {
  if (!program.is_native.exchange(true, std::memory_order_acq_rel)) {
    const Serve* server = loaded_serve();
    bool counts = false;
    const cl_program own = server == nullptr ? nullptr : server->link_now(program, &counts);
    if (own != nullptr) {
      drop_served(program);
      set_served(program, own, counts);
    }
  }
  const cl_program served = program.served.load(std::memory_order_acquire);
  return served == nullptr ? program.handle : served;
}

/// The call-back and its data for a call of another handle; null data where there is no memory.
struct Notice {
  Notice(const Program& program, void(CL_CALLBACK* notify)(cl_program, void*),
         void* theirs) noexcept
      : is_possible(true), function(notify), data(theirs) {
    if (notify == nullptr) return;
    void* memory = std::malloc(sizeof(Told));
    is_possible = memory != nullptr;
    function = tell;
    data = is_possible ? new (memory) Told{program.handle, notify, theirs} : nullptr;
  }
  bool is_possible;
  void(CL_CALLBACK* function)(cl_program, void*);
  void* data;
};

/// A driver that keeps what was built until it is compiled anew, and gives kernels of it, gets what
/// the layer has built in its place.
void build_own(Program& program) noexcept {
  const cl_program served = program.served.load(std::memory_order_acquire);
  if (served == nullptr || program.keeps_kernels.load(std::memory_order_relaxed)) return;
  cl_device_id device = nullptr;
  std::size_t size = 0;
  if (below.clGetProgramInfo(program.handle, CL_PROGRAM_DEVICES, sizeof device, &device, nullptr) !=
          CL_SUCCESS ||
      below.clGetProgramBuildInfo(served, device, CL_PROGRAM_BUILD_OPTIONS, 0, nullptr, &size) !=
          CL_SUCCESS)
    return;
  auto* options = static_cast<char*>(std::calloc(1, size + 1));
  if (options == nullptr) return;
  if (below.clGetProgramBuildInfo(served, device, CL_PROGRAM_BUILD_OPTIONS, size, options,
                                  nullptr) == CL_SUCCESS)
    (void)below.clBuildProgram(program.handle, 0, nullptr, options, nullptr, nullptr);
  std::free(options);
}

/// Whether the compile is on record, so that the driver need not be asked now. `server` is
/// to be told otherwise what comes of it, where it is not null.
bool is_known(Program& program, const CompileCall& call, const Serve*& server) noexcept {
  server = program.origin == Program::Origin::source ? serve() : nullptr;
  const bool is_on_record = server != nullptr && server->compile(program, call);
  // A driver that keeps kernels refuses, and is to say so.
  return is_on_record && !program.has_own_kernels.load(std::memory_order_relaxed);
}

cl_int CL_API_CALL compile(cl_program handle, cl_uint count, const cl_device_id* devices,
                           const char* options, cl_uint header_count, const cl_program* headers,
                           const char** names, void(CL_CALLBACK* notify)(cl_program, void*),
                           void* data) {
  const auto pass_on = [&](cl_program to, void(CL_CALLBACK * told)(cl_program, void*), void* with) {
    return below.clCompileProgram(to, count, devices, options, header_count, headers, names, told,
                                  with);
  };
  Program* program = program_of(handle);
  const bool has_headers = header_count != 0;
  const bool is_odd = (count == 0) != (devices == nullptr) || (headers != nullptr) != has_headers ||
                      (names != nullptr) != has_headers || (notify == nullptr && data != nullptr);
  if (program == nullptr || is_odd) return pass_on(handle, notify, data);
  const bool may_refuse = program->keeps_kernels.load(std::memory_order_relaxed);
  const cl_int refused = may_refuse ? refusal(*program, count, devices, nullptr) : CL_SUCCESS;
  if (refused != CL_SUCCESS) return refused;
  if (program->origin == Program::Origin::linked) {
    const cl_program own = own_link(*program);
    if (own == handle) return pass_on(handle, notify, data);
    const Notice notice(*program, notify, data);
    return notice.is_possible ? pass_on(own, notice.function, notice.data) : CL_OUT_OF_HOST_MEMORY;
  }
  const Attempt attempt(*program);
  build_own(*program);
  drop_served(*program);
  program->is_native.store(true, std::memory_order_release);
  program->is_part.store(false, std::memory_order_release);
  program->is_deferred.store(false, std::memory_order_release);
  const Serve* server = nullptr;
  if (is_known(*program, {count, devices, options, header_count, headers, names}, server)) {
    program->is_deferred.store(true, std::memory_order_release);
    program->is_part.store(true, std::memory_order_release);
    if (notify != nullptr) notify(handle, data);
    return CL_SUCCESS;
  }
  const cl_int result = pass_on(handle, notify, data);
  if (server != nullptr && attempt.is_last()) {
    // With a call-back the driver may still be at work.
    const bool is_done = result == CL_SUCCESS && notify == nullptr;
    server->compiled(*program, is_done ? CL_SUCCESS : CL_INVALID_OPERATION);
    program->is_part.store(is_done, std::memory_order_release);
  }
  return result;
}

/// The Program of each input, where all are parts that are known, of this context; null otherwise.
/// To be freed.
Program** parts_of(cl_context context, cl_uint count, const cl_program* inputs) noexcept {
  if (inputs == nullptr || count == 0) return nullptr;
  auto** parts = static_cast<Program**>(std::calloc(count, sizeof(Program*)));
  for (cl_uint i = 0; parts != nullptr && i < count; ++i) {
    parts[i] = program_of(inputs[i]);
    if (parts[i] != nullptr && parts[i]->context == context &&
        parts[i]->is_part.load(std::memory_order_acquire))
      continue;
    std::free(parts);
    return nullptr;
  }
  return parts;
}

/// Has the driver link, which is to see what each input is: those that serve are built, their
/// handles are not.
cl_program link_by_driver(const LinkCall& call, const cl_program* inputs,
                          void(CL_CALLBACK* notify)(cl_program, void*), void* data,
                          cl_int* error) noexcept {
  cl_program* seen = nullptr;
  if (inputs != nullptr && call.count > 0)
    seen = static_cast<cl_program*>(std::calloc(call.count, sizeof(cl_program)));
  for (cl_uint i = 0; inputs != nullptr && i < call.count; ++i) {
    Program* program = program_of(inputs[i]);
    if (program != nullptr) ask_driver(*program);
    const cl_program served = serving(program);
    if (seen != nullptr) seen[i] = served == nullptr ? inputs[i] : served;
  }
  const cl_program made =
      below.clLinkProgram(call.context, call.device_count, call.devices, call.options, call.count,
                          seen == nullptr ? inputs : seen, notify, data, error);
  std::free(seen);
  return made;
}

cl_program CL_API_CALL link(cl_context context, cl_uint device_count, const cl_device_id* devices,
                            const char* options, cl_uint count, const cl_program* inputs,
                            void(CL_CALLBACK* notify)(cl_program, void*), void* data,
                            cl_int* error) {
  const bool is_odd =
      (device_count == 0) != (devices == nullptr) || (notify == nullptr && data != nullptr);
  Program** parts = is_odd ? nullptr : parts_of(context, count, inputs);
  const LinkCall call{context, device_count, devices, options, count, parts};
  const Serve* server = parts == nullptr ? nullptr : serve();
  Linked linked;
  void* pending = nullptr;
  if (server != nullptr && server->link(call, &linked, &pending)) {
    add_program(linked.handle, context, Program::Origin::linked, linked.details);
    if (Program* program = program_of(linked.handle)) {
      std::free(parts);
      program->keeps_kernels.store(linked.keeps_kernels, std::memory_order_relaxed);
      set_served(*program, linked.served, linked.counts);
      if (error != nullptr) *error = CL_SUCCESS;
      if (notify != nullptr) notify(linked.handle, data);
      return linked.handle;
    }
    // There is no memory to know it by.
    below.clReleaseProgram(linked.handle);
    below.clReleaseProgram(linked.served);
    server->forget(linked.details);
  }
  std::free(parts);
  cl_int own_error = CL_SUCCESS;
  const cl_program made = link_by_driver(call, inputs, notify, data, &own_error);
  if (error != nullptr) *error = own_error;
  if (pending != nullptr) {
    Program program;
    program.handle = made;
    const bool is_done = made != nullptr && own_error == CL_SUCCESS && notify == nullptr;
    server->built(program, is_done ? CL_SUCCESS : CL_INVALID_OPERATION, pending);
  }
  return made;
}

}  // namespace

cl_int build_linked(Program& program, const BuildCall& call,
                    void(CL_CALLBACK* notify)(cl_program, void*), void* data) noexcept {
  if (program.keeps_kernels.load(std::memory_order_relaxed))
    if (const cl_int refused =
            refusal(program, call.device_count, call.devices, call.options, notify, data);
        refused != CL_SUCCESS)
      return refused;
  const cl_program own = own_link(program);
  if (own == program.handle)
    return below.clBuildProgram(own, call.device_count, call.devices, call.options, notify, data);
  const Notice notice(program, notify, data);
  if (!notice.is_possible) return CL_OUT_OF_HOST_MEMORY;
  return below.clBuildProgram(own, call.device_count, call.devices, call.options, notice.function,
                              notice.data);
}

void add_link_functions(cl_icd_dispatch& table) noexcept {
  replace(table.clCompileProgram, compile);
  replace(table.clLinkProgram, link);
}

}  // namespace kiln::layer
