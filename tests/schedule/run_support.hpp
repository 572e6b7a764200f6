#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "base/os/file.hpp"
#include "device/host_array.hpp"
#include "kernel/support.hpp"
#include "schedule/co_run.hpp"

namespace kiln::testing {

/// Buffers with deterministic contents, and a Job over them. Outputs begin with rubbish, since a
/// run has to clear them.
class TestJob {
 public:
  using Access = BufferArgument::Access;

  TestJob(std::string text, NDRange range) {
    job_.request.family = "source";
    job_.request.source = value_or_throw(from_text(std::move(text), "test.cl"));
    job_.request.options = value_or_throw(build_options({}, {}));
    job_.request.label = "k";
    job_.kernel = "k";
    job_.range = range;
  }

  /// `begin`: how far the data lies from an aligned address.
  TestJob& buffer(Access access, std::size_t bytes, std::size_t begin = 0) {
    memory_.push_back(std::make_unique<HostArray>(bytes + begin));
    begins_.push_back(begin);
    const auto span = memory_.back()->span().subspan(begin);
    std::mt19937 random(static_cast<unsigned>(memory_.size()));
    for (auto& byte : span)
      byte = access == Access::out ? std::byte{0xee} : static_cast<std::byte>(random() & 0x3f);
    BufferArgument argument;
    argument.access = access;
    argument.data = span;
    return add(argument);
  }
  TestJob& in(std::size_t bytes) { return buffer(Access::in, bytes); }
  TestJob& out(std::size_t bytes) { return buffer(Access::out, bytes); }
  TestJob& inout(std::size_t bytes) { return buffer(Access::inout, bytes); }
  template <class T>
  TestJob& value(T number) {
    const auto view = bytes_of(number);
    return add(ScalarArgument{Bytes(view.begin(), view.end())});
  }
  TestJob& local(std::size_t bytes) { return add(LocalArgument{bytes}); }

  const Job& job() const { return job_; }
  std::span<std::byte> data(std::size_t position) {
    return std::get<BufferArgument>(job_.arguments[position]).data;
  }
  template <class T>
  std::span<T> as(std::size_t position) {
    const auto bytes = data(position);
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  /// All that the kernel may have written, one after the other.
  Bytes results() const {
    Bytes all;
    for (const auto& argument : job_.arguments)
      if (const auto* one = std::get_if<BufferArgument>(&argument))
        if (one->access != Access::in) append(all, ByteView(one->data));
    return all;
  }

 private:
  TestJob& add(Argument argument) {
    job_.names.push_back("arg" + std::to_string(job_.arguments.size()));
    job_.arguments.push_back(std::move(argument));
    return *this;
  }
  Job job_;
  std::vector<std::unique_ptr<HostArray>> memory_;
  std::vector<std::size_t> begins_;
};

inline NDRange range_of(std::vector<std::size_t> global, std::vector<std::size_t> local) {
  NDRange range;
  range.dimensions = static_cast<unsigned>(global.size());
  std::copy(global.begin(), global.end(), range.global.begin());
  std::copy(local.begin(), local.end(), range.local.begin());
  return range;
}

/// Two sub-devices of the CPU, each with a context and a queue of its own; a store in a temporary
/// folder.
class RunFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    set_log_sink([](LogLevel, std::string_view) {});
    if (cpu_device()->compute_units < 2) GTEST_SKIP() << "one compute unit: no sub-devices";
    // One compute unit each: work-groups that write the same element have an order, so that results
    // can be compared, however many cores the machine has.
    devices_ = value_or_throw(partition_by_counts(cpu_device(), {1, 1}));
  }
  std::vector<Queue> queues() const {
    std::vector<Queue> made;
    for (const auto& device : devices_) made.emplace_back(Context::create({device}), device);
    return made;
  }
  /// Runs on one device alone and returns what it wrote.
  Bytes alone(TestJob& test) {
    CoRun run(off_, {queues().front()}, test.job(), {});
    run.run_on(0);
    return test.results();
  }
  std::unique_ptr<Resolver> stored() const {
    return std::make_unique<Resolver>(open_local_store((folder_.path() / "store").string()));
  }
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-run"));
  Resolver off_{nullptr};
  std::vector<DevicePtr> devices_;
};

}  // namespace kiln::testing
