// Arrays, events and the application's own OpenCL objects in kernels of the public API.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <numeric>

#include "base/log.hpp"
#include "device/opencl.hpp"
#include "kiln/kernel.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* array_kernels = R"(
__kernel void add(__global const int* x, __global int* y, int elements) {
  y[get_global_id(0)] += x[get_global_id(0)] + elements;
}
__kernel void fill(__global int* y, int elements) { y[get_global_id(0)] = elements; }
__kernel void groups(__global int* y) { y[get_global_id(0)] += get_group_id(0); }
)";

constexpr std::size_t elements = 4096;

Error error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return {Errc::internal, "nothing was thrown"};
}

/// A context and a queue as an application makes them.
struct Application {
  explicit Application(cl_command_queue_properties properties = 0) {
    for (const auto& info : Runtime({.devices = "cpu", .store = "off"}).devices())
      device = cl::Device(info.handle, true);
    context = cl::Context(device);
    queue = cl::CommandQueue(context, device, properties);
  }
  Runtime adopted() const {
    const cl_command_queue queues[] = {queue()};
    return Runtime::adopt(context(), queues, "off");
  }
  std::vector<int> contents(const cl::Buffer& buffer, std::size_t count) const {
    std::vector<int> values(count);
    queue.enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(int), values.data());
    return values;
  }
  cl::Device device;
  cl::Context context;
  cl::CommandQueue queue;
};

class ArrayTest : public ::testing::Test {
 protected:
  ArrayTest() {
    set_log_sink([](LogLevel, std::string_view) {});
  }
  Runtime one_{Runtime::Options{.devices = "cpu", .store = "off"}};
  /// Two devices, where the processor can be divided.
  Runtime pair() const {
    return Runtime(
        {.devices = one_.devices().front().compute_units < 2 ? "cpu" : "cpu/2", .store = "off"});
  }
};

TEST_F(ArrayTest, begins_as_zeros_and_keeps_what_kernels_and_the_host_write) {
  const auto x = one_.array<int>(elements);
  auto y = one_.array<int>(elements);
  ASSERT_EQ(y.size(), elements);
  const Kernel add = one_.kernel(Source::text(array_kernels), "add");
  KernelCall call = add(x, y, 3);
  for (int round = 1; round <= 3; ++round) {
    call.run({{elements}, {64}});
    EXPECT_THAT(y.read(), ::testing::Each(3 * round));
  }
  for (int& value : y.write()) value = 10;
  std::iota(Array<int>(x).overwrite().begin(), Array<int>(x).overwrite().end(), 0);
  call.run({{elements}, {64}});
  for (std::size_t i = 0; i < elements; ++i) ASSERT_EQ(y.read()[i], 13 + static_cast<int>(i));
}

TEST_F(ArrayTest, a_split_run_goes_on_from_what_it_finds_as_a_whole_one_does) {
  const Runtime runtime = pair();
  const auto x = runtime.array<int>(elements);
  const auto y = runtime.array<int>(elements);
  KernelCall call = runtime.kernel(Source::text(array_kernels), "add")(x, y, 1);
  int expected = 0;
  for (const char* partition : {"5", "10", "3", "auto", "0", "dynamic", "auto"}) {
    call.run({{elements}, {64}}, {.partition = partition});
    EXPECT_THAT(y.read(), ::testing::Each(++expected)) << partition;
  }
}

TEST_F(ArrayTest, what_cannot_be_split_goes_on_too) {
  const Runtime runtime = pair();
  const auto y = runtime.array<int>(elements);
  KernelCall call = runtime.kernel(Source::text(array_kernels), "groups")(y);
  for (int round = 1; round <= 2; ++round) {
    call.run({{elements}, {64}}, {.partition = "5"});
    for (std::size_t i = 0; i < elements; ++i)
      ASSERT_EQ(y.read()[i], round * static_cast<int>(i / 64));
  }
}

TEST_F(ArrayTest, enqueued_calls_follow_one_another_without_waiting) {
  const auto x = one_.array<int>(elements);
  const auto y = one_.array<int>(elements);
  KernelCall fill = one_.kernel(Source::text(array_kernels), "fill")(x, 2);
  KernelCall add = one_.kernel(Source::text(array_kernels), "add")(x, y, 1);
  Event last;
  for (int round = 0; round < 10; ++round) {
    fill.enqueue({{elements}, {64}});
    last = add.enqueue({{elements}, {64}});
  }
  last.wait();
  EXPECT_TRUE(last.is_complete());
  EXPECT_THAT(y.read(), ::testing::Each(30));
}

