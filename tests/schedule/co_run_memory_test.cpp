// The caller's memory: what is read, what is written, and what never changes.
#include <thread>

#include "schedule/run_support.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* greedy =
    "kernel void k(global int* a, global int* c) {"
    "  int i = get_global_id(0); a[i] = a[i] * 2; c[i] = a[i]; }";

class CallersMemory : public RunFixture {
 protected:
  Error error_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error;
    }
    return {Errc::internal, "nothing was thrown"};
  }
};

TEST_F(CallersMemory, an_input_that_the_kernel_writes_does_not_change) {
  TestJob test(greedy, range_of({100}, {5}));
  test.in(400).out(400);
  const Bytes before(test.data(0).begin(), test.data(0).end());
  CoRun run(off_, queues(), test.job(), {});
  for (const int partition : {5, 10, 0, 5}) {
    run.run(class_weights(partition, 2));
    EXPECT_TRUE(std::ranges::equal(test.data(0), before)) << partition;
    for (std::size_t i = 0; i < 100; ++i)
      ASSERT_EQ(test.as<cl_int>(1)[i], 2 * test.as<cl_int>(0)[i]) << partition;
  }
}

TEST_F(CallersMemory, an_input_is_read_anew_in_every_run) {
  for (const char* text : {greedy,
                           "kernel void k(global const int* a, global int* c) {"
                           "  int i = get_global_id(0); c[i] = 2 * a[i]; }"}) {
    TestJob test(text, range_of({100}, {5}));
    test.in(400).out(400);
    CoRun run(off_, queues(), test.job(), {});
    for (int round = 0; round < 3; ++round) {
      std::ranges::fill(test.as<cl_int>(0), 10 + round);
      run.run(class_weights(5, 2));
      for (const cl_int value : test.as<cl_int>(1)) ASSERT_EQ(value, 2 * (10 + round));
    }
  }
}

TEST_F(CallersMemory, every_run_of_an_in_out_buffer_starts_from_the_first_contents) {
  TestJob test("kernel void k(global int* x) { x[get_global_id(0)] += 1; }", range_of({100}, {5}));
  test.inout(400);
  const Bytes before(test.data(0).begin(), test.data(0).end());
  CoRun run(off_, queues(), test.job(), {});
  for (int round = 0; round < 4; ++round) {
    run.run(class_weights(5, 2));
    for (std::size_t i = 0; i < 100; ++i) {
      cl_int first;
      std::memcpy(&first, before.data() + 4 * i, 4);
      ASSERT_EQ(test.as<cl_int>(0)[i], first + 1);
    }
  }
}

TEST_F(CallersMemory, that_is_not_aligned_is_copied_and_right_at_every_class) {
  const char* text =
      "kernel void k(global const int* a, global int* c, global int* x) {"
      "  int i = get_global_id(0); c[i] = a[i] + i; x[i] += c[i]; }";
  TestJob test(text, range_of({1000}, {10}));
  using Access = BufferArgument::Access;
  test.buffer(Access::in, 4000, 4).buffer(Access::out, 4000, 36).buffer(Access::inout, 4000, 64);
  const Bytes expected = [&] {
    TestJob aligned(text, range_of({1000}, {10}));
    aligned.in(4000).out(4000).inout(4000);
    return alone(aligned);
  }();
  CoRun run(off_, queues(), test.job(), {});
  for (const int partition : {10, 3, 3, 5, 5, 0, 3}) {
    const auto report = run.run(class_weights(partition, 2));
    EXPECT_TRUE(test.results() == expected) << partition;
    EXPECT_TRUE(report.merged || !report.split) << "no device can write it in place";
  }
  run.run_dynamic();
  EXPECT_TRUE(test.results() == expected);
}

TEST_F(CallersMemory, that_two_arguments_share_may_not_be_written) {
  TestJob test(
      "kernel void k(global const int* a, global int* c) {"
      "  int i = get_global_id(0); c[i] = a[i]; }",
      range_of({64}, {8}));
  test.in(256).out(256);
  Job job = test.job();
  std::get<BufferArgument>(job.arguments[1]).data = test.data(0);
  const auto error = error_of([&] { CoRun(off_, queues(), job, {}); });
  EXPECT_EQ(error.code(), Errc::bad_input);
  EXPECT_THAT(error.message(), HasSubstr("arguments 0 and 1 share memory"));
}

TEST_F(CallersMemory, that_two_inputs_share_is_fine) {
  TestJob test(
      "kernel void k(global const int* a, global const int* b, global int* c) {"
      "  int i = get_global_id(0); c[i] = a[i] + b[i]; }",
      range_of({64}, {8}));
  test.in(256).in(256).out(256);
  Job job = test.job();
  std::get<BufferArgument>(job.arguments[1]).data = test.data(0);
  CoRun run(off_, queues(), job, {});
  run.run(class_weights(5, 2));
  for (std::size_t i = 0; i < 64; ++i) ASSERT_EQ(test.as<cl_int>(2)[i], 2 * test.as<cl_int>(0)[i]);
}

