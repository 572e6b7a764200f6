// Memory for commands of the application, on a device that works in the host's memory and on one
// that does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "device/opencl.hpp"
#include "kernel/runtime.hpp"
#include "kiln/kernel.hpp"

namespace kiln::testing {
namespace {

using ::testing::Each;

constexpr const char* memory_kernels = R"(
__kernel void add(__global const int* x, __global int* y, int first) {
  y[first + get_global_id(0)] += x[get_global_id(0)];
}
)";

class MemoryUseTest : public ::testing::TestWithParam<bool> {
 protected:
  static constexpr std::size_t count = 1000;

  MemoryUseTest() : program_(cl::Context(queue_.context()->cl()), memory_kernels) {
    program_.build({queue_.device()->handle});
    kernel_ = cl::Kernel(program_, "add");
  }
  static Queue queue() {
    auto device = std::make_shared<Device>(*value_or_throw(select_devices("cpu")).front());
    device->host_memory = GetParam();
    return Queue(Context::create({device}), device);
  }
  /// As an application enqueues its own kernel: y[first...] += x.
  Event add(cl_mem x, cl_mem y, int first, const std::vector<Event>& after) {
    cl::Event done;
    std::vector<cl::Event> before;
    for (const Event& event : after) before.emplace_back(event.handle(), true);
    check_cl(::clSetKernelArg(kernel_(), 0, sizeof x, &x), "clSetKernelArg");
    check_cl(::clSetKernelArg(kernel_(), 1, sizeof y, &y), "clSetKernelArg");
    kernel_.setArg(2, first);
    queue_.cl().enqueueNDRangeKernel(kernel_, cl::NullRange, cl::NDRange(count), cl::NullRange,
                                     before.empty() ? nullptr : &before, &done);
    return Event::adopt(done());
  }

