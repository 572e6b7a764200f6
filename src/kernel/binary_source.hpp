#pragma once

#include <optional>
#include <string>

#include "kernel/artifact.hpp"
#include "kernel/request.hpp"

namespace kiln {

/// A read-only source of compiled programs besides the store: a file that somebody ships. It is
/// asked after the store and before the compiler; what it gives is verified against the device
/// like an entry of the store. Thread-safe.
class BinarySource {
 public:
  struct Found {
    std::optional<Artifact> artifact;  ///< without its kernels, which the driver tells
    std::string reason;                ///< why there is none
  };
  virtual ~BinarySource() = default;
  virtual std::string name() const = 0;  ///< for --explain
  virtual Found find(const Request& request, const Device& device) const = 0;
};

}  // namespace kiln
