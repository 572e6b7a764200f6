#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "blas/api/library.hpp"
#include "device/context.hpp"
#include "kernel/resolver/resolver.hpp"

namespace kiln::blas::testing {

/// The CPU device that everything runs on with no GPU (PoCL), or what KILN_TEST_DEVICE selects,
/// with queues of one context, and a library without a store. One for all tests of the program:
/// programs stay resolved.
class Machine {
 public:
  static Machine& get() {
    static auto& machine = *new Machine;
    return machine;
  }
  /// Whether the library that was asked for last has kernels for GPUs on a CPU (build_options.cpp).
  static inline std::atomic<bool> is_of_another_device = false;
  cl_context context() const { return context_->cl()(); }
  const Device& device() const { return *device_; }
  const DevicePtr& device_pointer() const { return device_; }
  /// In-order queues; the first `count` of four.
  std::span<const cl_command_queue> queues(std::size_t count = 1) const {
    return std::span(handles_).first(count);
  }
  /// `form`: of the kernels of products (GemmGenerator); empty: the device's own.
  Library& library(const std::string& form = "") {
    is_of_another_device = device_->type == DeviceType::cpu && form.starts_with("gpu");
    auto& library = libraries_[form];
    if (!library) library = std::make_unique<Library>(resolver_, form);
    return *library;
  }

 private:
  Machine()
      : device_(value_or_throw(select_devices(selected())).front()),
        context_(Context::create({device_})),
        resolver_(nullptr, CompilePolicy::here) {
    for (int i = 0; i < 4; ++i) {
      queues_.emplace_back(context_, device_);
      handles_.push_back(queues_.back().cl()());
    }
  }
  static std::string selected() {
    const char* device = std::getenv("KILN_TEST_DEVICE");
    return device == nullptr ? "cpu" : device;
  }
  DevicePtr device_;
  ContextPtr context_;
  Resolver resolver_;
  std::map<std::string, std::unique_ptr<Library>> libraries_;
  std::vector<Queue> queues_;
  std::vector<cl_command_queue> handles_;
};

}  // namespace kiln::blas::testing
