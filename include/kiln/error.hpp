#pragma once

#include <exception>
#include <string>
#include <tl/expected.hpp>

#include "kiln/api.hpp"

namespace kiln {

/// Why something failed. The command's exit code follows from it (exit_code).
enum class Errc {
  bad_input,    ///< what the user gave is wrong: a file, an option, a value
  not_found,    ///< a named thing is absent: a file, a device, a kernel
  io,           ///< the system refused: permission, full disk, broken pipe
  corrupt,      ///< stored or received bytes fail their checks; callers treat an entry as a miss
  unsupported,  ///< well formed, but not something this machine or version can do
  refused,      ///< Kiln declines because the result could be wrong; the message says why
  build,        ///< a kernel does not compile; the message holds the driver's log
  device,       ///< an OpenCL call failed
  timeout,      ///< a bound on time was reached
  internal,     ///< a defect of Kiln itself
};

/// Stable lower-case name of a code, e.g. "bad_input".
KILN_API const char* name_of(Errc code) noexcept;

/// The command's exit code: 2 for bad_input, not_found, build and unsupported, else 1.
KILN_API int exit_code(Errc code) noexcept;

/// What went wrong, in one line that says where, what, and what was expected (a build log may
/// follow on further lines). A value for parsers and I/O (Expected), thrown at the public API.
class KILN_API Error : public std::exception {
 public:
  Error(Errc code, std::string message) : code_(code), message_(std::move(message)) {}
  Errc code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  Errc code_;
  std::string message_;
};

template <class T>
using Expected = tl::expected<T, Error>;

/// For returning an error from a function of type Expected<T>: `return fail(Errc::io, "...")`.
inline tl::unexpected<Error> fail(Errc code, std::string message) {
  return tl::unexpected<Error>(Error(code, std::move(message)));
}

/// The value, or the error thrown: the step from expected (inside) to exceptions (public API).
template <class T>
T value_or_throw(Expected<T> result) {
  if (!result) throw std::move(result).error();
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace kiln
