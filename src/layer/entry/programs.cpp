#include <cstdlib>
#include <cstring>
#include <new>

#include "layer/entry/state.hpp"

// The functions of programs. What is not known, or not to be served, is passed on.
namespace kiln::layer {

void add_program(cl_program handle, cl_context context, Program::Origin origin,
                 void* details) noexcept {
  if (handle == nullptr) return;
  // Of an earlier program with this handle, whose end the layer did not see.
  if (program_of(handle) != nullptr) programs.erase(handle);
  void* memory = is_child() ? nullptr : std::calloc(1, sizeof(Program));
  if (memory == nullptr) return;
  auto* program = new (memory) Program;
  program->handle = handle;
  program->context = context;
  program->origin = origin;
  program->details.store(details, std::memory_order_relaxed);
  program->learns.store(details != nullptr, std::memory_order_relaxed);
  if (!programs.insert(handle, program)) std::free(memory);
}

// Contexts: programs that serve are no business of the application, but drivers count them.

std::atomic<cl_int>* hidden_of(cl_context context) noexcept {
  return static_cast<std::atomic<cl_int>*>(contexts.find(context));
}

namespace {

void hide_in(cl_context context, cl_int change) noexcept {
  auto* hidden = hidden_of(context);
  if (hidden == nullptr && change > 0) {
    void* memory = std::calloc(1, sizeof(std::atomic<cl_int>));
    if (memory == nullptr) return;
    auto* own = new (memory) std::atomic<cl_int>{0};
    hidden = static_cast<std::atomic<cl_int>*>(contexts.insert_if_absent(context, own));
    if (hidden != own) std::free(memory);  // another thread was first, or there is no memory
  }
  if (hidden != nullptr) hidden->fetch_add(change, std::memory_order_relaxed);
}

}  // namespace

// The program that serves.

void drop_served(Program& program) noexcept {
  const QueryLock lock(&program, QueryLock::For::replacing, is_child());
  const cl_program served = program.served.exchange(nullptr, std::memory_order_acq_rel);
  if (served == nullptr) return;
  if (program.counts_in_context) hide_in(program.context, -1);
  program.counts_in_context = false;
  below.clReleaseProgram(served);
}

void set_served(Program& program, cl_program served, bool counts) noexcept {
  const QueryLock lock(&program, QueryLock::For::replacing, is_child());
  program.counts_in_context = counts;
  if (counts) hide_in(program.context, 1);
  program.served.store(served, std::memory_order_release);
  program.was_served.store(true, std::memory_order_release);
  program.learns.store(true, std::memory_order_relaxed);
}

namespace {

void forget_details(Program& program) noexcept {
  void* details = program.details.exchange(nullptr, std::memory_order_acq_rel);
  const Serve* server = loaded_serve();
  if (details != nullptr && server != nullptr) server->forget(details);
}

bool has_kernels(const Program& program) noexcept {
  return program.holds.load(std::memory_order_acquire) >
         program.calls.load(std::memory_order_acquire) + 1;
}

}  // namespace

void CL_CALLBACK tell(cl_program, void* memory) noexcept {
  const Told told = *static_cast<Told*>(memory);
  std::free(memory);
  told.notify(told.handle, told.data);
}

cl_int refusal(Program& program, cl_uint count, const cl_device_id* devices, const char* options,
               void(CL_CALLBACK* notify)(cl_program, void*), void* data) noexcept {
  const cl_program served = program.served.load(std::memory_order_acquire);
  if (served == nullptr || !has_kernels(program)) return CL_SUCCESS;
  const cl_int refused = below.clBuildProgram(served, count, devices, options, nullptr,
                                              notify == nullptr ? data : nullptr);
  if (refused == CL_SUCCESS || notify == nullptr) return refused;
  void* memory = std::malloc(sizeof(Told));
  if (memory == nullptr) return CL_OUT_OF_HOST_MEMORY;
  return below.clBuildProgram(served, count, devices, options, tell,
                              new (memory) Told{program.handle, notify, data});
}

void release_hold(Program& program) noexcept {
  if (program.holds.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const cl_program handle = program.handle;
  const bool waited = program.is_released.load(std::memory_order_acquire);
  // Else it is erased already, and the driver may have given the handle out again.
  if (waited) programs.erase(handle);
  drop_served(program);
  forget_details(program);
  std::free(&program);
  if (waited) below.clReleaseProgram(handle);
}

namespace {

// Creating.

cl_program CL_API_CALL create_with_source(cl_context context, cl_uint count, const char** strings,
                                          const std::size_t* lengths, cl_int* error) {
  const cl_program made = below.clCreateProgramWithSource(context, count, strings, lengths, error);
  add_program(made, context, Program::Origin::source);
  return made;
}

cl_program CL_API_CALL create_with_il(cl_context context, const void* module, std::size_t size,
                                      cl_int* error) {
  const cl_program made = below.clCreateProgramWithIL(context, module, size, error);
  add_program(made, context, Program::Origin::module);
  return made;
}

cl_program CL_API_CALL create_with_binary(cl_context context, cl_uint count,
                                          const cl_device_id* devices, const std::size_t* sizes,
                                          const unsigned char** binaries, cl_int* status,
                                          cl_int* error) {
  const unsigned char* better = nullptr;
  std::size_t better_size = 0;
  void* details = nullptr;
  const bool is_one = count == 1 && devices != nullptr && sizes != nullptr && binaries != nullptr &&
                      sizes[0] != 0 && binaries[0] != nullptr;
  const Serve* server = is_one ? serve() : nullptr;
  if (server != nullptr)
    better = server->binary(context, devices[0], binaries[0], sizes[0], &better_size, &details);
  if (better != nullptr) {
    cl_int own_error = CL_SUCCESS;
    const cl_program made = below.clCreateProgramWithBinary(context, 1, devices, &better_size,
                                                            &better, status, &own_error);
    if (made != nullptr && own_error == CL_SUCCESS) {
      if (error != nullptr) *error = CL_SUCCESS;
      add_program(made, context, Program::Origin::binary, details);
      return made;
    }
    if (made != nullptr) below.clReleaseProgram(made);
  }
  const cl_program made =
      below.clCreateProgramWithBinary(context, count, devices, sizes, binaries, status, error);
  if (made != nullptr)
    add_program(made, context, Program::Origin::binary, details);
  else if (details != nullptr)
    server->forget(details);
  return made;
}

// Counting.

/// A kernel may be asked for its program after the application has let that go: the reference that
/// was kept for such kernels is the application's again.
bool take_back(Program& program) noexcept {
  bool released = true;
  if (!program.is_released.compare_exchange_strong(released, false)) return false;
  program.references.store(1, std::memory_order_relaxed);
  program.holds.fetch_add(1, std::memory_order_relaxed);
  return true;
}

cl_int CL_API_CALL retain(cl_program handle) {
  Program* program = program_of(handle);
  if (program != nullptr && take_back(*program)) return CL_SUCCESS;
  const cl_int result = below.clRetainProgram(handle);
  if (result == CL_SUCCESS && program != nullptr)
    program->references.fetch_add(1, std::memory_order_relaxed);
  return result;
}

cl_int CL_API_CALL release(cl_program handle) {
  Program* program = program_of(handle);
  if (program == nullptr) return below.clReleaseProgram(handle);
  if (program->is_released.load(std::memory_order_acquire)) return CL_INVALID_PROGRAM;
  if (program->references.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return below.clReleaseProgram(handle);
  // Kernels keep a program alive, and may be asked for it.
  const bool is_served = program->served.load(std::memory_order_acquire) != nullptr;
  const bool was_served = program->was_served.load(std::memory_order_acquire);
  if (is_served || (was_served && has_kernels(*program))) {
    program->is_released.store(true, std::memory_order_release);
    release_hold(*program);
    return CL_SUCCESS;
  }
  programs.erase(handle);
  release_hold(*program);
  return below.clReleaseProgram(handle);
}

// Building.

cl_int CL_API_CALL build(cl_program handle, cl_uint count, const cl_device_id* devices,
                         const char* options, void(CL_CALLBACK* notify)(cl_program, void*),
                         void* data) {
  const auto pass_on = [&] {
    return below.clBuildProgram(handle, count, devices, options, notify, data);
  };
  Program* program = program_of(handle);
  // What a driver refuses for its arguments changes nothing.
  const bool is_odd =
      (count == 0) != (devices == nullptr) || (notify == nullptr && data != nullptr);
  if (program != nullptr && is_odd && program->origin != Program::Origin::linked) return pass_on();
  if (program != nullptr) {
    if (program->origin == Program::Origin::linked)
      return build_linked(*program, {count, devices, options}, notify, data);
    ask_driver(*program);
    program->is_part.store(false, std::memory_order_release);
  }
  if (program == nullptr || program->origin == Program::Origin::binary ||
      program->is_native.load(std::memory_order_acquire))
    return pass_on();
  const Attempt attempt(*program);
  const Serve* server = serve();
  if (const cl_int refused = refusal(*program, count, devices, options, notify, data);
      refused != CL_SUCCESS)
    return refused;

  void* pending = nullptr;
  bool counts = false;
  const cl_program served =
      server == nullptr ? nullptr
                        : server->build(*program, {count, devices, options}, &counts, &pending);
  if (served == nullptr) {
    const cl_int result = pass_on();
    if (!attempt.is_last()) {
      if (pending != nullptr) server->built(*program, CL_INVALID_OPERATION, pending);
      return result;
    }
    // Of a call that was refused for what it says little has changed: nothing, or PoCL forgets the
    // build.
    const bool is_refused = result != CL_SUCCESS && result != CL_BUILD_PROGRAM_FAILURE;
    const bool is_wrong_call = result == CL_INVALID_DEVICE || result == CL_INVALID_VALUE;
    if (!is_wrong_call || program->keeps_kernels.load(std::memory_order_relaxed))
      program->is_refused.store(is_refused, std::memory_order_release);
    if (!is_refused) drop_served(*program);
    // A program that failed is built again with other options, and may be served then.
    if (result == CL_SUCCESS || notify != nullptr)
      program->is_native.store(true, std::memory_order_release);
    // With a call-back it may still be at work.
    if (pending != nullptr)
      server->built(*program, notify == nullptr ? result : CL_INVALID_OPERATION, pending);
    return result;
  }
  drop_served(*program);
  set_served(*program, served, counts);
  program->is_refused.store(false, std::memory_order_release);
  if (notify != nullptr) notify(handle, data);
  return CL_SUCCESS;
}

cl_int CL_API_CALL set_constant(cl_program handle, cl_uint id, std::size_t size,
                                const void* value) {
  Program* program = program_of(handle);
  const bool is_module = program != nullptr && program->origin == Program::Origin::module;
  // Of other programs a driver may look at what is built before it refuses.
  if (program != nullptr && !is_module) ask_driver(*program);
  const cl_program served = is_module ? nullptr : serving(program);
  const cl_int result = below.clSetProgramSpecializationConstant(
      served == nullptr ? handle : served, id, size, value);
  if (result != CL_SUCCESS || !is_module) return result;
  if (const Serve* server = serve()) server->set_constant(*program, id, size, value);
  return result;
}

// Functions that are got by their address pass a layer by, unless it hands out its own.

using CreateWithIl = cl_program(CL_API_CALL*)(cl_context, const void*, std::size_t, cl_int*);
constexpr std::size_t most_drivers = 8;
std::atomic<CreateWithIl> drivers_own[most_drivers];

template <std::size_t number>
cl_program CL_API_CALL create_with_il_of(cl_context context, const void* module, std::size_t size,
                                         cl_int* error) {
  const cl_program made =
      drivers_own[number].load(std::memory_order_acquire)(context, module, size, error);
  add_program(made, context, Program::Origin::module);
  return made;
}

constexpr CreateWithIl replacements[most_drivers] = {
    create_with_il_of<0>, create_with_il_of<1>, create_with_il_of<2>, create_with_il_of<3>,
    create_with_il_of<4>, create_with_il_of<5>, create_with_il_of<6>, create_with_il_of<7>};

/// One for each driver's function, since they differ; the driver's where there are too many.
void* replaced(void* function, const char* name) noexcept {
  if (function == nullptr || name == nullptr || std::strcmp(name, "clCreateProgramWithILKHR") != 0)
    return function;
  const auto own = reinterpret_cast<CreateWithIl>(function);
  for (std::size_t i = 0; i < most_drivers; ++i) {
    CreateWithIl there = nullptr;
    if (drivers_own[i].compare_exchange_strong(there, own) || there == own)
      return reinterpret_cast<void*>(replacements[i]);
  }
  return function;
}

void* CL_API_CALL address_for_platform(cl_platform_id platform, const char* name) {
  return replaced(below.clGetExtensionFunctionAddressForPlatform(platform, name), name);
}
void* CL_API_CALL address(const char* name) {
  return replaced(below.clGetExtensionFunctionAddress(name), name);
}

}  // namespace

void add_program_functions(cl_icd_dispatch& table) noexcept {
  replace(table.clCreateProgramWithSource, create_with_source);
  replace(table.clCreateProgramWithIL, create_with_il);
  replace(table.clCreateProgramWithBinary, create_with_binary);
  replace(table.clRetainProgram, retain);
  replace(table.clReleaseProgram, release);
  replace(table.clBuildProgram, build);
  replace(table.clSetProgramSpecializationConstant, set_constant);
  replace(table.clGetExtensionFunctionAddressForPlatform, address_for_platform);
  replace(table.clGetExtensionFunctionAddress, address);
}

}  // namespace kiln::layer