TEST_F(CallersMemory, geometry_is_checked_before_a_compiler_starts) {
  TestJob test("this does not compile", range_of({100}, {64}));
  test.out(400);
  EXPECT_THAT(error_of([&] { CoRun(off_, queues(), test.job(), {}); }).message(),
              HasSubstr("local size 64 does not divide global size 100"));
  Job zero = test.job();
  zero.range.local[0] = 0;
  EXPECT_EQ(error_of([&] { CoRun(off_, queues(), zero, {}); }).code(), Errc::bad_input);
}

TEST_F(CallersMemory, arguments_are_checked_against_the_kernel) {
  const char* text = "kernel void k(global int* c, int n, local int* t) { c[0] = n; }";
  const auto error_with = [&](const std::function<void(TestJob&)>& arguments) {
    TestJob test(text, range_of({64}, {8}));
    arguments(test);
    return error_of([&] { CoRun(off_, queues(), test.job(), {}); });
  };
  const auto few = error_with([](TestJob& t) { t.out(256); });
  EXPECT_EQ(few.code(), Errc::bad_input);
  EXPECT_THAT(few.message(), HasSubstr("kernel k takes 3 arguments; 1 are given"));
  EXPECT_THAT(error_with([](TestJob& t) { t.out(256).value(cl_long{1}).local(32); }).message(),
              HasSubstr("argument 1 of kernel k: a value of 8 bytes is given"));
  EXPECT_THAT(error_with([](TestJob& t) { t.out(256).local(4).local(32); }).message(),
              HasSubstr("argument 1 of kernel k: local memory is given"));
  EXPECT_THAT(error_with([](TestJob& t) { t.value(1).value(1).local(32); }).message(),
              HasSubstr("the kernel takes a __global buffer (int* c)"));
}

TEST_F(CallersMemory, no_device_at_all_is_bad_input) {
  TestJob test("kernel void k(global int* c) { c[0] = 1; }", range_of({1}, {1}));
  test.out(4);
  EXPECT_EQ(error_of([&] { CoRun(off_, {}, test.job(), {}); }).code(), Errc::bad_input);
}

TEST_F(CallersMemory, a_queue_that_executes_out_of_order_is_refused) {
  TestJob test("kernel void k(global int* c) { c[0] = 1; }", range_of({1}, {1}));
  test.out(4);
  const auto context = Context::create({cpu_device()});
  cl_int status = CL_SUCCESS;
  const cl_command_queue raw = ::clCreateCommandQueue(
      context->cl()(), cpu_device()->handle(), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
  if (status != CL_SUCCESS) GTEST_SKIP() << "the driver has no such queues";
  const cl::CommandQueue queue(raw);
  EXPECT_EQ(error_of([&] { CoRun(off_, {Queue::adopt(queue(), context)}, test.job(), {}); }).code(),
            Errc::unsupported);
}

TEST_F(CallersMemory, weights_must_be_as_many_as_devices) {
  TestJob test("kernel void k(global int* c) { c[get_global_id(0)] = 1; }", range_of({64}, {8}));
  test.out(256);
  CoRun run(off_, queues(), test.job(), {});
  EXPECT_THAT(error_of([&] {
                run.run(std::vector<double>{1, 2, 3});
              }).message(),
              HasSubstr("3 weights for 2 devices"));
}

TEST_F(CallersMemory, many_devices_take_their_weights) {
  TestJob test("kernel void k(global int* c) { int i = get_global_id(0); c[i] = i * 7; }",
               range_of({600}, {1}));
  test.out(2400);
  const Bytes expected = alone(test);
  // Four queues on two devices: the parts are four all the same.
  std::vector<Queue> four;
  for (int i = 0; i < 4; ++i)
    four.emplace_back(Context::create({devices_[static_cast<std::size_t>(i % 2)]}),
                      devices_[static_cast<std::size_t>(i % 2)]);
  CoRun run(off_, std::move(four), test.job(), {});
  for (const auto& weights : std::vector<std::vector<double>>{
           {1, 2, 3, 4}, {1, 0, 0, 1}, {0, 1, 1, 0}, {5, 1, 1, 1}, {1, 2, 3, 4}, {0, 0, 0, 1}}) {
    const auto report = run.run(weights);
    EXPECT_TRUE(test.results() == expected);
    const auto parts = cut(600, weights);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(report.shares[i].groups, parts[i].groups());
  }
}

TEST_F(CallersMemory, runs_of_different_objects_may_happen_at_once) {
  std::vector<std::string> wrong(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < wrong.size(); ++t)
      threads.emplace_back([&, t] {
        TestJob test(
            "kernel void k(global int* c, int f) {"
            "  int i = get_global_id(0); c[i] = i * f; }",
            range_of({512}, {8}));
        test.out(2048).value(static_cast<cl_int>(t));
        CoRun run(off_, queues(), test.job(), {});
        for (int round = 0; round < 10; ++round) {
          run.run(class_weights(round, 2));
          for (std::size_t i = 0; i < 512; ++i)
            if (test.as<cl_int>(0)[i] != static_cast<cl_int>(i * t)) wrong[t] = "element differs";
        }
      });
  }
  for (const auto& text : wrong) EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace kiln::testing
