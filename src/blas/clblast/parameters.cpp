#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "base/lifetime.hpp"
#include "blas/clblast/calls.hpp"
#include "blas/clblast/kernel_parameters.hpp"

// What CLBlast's interface has for the parameters of its kernels: those that have a counterpart in
// Kiln's are set there, all are checked as CLBlast does and remembered.
namespace kiln::clblast {
namespace {

using ::clblast::Precision;

/// What has been given, for all threads of the process.
struct Given {
  std::mutex mutex;
  std::map<std::tuple<cl_device_id, std::string_view, Precision>, Values> values;
};
Given& given() {
  static NeverDestroyed<Given> all;
  return *all;
}

/// Looks at the device, of which the type is left, and the kernel's name.
StatusCode look_at(cl_device_id device, const KernelNames* kernel, cl_device_type& type) {
  const cl_int status =
      device == nullptr ? CL_INVALID_DEVICE
                        : ::clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
  if (status != CL_SUCCESS) return static_cast<StatusCode>(status);
  return kernel == nullptr ? StatusCode::kDatabaseError : StatusCode::kSuccess;
}

/// Halves are computed by the kernels of floats, which have the parameters of kSingle.
std::optional<blas::Precision> precision_of(Precision precision) {
  switch (precision) {
    case Precision::kSingle:
      return blas::Precision::s;
    case Precision::kDouble:
      return blas::Precision::d;
    case Precision::kComplexSingle:
      return blas::Precision::c;
    case Precision::kComplexDouble:
      return blas::Precision::z;
    default:
      return std::nullopt;
  }
}

}  // namespace
}  // namespace kiln::clblast

namespace clblast {

using namespace kiln::clblast;

StatusCode RetrieveParameters(const cl_device_id device, const std::string& kernel_name,
                              const Precision precision,
                              std::unordered_map<std::string, size_t>& parameters) {
  const KernelNames* kernel = kernel_named(kernel_name);
  cl_device_type type = 0;
  if (const StatusCode status = look_at(device, kernel, type); status != StatusCode::kSuccess)
    return status;
  Given& all = given();
  const std::lock_guard lock(all.mutex);
  const auto found = all.values.find({device, kernel->name, precision});
  for (const auto& name : *kernel)
    parameters[std::string(name)] =
        found == all.values.end() ? 1 : found->second.at(std::string(name));
  return StatusCode::kSuccess;
}

StatusCode OverrideParameters(const cl_device_id device, const std::string& kernel_name,
                              const Precision precision,
                              const std::unordered_map<std::string, size_t>& parameters) {
  const KernelNames* kernel = kernel_named(kernel_name);
  cl_device_type type = 0;
  if (const StatusCode status = look_at(device, kernel, type); status != StatusCode::kSuccess)
    return status;
  for (const auto& name : *kernel)
    if (parameters.count(std::string(name)) == 0) return StatusCode::kMissingOverrideParameter;
  Given& all = given();
  const std::lock_guard lock(all.mutex);
  all.values[{device, kernel->name, precision}] = parameters;
  if (const auto of = precision_of(precision))
    for (const auto family : families_of(*kernel)) {
      const auto values =
          in_words_of_kiln(*kernel, family, parameters, (type & CL_DEVICE_TYPE_CPU) != 0);
      if (!values.empty()) kiln_blas_set_parameters(device, std::string(family), *of, values);
    }
  return StatusCode::kSuccess;
}

StatusCode ClearCache() {
  kiln_blas_forget();
  return StatusCode::kSuccess;
}

}  // namespace clblast
