#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/os/file.hpp"
#include "frame/bar.hpp"

namespace kiln::bench {

/// Names and values that a program gets in its environment.
using Environment = std::vector<std::pair<std::string, std::string>>;

/// One side of a comparison: a folder of its own with a store and the caches that drivers and
/// libraries keep, so that neither side warms the other. Goes with all it holds.
class Sandbox {
 public:
  /// Throws kiln::Error where the system has no room for it.
  Sandbox() : folder_(value_or_throw(TemporaryFolder::create("kiln-bench"))) {}

  const fs::path& path() const { return folder_.path(); }
  fs::path store() const { return path() / "store"; }
  /// The settings of a child that works in here, and in nothing of the user's.
  Environment environment() const;

 private:
  TemporaryFolder folder_;
};

/// Gives this process a driver cache of its own; to be called before the first OpenCL call of
/// every bar that makes one. kiln-bench is a program, so its environment is its own to set.
void use_own_driver_cache();

/// The value, or the message thrown as an error: a bar that throws it is not measured.
template <class T>
T value_of(tl::expected<T, std::string> result) {
  if (!result) throw Error(Errc::unsupported, std::move(result).error());
  return *std::move(result);
}

}  // namespace kiln::bench
