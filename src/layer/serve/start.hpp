#pragma once

#include <string>
#include <vector>

#include "layer/serve/details.hpp"
#include "layer/serve/opencl_below.hpp"
#include "layer/serve/report.hpp"

// From a Request to a program of the driver: what builds and links share.
namespace kiln::layer {

/// Why a program is left to the driver.
class LeftToDriver : public Error {
 public:
  explicit LeftToDriver(const std::string& why) : Error(Errc::unsupported, why) {}
};

/// Why a program that the driver's compiler has refused is left to it.
inline constexpr const char* did_not_compile = "it did not compile before";

/// A program that the driver is to make, to be kept then.
struct Pending {
  Request request;
  OnDevice one;
  BuildReport told;
};

/// Notes why a program is left to the driver.
void leave(BuildReport& told, const std::exception& why) noexcept;

template <class T>
std::vector<T> list_of(cl_program program, cl_program_info what) {
  std::size_t bytes = 0;
  check_cl(::clGetProgramInfo(program, what, 0, nullptr, &bytes), "clGetProgramInfo");
  std::vector<T> values(bytes / sizeof(T));
  check_cl(::clGetProgramInfo(program, what, values.size() * sizeof(T), values.data(), nullptr),
           "clGetProgramInfo");
  return values;
}

/// The text that a program was created with: OpenCL C, or a module's bytes. Throws LeftToDriver
/// where it has none.
std::string text_of(cl_program program, bool is_module);
/// The devices that are built for; all of the program's, since it has one answer for each, in its
/// order.
std::vector<cl_device_id> devices_of(cl_program program, cl_uint count,
                                     const cl_device_id* devices);

/// Whether the helper does not end: the driver does all that this process still needs.
bool is_helper_slow();

/// Whether the store takes what is made; asked once a process.
bool keeps_entries();

/// What the store has of it, or the helper makes. Without a binary the driver is to make it, which
/// can be kept unless it was refused. Throws LeftToDriver, Error.
OnDevice find(const Request& request, const DevicePtr& device, const std::string& options,
              Explanation* explanation);

/// Whether a context counts a program that is made meanwhile. PoCL's do; of other drivers' the
/// count is looked at, which another thread may change, too.
class ContextCount {
 public:
  ContextCount(cl_context context, const Device& device);
  bool has_grown() const;

 private:
  cl_uint references() const;

  cl_context context_;
  bool is_pocl_;
  cl_uint before_;
};

/// A program of the driver from what was found for each device, not yet built; and one that is
/// built, and whether the context counts it. Throw where they are refused.
cl_program create_from(cl_context context, const std::vector<cl_device_id>& ids,
                       const std::vector<OnDevice>& found);
cl_program load(cl_context context, const char* options, const std::vector<cl_device_id>& ids,
                const std::vector<OnDevice>& found, bool& counts);

}  // namespace kiln::layer
