#include "kernel/program/link_units.hpp"

#include <algorithm>
#include <memory>
#include <type_traits>

namespace kiln {
namespace {

struct Release {
  void operator()(cl_program program) const { (void)::clReleaseProgram(program); }
};
using Owned = std::unique_ptr<std::remove_pointer_t<cl_program>, Release>;

Owned program_of(cl_context context, const std::string& text, cl_int& status) {
  const char* begin = text.data();
  const std::size_t size = text.size();
  return Owned(::clCreateProgramWithSource(context, 1, &begin, &size, &status));
}

}  // namespace

std::string driver_log(cl_program program, cl_device_id device) {
  std::size_t size = 0;
  if (::clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) !=
          CL_SUCCESS ||
      size == 0)
    return {};
  std::string log(size, '\0');
  (void)::clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  log.resize(std::min(log.find('\0'), log.size()));
  return log;
}

cl_int compile_unit(cl_context context, cl_program program, const Unit& unit) {
  cl_int status = CL_SUCCESS;
  std::vector<Owned> owned;
  std::vector<cl_program> headers;
  std::vector<const char*> names;
  for (const auto& [name, text] : unit.headers) {
    headers.push_back(owned.emplace_back(program_of(context, text, status)).get());
    if (status != CL_SUCCESS) return status;
    names.push_back(name.c_str());
  }
  return ::clCompileProgram(program, 0, nullptr, unit.options.c_str(),
                            static_cast<cl_uint>(headers.size()),
                            headers.empty() ? nullptr : headers.data(),
                            names.empty() ? nullptr : names.data(), nullptr, nullptr);
}

std::optional<std::string> log_of_compiled(cl_program program, cl_device_id device) {
  std::string log = driver_log(program, device);
  if (log.find('/') != log.npos) return std::nullopt;
  return log;
}

std::optional<std::string> log_of_compiled(cl_context context, cl_device_id device,
                                           const Unit& unit) {
  cl_int status = CL_SUCCESS;
  const Owned program = program_of(context, unit.text, status);
  if (status != CL_SUCCESS || compile_unit(context, program.get(), unit) != CL_SUCCESS)
    return std::nullopt;
  return log_of_compiled(program.get(), device);
}

cl_program link_units(cl_context context, const std::vector<cl_device_id>& devices,
                      const std::vector<Unit>& units, const std::string& options,
                      const std::function<void()>& before_link, cl_int& status, std::string* log) {
  const auto tell = [&](cl_program program) {
    if (log != nullptr && !devices.empty()) *log = driver_log(program, devices.front());
  };
  std::vector<Owned> owned;
  std::vector<cl_program> objects;
  for (const Unit& unit : units) {
    Owned object = program_of(context, unit.text, status);
    if (status != CL_SUCCESS) return nullptr;
    status = compile_unit(context, object.get(), unit);
    if (status != CL_SUCCESS) return tell(object.get()), nullptr;
    objects.push_back(owned.emplace_back(std::move(object)).get());
  }
  if (before_link) before_link();
  Owned linked(::clLinkProgram(context, static_cast<cl_uint>(devices.size()), devices.data(),
                               options.c_str(), static_cast<cl_uint>(objects.size()),
                               objects.data(), nullptr, nullptr, &status));
  if (status == CL_SUCCESS) return linked.release();
  if (linked) tell(linked.get());
  return nullptr;
}

}  // namespace kiln
