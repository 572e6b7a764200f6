#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string_view>
#include <tuple>

#include "base/lifetime.hpp"
#include "blas/clblast/calls.hpp"

// What CLBlast's interface has for the parameters of its kernels. Kiln's kernels have others, which
// `kiln tune` finds and the store keeps: what is given here is checked as CLBlast does, remembered,
// and changes nothing.
namespace kiln::clblast {
namespace {

using ::clblast::Precision;
using Values = std::unordered_map<std::string, std::size_t>;

/// A kernel of CLBlast's, with the names of its parameters.
struct Kernel {
  std::string_view name;
  std::array<std::string_view, 16> parameters{};
  auto begin() const { return parameters.begin(); }
  auto end() const { return std::find(parameters.begin(), parameters.end(), std::string_view()); }
};

constexpr Kernel kernels[] = {
    {"Xaxpy", {"VW", "WGS", "WPT"}},
    {"Xdot", {"WGS1", "WGS2"}},
    {"Xgemv", {"WGS1", "WPT1"}},
    {"XgemvFast", {"VW2", "WGS2", "WPT2"}},
    {"XgemvFastRot", {"VW3", "WGS3", "WPT3"}},
    {"Xger", {"WGS1", "WGS2", "WPT"}},
    {"Xgemm",
     {"GEMMK", "KREG", "KWG", "KWI", "MDIMA", "MDIMC", "MWG", "NDIMB", "NDIMC", "NWG", "SA", "SB",
      "STRM", "STRN", "VWM", "VWN"}},
    {"XgemmDirect",
     {"KWID", "MDIMAD", "MDIMCD", "NDIMBD", "NDIMCD", "PADA", "PADB", "VWMD", "VWND", "WGD"}},
    {"Xconvgemm",
     {"KWID", "MDIMAD", "MDIMCD", "NDIMBD", "NDIMCD", "PADA", "PADB", "VWMD", "VWND", "WGD"}},
    {"Copy", {"COPY_DIMX", "COPY_DIMY", "COPY_VW", "COPY_WPT"}},
    {"Pad", {"PAD_DIMX", "PAD_DIMY", "PAD_WPTX", "PAD_WPTY"}},
    {"Transpose", {"TRA_DIM", "TRA_PAD", "TRA_SHUFFLE", "TRA_WPT"}},
    {"Padtranspose", {"PADTRA_PAD", "PADTRA_TILE", "PADTRA_WPT"}},
    {"Invert", {"INTERNAL_BLOCK_SIZE", "LOCALPAD", "TMMWGSX", "TMMWGSY"}},
    {"GemmRoutine", {"XGEMM_MIN_INDIRECT_SIZE"}},
    {"TrsvRoutine", {"TRSV_BLOCK_SIZE"}},
};

const Kernel* kernel_named(std::string_view name) {
  const auto* found = std::find_if(std::begin(kernels), std::end(kernels),
                                   [&](const Kernel& kernel) { return kernel.name == name; });
  return found == std::end(kernels) ? nullptr : found;
}

/// What has been given, for all threads of the process.
struct Given {
  std::mutex mutex;
  std::map<std::tuple<cl_device_id, std::string_view, Precision>, Values> values;
};
Given& given() {
  static NeverDestroyed<Given> all;
  return *all;
}

/// Looks at the device and the kernel's name.
StatusCode check(cl_device_id device, const Kernel* kernel) {
  cl_device_type type = 0;
  const cl_int status =
      device == nullptr ? CL_INVALID_DEVICE
                        : ::clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
  if (status != CL_SUCCESS) return static_cast<StatusCode>(status);
  return kernel == nullptr ? StatusCode::kDatabaseError : StatusCode::kSuccess;
}

}  // namespace
}  // namespace kiln::clblast

namespace clblast {

using namespace kiln::clblast;

StatusCode RetrieveParameters(const cl_device_id device, const std::string& kernel_name,
                              const Precision precision,
                              std::unordered_map<std::string, size_t>& parameters) {
  const Kernel* kernel = kernel_named(kernel_name);
  if (const StatusCode status = check(device, kernel); status != StatusCode::kSuccess)
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
  const Kernel* kernel = kernel_named(kernel_name);
  if (const StatusCode status = check(device, kernel); status != StatusCode::kSuccess)
    return status;
  for (const auto& name : *kernel)
    if (parameters.count(std::string(name)) == 0) return StatusCode::kMissingOverrideParameter;
  Given& all = given();
  const std::lock_guard lock(all.mutex);
  all.values[{device, kernel->name, precision}] = parameters;
  return StatusCode::kSuccess;
}

StatusCode ClearCache() {
  kiln_blas_forget();
  return StatusCode::kSuccess;
}

// ---- Tuners of CLBlast's kernels, which are not here

#define KILN_TUNER(Name_, ...)                                 \
  template <typename T>                                        \
  StatusCode Name_(cl_command_queue*, __VA_ARGS__, double,     \
                   std::unordered_map<std::string, size_t>&) { \
    return StatusCode::kNotImplemented;                        \
  }                                                            \
  KILN_ALL(Name_)
KILN_TUNER(TuneXaxpy, size_t)
KILN_TUNER(TuneXdot, size_t)
KILN_TUNER(TuneXgemv, size_t, size_t)
KILN_TUNER(TuneXger, size_t, size_t)
KILN_TUNER(TuneXgemm, size_t, size_t, size_t)
KILN_TUNER(TuneXgemmDirect, size_t, size_t, size_t)
KILN_TUNER(TuneCopy, size_t, size_t)
KILN_TUNER(TunePad, size_t, size_t)
KILN_TUNER(TuneTranspose, size_t, size_t)
KILN_TUNER(TunePadtranspose, size_t, size_t)
KILN_TUNER(TuneInvert, size_t, size_t, size_t)

}  // namespace clblast