TEST_F(ArrayTest, host_memory_is_current_when_the_event_is_complete) {
  // One element off, so that no device can use it in place.
  std::vector<int> x(elements + 1, 5), y(elements + 1, 7);
  const auto shifted = [](std::vector<int>& v) { return std::span(v).subspan(1); };
  KernelCall call =
      one_.kernel(Source::text(array_kernels), "add")(in(shifted(x)), inout(shifted(y)), 1);
  call.prepare({{elements}, {64}});
  for (int round = 1; round <= 3; ++round) {
    call.enqueue({{elements}, {64}}).wait();
    EXPECT_THAT(shifted(y), ::testing::Each(7 + 6 * round));
  }
  EXPECT_EQ(y[0], 7);
  std::vector<int> filled(elements, -1);
  one_.kernel(Source::text(array_kernels), "fill")(out(filled), 4)
      .enqueue({{elements}, {64}})
      .wait();
  EXPECT_THAT(filled, ::testing::Each(4));
}

TEST_F(ArrayTest, a_run_waits_for_the_events_that_it_was_given) {
  const Application application;
  const Runtime runtime = application.adopted();
  const auto x = runtime.array<int>(elements);
  cl::UserEvent gate(application.context);
  const Event open = Event::adopt(gate());
  const Event done = runtime.kernel(Source::text(array_kernels), "fill")(x, 9).enqueue(
      {{elements}, {64}}, {.after = {open}});
  EXPECT_FALSE(done.is_complete());
  gate.setStatus(CL_COMPLETE);
  done.wait();
  EXPECT_THAT(x.read(), ::testing::Each(9));
  EXPECT_TRUE(Event().is_complete());
  EXPECT_NO_THROW(Event().wait());
  EXPECT_EQ(error_of([] { Event::adopt(nullptr); }).code(), Errc::bad_input);
}

TEST_F(ArrayTest, an_event_says_how_long_the_device_was_at_it) {
  const auto x = one_.array<int>(elements);
  KernelCall fill = one_.kernel(Source::text(array_kernels), "fill")(x, 2);
  std::int64_t sum = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < 20; ++round) {
    const Event done = fill.enqueue({{elements}, {64}});
    EXPECT_GE(done.nanoseconds(), 0);
    EXPECT_TRUE(done.is_complete());
    EXPECT_EQ(done.nanoseconds(), done.nanoseconds());
    sum += done.nanoseconds();
  }
  EXPECT_GT(sum, 0);
  EXPECT_LE(sum, std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count());
  EXPECT_EQ(Event().nanoseconds(), 0);
  const Application application;
  cl::UserEvent gate(application.context);
  gate.setStatus(CL_COMPLETE);
  EXPECT_EQ(error_of([&] { return Event::adopt(gate()).nanoseconds(); }).code(), Errc::unsupported);
}

TEST_F(ArrayTest, an_event_that_fails_is_thrown_where_it_is_waited_for) {
  const Application application;
  cl::UserEvent gate(application.context);
  const Event event = Event::adopt(gate());
  gate.setStatus(-1);
  EXPECT_EQ(error_of([&] { event.wait(); }).code(), Errc::device);
}

TEST_F(ArrayTest, works_in_the_applications_context_on_its_buffers) {
  for (const cl_command_queue_properties properties :
       {cl_command_queue_properties{0},
        cl_command_queue_properties{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}}) {
    const Application application(properties);
    const Runtime runtime = application.adopted();
    ASSERT_EQ(runtime.queues(), std::vector{application.queue()});
    std::vector<int> values(2 * elements, 1);
    const cl::Buffer buffer(application.context, CL_MEM_COPY_HOST_PTR, values.size() * sizeof(int),
                            values.data());
    {
      const auto x = runtime.array<int>(elements);
      const auto second_half = runtime.wrap<int>(buffer(), elements, elements);
      KernelCall call = runtime.kernel(Source::text(array_kernels), "add")(x, second_half, 5);
      for (int round = 0; round < 4; ++round) call.enqueue({{elements}, {64}});
      EXPECT_THAT(second_half.read(), ::testing::Each(21));
    }
    const auto after = application.contents(buffer, 2 * elements);
    EXPECT_THAT(std::span(after).first(elements), ::testing::Each(1));
    EXPECT_THAT(std::span(after).last(elements), ::testing::Each(21));
  }
}