  Queue queue_ = queue();
  Runtime runtime_{std::make_shared<Runtime::State>(std::make_unique<Resolver>(nullptr),
                                                    std::vector<Queue>{queue_})};
  cl::Program program_;
  cl::Kernel kernel_;
};

TEST_P(MemoryUseTest, commands_find_what_the_host_wrote_and_the_host_what_they_wrote) {
  auto x = runtime_.array<int>(count), y = runtime_.array<int>(count);
  std::fill(x.overwrite().begin(), x.overwrite().end(), 2);
  for (int round = 1; round <= 3; ++round) {
    MemoryUse use(runtime_);
    EXPECT_EQ(use.queue(), queue_.cl()());
    cl_mem from = use.memory(x, Access::in), to = use.memory(y, Access::inout);
    use.end(add(from, to, 0, use.after()));
    EXPECT_THAT(y.read(), Each(2 * round + 10 * (round - 1)));
    for (int& value : y.write()) value += 10;
  }
}

TEST_P(MemoryUseTest, kernels_of_kiln_come_after_commands_that_have_not_run_yet) {
  auto x = runtime_.array<int>(count), y = runtime_.array<int>(count);
  std::fill(x.overwrite().begin(), x.overwrite().end(), 1);
  cl::UserEvent gate(queue_.context()->cl());
  MemoryUse use(runtime_);
  cl_mem from = use.memory(x, Access::in), to = use.memory(y, Access::inout);
  std::vector<Event> after = use.after();
  after.push_back(Event::adopt(gate()));
  const Event done = use.end(add(from, to, 0, after));
  const Event last =
      runtime_.kernel(Source::text(memory_kernels), "add")(y, x, 0).enqueue({{count}, {1}});
  EXPECT_FALSE(done.is_complete());
  gate.setStatus(CL_COMPLETE);
  last.wait();
  EXPECT_THAT(x.read(), Each(2));
}

TEST_P(MemoryUseTest, all_that_was_enqueued_is_the_use_that_has_no_event) {
  auto x = runtime_.array<int>(count), y = runtime_.array<int>(count);
  std::fill(x.overwrite().begin(), x.overwrite().end(), 3);
  MemoryUse use(runtime_);
  cl_mem from = use.memory(x, Access::in), to = use.memory(y, Access::inout);
  for (int round = 1; round <= 2; ++round) {
    add(from, to, 0, use.after());
    add(from, to, 0, {});
    use.end({});
    EXPECT_THAT(y.read(), Each(6 * round));
  }
}

TEST_P(MemoryUseTest, a_buffer_that_is_retained_outlives_its_array) {
  cl::Buffer kept;
  {
    auto x = runtime_.array<int>(count);
    std::iota(x.overwrite().begin(), x.overwrite().end(), 0);
    MemoryUse use(runtime_);
    kept = cl::Buffer(use.memory(x, Access::in), true);
    use.end({});
  }
  // Memory that was let go would be used again here.
  const std::vector<std::vector<int>> others(64, std::vector<int>(count, -1));
  std::vector<int> values(count);
  queue_.cl().enqueueReadBuffer(kept, CL_TRUE, 0, count * sizeof(int), values.data());
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(values[i], static_cast<int>(i));
}

TEST_P(MemoryUseTest, memory_of_the_host_is_used_wherever_it_begins) {
  auto fives = runtime_.array<int>(count);
  std::fill(fives.overwrite().begin(), fives.overwrite().end(), 5);
  std::vector<int> y(count + 64);
  for (const std::size_t first : {0, 1, 17, 32}) {
    std::fill(y.begin(), y.end(), 7);
    MemoryUse use(runtime_);
    const cl_mem from = use.memory(fives, Access::in);
    const auto [to, offset] = use.memory(std::as_writable_bytes(std::span(y).subspan(first, count)),
                                         Access::inout, sizeof(int));
    ASSERT_EQ(offset % sizeof(int), 0u);
    use.end(add(from, to, static_cast<int>(offset / sizeof(int)), use.after())).wait();
    for (std::size_t i = 0; i < y.size(); ++i)
      ASSERT_EQ(y[i], i >= first && i < first + count ? 12 : 7) << i << " from " << first;
  }
}

TEST_P(MemoryUseTest, memory_that_is_read_stays_as_it_is_and_several_come_back_together) {
  std::vector<int> x(count, 5), y(count, 7), z(count, 9);
  MemoryUse use(runtime_);
  const auto part = [&](std::vector<int>& of, Access access) {
    return use.memory(std::as_writable_bytes(std::span(of)), access, sizeof(int));
  };
  const auto in_x = part(x, Access::in), in_y = part(y, Access::inout),
             in_z = part(z, Access::inout);
  // Of the second argument alone the kernel takes an offset.
  ASSERT_TRUE(in_x.offset == 0 || GetParam());
  const auto index = [](const MemoryUse::Part& of) {
    return static_cast<int>(of.offset / sizeof(int));
  };
  auto ones = runtime_.array<int>(count);
  std::fill(ones.overwrite().begin(), ones.overwrite().end(), 1);
  const cl_mem from = use.memory(ones, Access::in);
  add(from, in_y.memory, index(in_y), use.after());
  use.end(add(from, in_z.memory, index(in_z), {})).wait();
  EXPECT_THAT(x, Each(5));
  EXPECT_THAT(y, Each(8));
  EXPECT_THAT(z, Each(10));
}

TEST_P(MemoryUseTest, an_array_over_borrowed_memory_is_that_memory) {
  auto owner = std::make_shared<std::vector<int>>(count + 1, 4);
  const std::weak_ptr<std::vector<int>> alive = owner;
  // One of them is aligned as no device wants it.
  for (const std::size_t first : {0, 1}) {
    const std::span<int> memory = std::span(*alive.lock()).subspan(first, count);
    std::fill(memory.begin(), memory.end(), 4);
    auto y = runtime_.borrow(memory, alive.lock());
    auto x = runtime_.array<int>(count);
    std::fill(x.overwrite().begin(), x.overwrite().end(), 1);
    runtime_.kernel(Source::text(memory_kernels), "add")(x, y, 0).run({{count}, {1}});
    EXPECT_EQ(y.read().data(), memory.data());
    EXPECT_THAT(memory, Each(5));
  }
  auto y = runtime_.borrow(std::span(*owner), owner);
  owner.reset();
  EXPECT_FALSE(alive.expired());
  y = {};
  EXPECT_TRUE(alive.expired());
}

TEST_P(MemoryUseTest, what_is_no_memory_is_refused) {
  const auto code_of = [](const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code();
    }
    return Errc::internal;
  };
  MemoryUse use(runtime_);
  EXPECT_EQ(code_of([&] { use.memory(Array<int>(), Access::in); }), Errc::bad_input);
  EXPECT_EQ(code_of([&] { use.memory({}, Access::in, 1); }), Errc::bad_input);
  EXPECT_EQ(code_of([&] { runtime_.borrow(std::span<int>()); }), Errc::bad_input);
  const Runtime other({.devices = "cpu", .store = "off"});
  EXPECT_EQ(code_of([&] { MemoryUse(other, queue_.cl()()); }), Errc::bad_input);
}

INSTANTIATE_TEST_SUITE_P(Devices, MemoryUseTest, ::testing::Bool(), [](const auto& one) {
  return one.param ? "that_work_in_host_memory" : "with_memory_of_their_own";
});

}  // namespace
}  // namespace kiln::testing
