#pragma once

#include <memory>

#include "blas/library.hpp"
#include "device/context.hpp"

namespace kiln::rival {

/// A device with a queue and a BLAS of its own, for measuring.
class Machine {
 public:
  /// `device` as on the command line; nothing is kept in a store. Throws Error where there is none.
  explicit Machine(const std::string& device);
  /// With a Resolver of the caller's, which outlives it.
  Machine(DevicePtr device, Resolver& resolver);
  const ContextPtr& context() const { return context_; }
  const Device& device() const { return *device_; }
  cl_command_queue queue() const { return queue_.cl()(); }
  blas::Library& library() { return library_; }

 private:
  std::unique_ptr<Resolver> own_;
  DevicePtr device_;
  ContextPtr context_;
  Queue queue_;
  blas::Library library_;
};

}  // namespace kiln::rival