TEST_F(ArrayTest, a_run_that_waits_may_be_on_a_queue_without_order) {
  const Application application(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const Runtime runtime = application.adopted();
  const std::vector<int> x(elements, 5);
  std::vector<int> y(elements);
  KernelCall call = runtime.kernel(Source::text(array_kernels), "add")(in(x), inout(y), 2);
  for (int round = 1; round <= 3; ++round) {
    call.run({{elements}, {64}});
    EXPECT_THAT(y, ::testing::Each(7 * round));
  }
}

TEST_F(ArrayTest, another_queue_of_an_adopted_context_may_be_named) {
  const Application application;
  const Runtime runtime = application.adopted();
  const cl::CommandQueue other(application.context, application.device);
  const auto x = runtime.array<int>(elements);
  const auto y = runtime.array<int>(elements);
  KernelCall fill = runtime.kernel(Source::text(array_kernels), "fill")(x, 2);
  KernelCall add = runtime.kernel(Source::text(array_kernels), "add")(x, y, 1);
  for (int round = 0; round < 5; ++round) {
    fill.enqueue({{elements}, {64}}, {.queue = other()});
    add.enqueue({{elements}, {64}});
  }
  EXPECT_THAT(y.read(), ::testing::Each(15));
}

TEST_F(ArrayTest, what_does_not_belong_to_the_runtime_is_bad_input) {
  const Application application, stranger;
  const Runtime runtime = application.adopted();
  const cl::Buffer foreign(stranger.context, CL_MEM_READ_WRITE, 64);
  const cl::Buffer own(application.context, CL_MEM_READ_WRITE, 64);
  EXPECT_EQ(error_of([&] { runtime.wrap<int>(foreign(), 16); }).code(), Errc::bad_input);
  EXPECT_EQ(error_of([&] { runtime.wrap<int>(nullptr, 16); }).code(), Errc::bad_input);
  const Error small = error_of([&] { runtime.wrap<int>(own(), 16, 1); });
  EXPECT_EQ(small.code(), Errc::bad_input);
  EXPECT_EQ(small.message(), "the buffer has 64 bytes, expected 64 from byte 4 on");
  EXPECT_EQ(error_of([&] { runtime.array<int>(0); }).code(), Errc::bad_input);
  EXPECT_EQ(error_of([&] { runtime.array<int>(SIZE_MAX / 2); }).code(), Errc::bad_input);
  const auto x = runtime.array<int>(elements);
  KernelCall fill = runtime.kernel(Source::text(array_kernels), "fill")(x, 1);
  EXPECT_EQ(error_of([&] {
              fill.enqueue({{elements}, {64}}, {.queue = stranger.queue()});
            }).code(),
            Errc::bad_input);
  // A handle of another kind of object, such as a buffer's.
  EXPECT_EQ(
      error_of([&] {
        fill.enqueue({{elements}, {64}}, {.queue = reinterpret_cast<cl_command_queue>(own())});
      }).code(),
      Errc::bad_input);
  const cl_command_queue queues[] = {stranger.queue()};
  EXPECT_EQ(error_of([&] { Runtime::adopt(application.context(), queues); }).code(),
            Errc::bad_input);
  EXPECT_EQ(error_of([&] { Runtime::adopt(application.context(), {}); }).code(), Errc::bad_input);
  EXPECT_THAT(error_of([&] {
                runtime.kernel(Source::text(array_kernels), "fill")(Array<int>(), 1);
              }).message(),
              HasSubstr("argument 0 is an Array without elements"));
}

TEST_F(ArrayTest, the_same_array_twice_is_refused_where_the_kernel_writes_it) {
  const auto x = one_.array<int>(elements);
  KernelCall call = one_.kernel(Source::text(array_kernels), "add")(x, x, 1);
  for (int round = 0; round < 2; ++round) {
    const Error error = error_of([&] { call.run({{elements}, {64}}); });
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_EQ(error.message(), "arguments 0 and 1 share memory, and one of them is written");
  }
}

TEST_F(ArrayTest, an_array_may_go_while_a_kernel_still_writes_it) {
  const Application application;
  const Runtime runtime = application.adopted();
  cl::UserEvent gate(application.context);
  Event done;
  {
    const auto x = runtime.array<int>(elements);
    KernelCall fill = runtime.kernel(Source::text(array_kernels), "fill")(x, 1);
    fill.prepare({{elements}, {64}});
    done = fill.enqueue({{elements}, {64}}, {.after = {Event::adopt(gate())}});
    gate.setStatus(CL_COMPLETE);
  }
  EXPECT_NO_THROW(done.wait());
}

}  // namespace
}  // namespace kiln::testing
