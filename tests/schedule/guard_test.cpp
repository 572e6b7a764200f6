// Kernels that write outside of their buffers, found by the zones around them.
#include "base/os/file.hpp"
#include "kiln/kernel.hpp"
#include "schedule/placement.hpp"
#include "schedule/run_support.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;

class Guards : public ::testing::Test {
 protected:
  void SetUp() override {
    set_log_sink([](LogLevel, std::string_view) {});
  }
  /// The error of a guarded run on one device; empty where it has none.
  std::string error_of(TestJob& test, CoRun::Options options = guarded()) {
    const Queue queue(Context::create({cpu_device()}), cpu_device());
    try {
      CoRun run(off_, {queue}, test.job(), options);
      run.run_on(0);
    } catch (const Error& error) {
      EXPECT_EQ(exit_code(error.code()), 1);
      return error.message();
    }
    return "";
  }
  static CoRun::Options guarded() {
    return {.always_merge = true, .memory = Placement::OwnMemory::guarded};
  }
  Resolver off_{nullptr};
};

TEST_F(Guards, name_the_parameter_how_much_and_where_behind_its_end) {
  TestJob test(
      "kernel void k(global const int* a, global int* result, int by) {"
      "  int i = get_global_id(0); result[i + by] = a[i]; }",
      range_of({100}, {10}));
  test.in(400).out(400).value(3);
  EXPECT_EQ(error_of(test),
            "kernel k writes outside of argument 1 (result), a buffer of 400 bytes: 3 elements "
            "behind its end, the first at element 100 (byte 400)");
  TestJob far(
      "kernel void k(global float* result) {"
      "  result[get_global_id(0) * 150] = 1; }",
      range_of({2}, {1}));
  far.out(400);
  EXPECT_THAT(error_of(far),
              HasSubstr("1 element behind its end, the first at element 150 (byte 600)"));
}

TEST_F(Guards, find_writes_before_the_begin_and_into_inputs) {
  TestJob test(
      "kernel void k(global float4* input, global float* b) {"
      "  int i = get_global_id(0); b[i] = 0; if (i < 2) input[-1 - 2 * i] = 0; }",
      range_of({100}, {10}));
  test.in(16 * 10).out(400);
  EXPECT_EQ(error_of(test),
            "kernel k writes outside of argument 0 (input), a buffer of 160 bytes: 2 elements "
            "before its begin, the first at element -1 (byte -16)");
}

TEST_F(Guards, list_every_buffer_and_both_sides) {
  TestJob test(
      "kernel void k(global char* a, global double* b) {"
      "  a[-1] = 0; a[33] = 0; b[4] = 1; }",
      range_of({1}, {1}));
  test.inout(33).out(32);
  const auto error = error_of(test);
  EXPECT_THAT(error,
              HasSubstr("argument 0 (a), a buffer of 33 bytes: 1 element behind its end, the "
                        "first at element 33 (byte 33); 1 element before its begin, the "
                        "first at element -1 (byte -1)"));
  EXPECT_THAT(error, HasSubstr("; argument 1 (b), a buffer of 32 bytes: 1 element behind its end"));
}

TEST_F(Guards, leave_the_result_of_a_right_kernel_as_it_is) {
  TestJob test(
      "kernel void k(global const int* a, global int* b, global int* c) {"
      "  int i = get_global_id(0); b[i] = 2 * a[i]; c[i] += b[i]; }",
      range_of({1000}, {10}));
  test.in(4000).out(4000).inout(4000);
  const Queue queue(Context::create({cpu_device()}), cpu_device());
  CoRun plain(off_, {queue}, test.job(), {});
  plain.run_on(0);
  const Bytes expected = test.results();
  TestJob again(
      "kernel void k(global const int* a, global int* b, global int* c) {"
      "  int i = get_global_id(0); b[i] = 2 * a[i]; c[i] += b[i]; }",
      range_of({1000}, {10}));
  again.in(4000).out(4000).inout(4000);
  CoRun run(off_, {queue}, again.job(), guarded());
  for (int round = 0; round < 3; ++round) {
    run.run_on(0);
    EXPECT_TRUE(again.results() == expected);
  }
}

TEST_F(Guards, a_library_s_run_finds_them_where_it_is_asked_to) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-guard"));
  const auto file = folder.path() / "k.cl";
  value_or_throw(
      write_file(file, as_bytes("kernel void k(global int* y) { y[get_global_id(0) + 1] = 5; }")));
  const Runtime runtime({.devices = "cpu", .store = "off"});
  // More than the kernel is told of, so that the write outside of it does no harm.
  std::vector<int> y(128);
  KernelCall call = runtime.kernel(Source::file(file), "k")(out(std::span(y).first(64)));
  for (int round = 0; round < 2; ++round) {
    try {
      call.run({{64}, {8}}, {.bounds = Bounds::checked});
      FAIL() << "the write was not found";
    } catch (const Error& error) {
      EXPECT_THAT(error.message(), HasSubstr("argument 0 (y), a buffer of 256 bytes: 1 element "
                                             "behind its end, the first at element 64 (byte 256)"));
    }
  }
  EXPECT_EQ(y[64], 0);
}

}  // namespace
}  // namespace kiln::testing
