#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "blas/library.hpp"
#include "device/context.hpp"
#include "kernel/resolver.hpp"

namespace kiln::blas::testing {

/// The CPU device that everything runs on with no GPU (PoCL), with queues of one context, and a
/// library without a store. One for all tests of the program: programs stay resolved.
class Machine {
 public:
  static Machine& get() {
    static auto& machine = *new Machine;
    return machine;
  }
  cl_context context() const { return context_->cl()(); }
  const Device& device() const { return *device_; }
  /// In-order queues; the first `count` of four.
  std::span<const cl_command_queue> queues(std::size_t count = 1) const {
    return std::span(handles_).first(count);
  }
  Library& library() { return library_; }

 private:
  Machine()
      : device_(value_or_throw(select_devices("cpu")).front()),
        context_(Context::create({device_})),
        resolver_(nullptr, CompilePolicy::here),
        library_(resolver_) {
    for (int i = 0; i < 4; ++i) {
      queues_.emplace_back(context_, device_);
      handles_.push_back(queues_.back().cl()());
    }
  }
  DevicePtr device_;
  ContextPtr context_;
  Resolver resolver_;
  Library library_;
  std::vector<Queue> queues_;
  std::vector<cl_command_queue> handles_;
};

}  // namespace kiln::blas::testing
