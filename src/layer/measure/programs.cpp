#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/data/digest.hpp"
#include "layer/measure/report.hpp"
#include "layer/measure/state.hpp"

// Programs and what it takes to build them.
namespace kiln::layer::measure {
namespace {

HandleTable programs;

std::string text_of(cl_program program, cl_program_info what) {
  std::size_t bytes = 0;
  if (under->clGetProgramInfo(program, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0)
    return {};
  std::string text(bytes, '\0');
  if (under->clGetProgramInfo(program, what, bytes, text.data(), nullptr) != CL_SUCCESS) return {};
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

std::string options_of(cl_program program) {
  std::size_t bytes = 0;
  if (under->clGetProgramInfo(program, CL_PROGRAM_DEVICES, 0, nullptr, &bytes) != CL_SUCCESS)
    return {};
  std::vector<cl_device_id> devices(bytes / sizeof(cl_device_id));
  if (devices.empty() || under->clGetProgramInfo(program, CL_PROGRAM_DEVICES, bytes, devices.data(),
                                                 nullptr) != CL_SUCCESS)
    return {};
  constexpr cl_program_build_info what = CL_PROGRAM_BUILD_OPTIONS;
  if (under->clGetProgramBuildInfo(program, devices[0], what, 0, nullptr, &bytes) != CL_SUCCESS)
    return {};
  std::string options(bytes, '\0');
  if (under->clGetProgramBuildInfo(program, devices[0], what, bytes, options.data(), nullptr) !=
      CL_SUCCESS)
    return {};
  while (!options.empty() && options.back() == '\0') options.pop_back();
  return options;
}

Program& describe(cl_program handle) {
  std::string text = text_of(handle, CL_PROGRAM_SOURCE);
  const bool has_text = !text.empty();
  std::string options = options_of(handle);
  // Of a program without a text its kernels' names have to do: asking for binaries makes drivers
  // compile.
  const std::string all =
      (has_text ? text : text_of(handle, CL_PROGRAM_KERNEL_NAMES)) + '\0' + options;
  const std::string identity = blake2b(as_bytes(all)).brief();
  if (has_text) keep_text(identity, text);
  const std::lock_guard lock(books().mutex);
  Program*& known = books().program_by_identity[identity];
  if (known == nullptr) {
    known = &books().programs.emplace_back();
    known->number = static_cast<int>(books().programs.size()) - 1;
    known->identity = identity;
    known->has_text = has_text;
    known->options = std::move(options);
  }
  return *known;
}

/// After a build: what it took, and which program it was.
void note_build(HostTime& kind, const char* what, cl_program program, cl_int status,
                std::int64_t started, bool is_executable) noexcept {
  const std::int64_t ended = now_ns();
  kind.add(ended - started);
  if (is_traced()) trace_host(what, started, ended);
  if (status != CL_SUCCESS) {
    books().failed_builds.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (!is_executable) return;
  try {
    Program& built = program_of(program);
    const std::lock_guard lock(books().mutex);
    ++built.builds;
    built.build_ns += ended - started;
  } catch (...) {
    // No memory: the build is in the sum.
  }
}

using Notify = void(CL_CALLBACK*)(cl_program, void*);

cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id* devices,
                         const char* options, Notify notify, void* data) {
  if (is_child()) return under->clBuildProgram(program, count, devices, options, notify, data);
  programs.erase(program);
  const std::int64_t started = now_ns();
  const cl_int status = under->clBuildProgram(program, count, devices, options, notify, data);
  // With a call-back the driver may still be at work: the program is described with its kernels.
  note_build(books().build, "build", program, status, started, notify == nullptr);
  return status;
}

cl_int CL_API_CALL compile(cl_program program, cl_uint count, const cl_device_id* devices,
                           const char* options, cl_uint header_count, const cl_program* headers,
                           const char** names, Notify notify, void* data) {
  const std::int64_t started = now_ns();
  const cl_int status = under->clCompileProgram(program, count, devices, options, header_count,
                                                headers, names, notify, data);
  if (!is_child()) note_build(books().compile, "compile", program, status, started, false);
  return status;
}

cl_program CL_API_CALL link(cl_context context, cl_uint count, const cl_device_id* devices,
                            const char* options, cl_uint input_count, const cl_program* inputs,
                            Notify notify, void* data, cl_int* error) {
  cl_int status = CL_SUCCESS;
  const std::int64_t started = now_ns();
  const cl_program made = under->clLinkProgram(context, count, devices, options, input_count,
                                               inputs, notify, data, &status);
  if (error != nullptr) *error = status;
  if (is_child()) return made;
  programs.erase(made);
  note_build(books().link, "link", made, status, started, notify == nullptr && made != nullptr);
  return made;
}

cl_int CL_API_CALL get_info(cl_program program, cl_program_info what, std::size_t size, void* value,
                            std::size_t* size_ret) {
  if ((what != CL_PROGRAM_BINARIES && what != CL_PROGRAM_BINARY_SIZES) || is_child())
    return under->clGetProgramInfo(program, what, size, value, size_ret);
  const std::int64_t started = now_ns();
  const cl_int status = under->clGetProgramInfo(program, what, size, value, size_ret);
  const std::int64_t ended = now_ns();
  books().binaries.add(ended - started);
  if (is_traced()) trace_host("binaries", started, ended);
  return status;
}

}  // namespace

Program& program_of(cl_program handle) {
  if (void* known = programs.find(handle)) return *static_cast<Program*>(known);
  Program& described = describe(handle);
  programs.insert(handle, &described);
  return described;
}

void add_program_functions(cl_icd_dispatch& table) noexcept {
  replace(table.clBuildProgram, build);
  replace(table.clCompileProgram, compile);
  replace(table.clLinkProgram, link);
  replace(table.clGetProgramInfo, get_info);
}

}  // namespace kiln::layer::measure
