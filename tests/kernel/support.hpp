#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/data/bytes.hpp"
#include "base/log.hpp"
#include "base/os/file.hpp"
#include "device/context.hpp"
#include "kernel/program/launch.hpp"
#include "kernel/resolver/resolver.hpp"
#include "store/layer/layer.hpp"

namespace kiln::testing {

/// The first CPU device: PoCL on every machine that runs the tests.
inline DevicePtr cpu_device() {
  for (const auto& device : value_or_throw(all_devices()))
    if (device->type == Device::Type::cpu) return device;
  throw Error(Errc::not_found, "the tests need a CPU device");
}

inline constexpr const char* vector_add_text = R"(
__kernel void VectorAdd(__global const float* a, __global const float* b, __global float* c, int n) {
  int i = get_global_id(0);
  if (i < n) c[i] = a[i] + b[i];
}
)";

inline Request text_request(const std::string& text, const std::string& label) {
  Request request;
  request.family = "source";
  request.source = value_or_throw(from_text(text, label + ".cl"));
  request.options = value_or_throw(build_options({}, {}));
  request.label = label;
  return request;
}

inline NDRange range_1d(std::size_t global, std::size_t local) {
  NDRange range;
  range.global[0] = global;
  range.local[0] = local;
  return range;
}

/// A store in a temporary folder; Resolvers opened on it stand for processes.
class StoreFixture : public ::testing::Test {
 protected:
  StoreFixture() : folder_(value_or_throw(TemporaryFolder::create("kiln-test"))) {
    set_log_sink([](LogLevel, std::string_view message) {
      std::fprintf(stderr, "log: %.*s\n", static_cast<int>(message.size()), message.data());
    });
  }
  std::string store_folder() const { return (folder_.path() / "store").string(); }
  std::unique_ptr<Resolver> resolver(CompilePolicy policy = CompilePolicy::apart) const {
    return std::make_unique<Resolver>(open_local_store(store_folder()), policy);
  }
  DevicePtr device_ = cpu_device();
  TemporaryFolder folder_;
};

/// The step of a layer in an explanation, or a failure.
inline ResolveStep step_of(const Explanation& explanation, const std::string& layer) {
  for (const auto& step : explanation.steps)
    if (step.layer == layer) return step;
  ADD_FAILURE() << "no step '" << layer << "'";
  return {};
}
inline bool has_step(const Explanation& explanation, const std::string& layer) {
  for (const auto& step : explanation.steps)
    if (step.layer == layer) return true;
  return false;
}

/// Runs VectorAdd over n work-items and checks every sum.
inline void run_vector_add(const ContextPtr& context, Program& program, std::size_t n,
                           std::size_t local) {
  std::vector<float> a(n), b(n), c(n, -1.0f);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = 0.5f;
  }
  Queue queue(context, program.device());
  const auto buffer = [&](std::vector<float>& values) {
    return cl::Buffer(context->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n * sizeof(float),
                      values.data());
  };
  const auto device_a = buffer(a), device_b = buffer(b), device_c = buffer(c);
  Launch launch(context, program, "VectorAdd");
  launch.set_buffer(0, device_a);
  launch.set_buffer(1, device_b);
  launch.set_buffer(2, device_c);
  launch.set_scalar(3, static_cast<cl_int>(n));
  launch.set_range(range_1d(n, local));
  launch.enqueue(queue.cl()());
  queue.cl().enqueueReadBuffer(device_c, CL_TRUE, 0, n * sizeof(float), c.data());
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(c[i], a[i] + b[i]) << "element " << i;
}

/// Sets a variable of this process's environment for a while.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* present = std::getenv(name)) before_ = present;
    ::setenv(name, value.c_str(), 1);
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;
  ~ScopedVariable() {
    if (before_)
      ::setenv(name_, before_->c_str(), 1);
    else
      ::unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

inline rc::Gen<Bytes> any_bytes() {
  return rc::gen::map(rc::gen::arbitrary<std::vector<std::uint8_t>>(), [](const auto& values) {
    const auto* first = reinterpret_cast<const std::byte*>(values.data());
    return Bytes(first, first + values.size());
  });
}

/// A store that passes every call on: for tests that get in the way of one.
class WrappedStore : public Layer {
 public:
  explicit WrappedStore(std::unique_ptr<Layer> store) : store_(std::move(store)) {}
  std::string name() const override { return store_->name(); }
  Lookup get(Kind kind, const Key& key, ByteView canonical) override {
    return store_->get(kind, key, canonical);
  }
  Expected<void> put(Kind kind, const Key& key, ByteView canonical, ByteView content,
                     const Metadata& metadata) override {
    return store_->put(kind, key, canonical, content, metadata);
  }
  Expected<void> update(Kind kind, const Key& key, ByteView canonical,
                        const Change& change) override {
    return store_->update(kind, key, canonical, change);
  }
  Reservation reserve(const Key& key, std::chrono::milliseconds bound) override {
    return store_->reserve(key, bound);
  }

 private:
  std::unique_ptr<Layer> store_;
};

}  // namespace kiln::testing
