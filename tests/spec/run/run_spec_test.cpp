// Specification files run by one call of the public API.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/log.hpp"
#include "base/os/file.hpp"
#include "kiln/spec.hpp"

namespace kiln::spec {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr const char* axpy_spec = R"({
  "name": "axpy", "src": "axpy.cl", "workDimension": 1, "globalWorkSize": "[dataset]",
  "localWorkSize": "[16]",
  "inputBuffers": [{"type": "float", "size": "dataset", "pos": 0, "break": 1}],
  "outputBuffers": [{"type": "float", "size": "dataset", "pos": 1, "break": 1}],
  "varArguments": [{"type": "float", "value": "factor", "pos": 2}],
  "symbolicVariables": {"factor": "2"}
})";
constexpr const char* axpy_text =
    "__kernel void axpy(__global const float* x, __global float* y, float a) {\n"
    "  int i = get_global_id(0);\n  y[i] = a * x[i] + 1;\n}\n";

class RunSpec : public ::testing::Test {
 protected:
  void SetUp() override {
    set_log_sink([](LogLevel, std::string_view) {});
    value_or_throw(write_file(file_, as_bytes(std::string_view(axpy_spec))));
    value_or_throw(write_file(folder_.path() / "axpy.cl", as_bytes(std::string_view(axpy_text))));
  }
  Error error_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error;
    }
    return {Errc::internal, "nothing was thrown"};
  }
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-run-spec"));
  std::filesystem::path file_ = folder_.path() / "axpy.json";
  Runtime runtime_{
      Runtime::Options{.devices = "cpu", .store = (folder_.path() / "store").string()}};
};

TEST_F(RunSpec, takes_the_callers_data_and_gives_the_results) {
  const std::vector<float> x(256, 3.0f);
  const SpecResult result =
      run(runtime_, file_, {.set = {{"dataset", 256}, {"factor", 4}}, .in = {{0, x}}});
  EXPECT_THAT(result.values<float>(1), Each(13.0f));
  EXPECT_EQ(result.values<float>(1).size(), 256u);
  EXPECT_EQ(result.wall_ns.size(), 1u);
  EXPECT_EQ(result.summary.shares.size(), 1u);
  EXPECT_EQ(result.summary.shares.front().groups, 16u);
  ASSERT_EQ(result.programs.size(), 1u);
  EXPECT_EQ(result.programs.front().key.size(), 64u);
}

TEST_F(RunSpec, keeps_a_timeline_where_one_is_asked_for) {
  SpecRunOptions options{.set = {{"dataset", 256}}, .runs = 3, .timeline = true};
  const auto spans = run(runtime_, file_, options).timeline;
  EXPECT_TRUE(std::ranges::is_sorted(spans, {}, &TimelineSpan::start_ns));
  const auto of = [&](const char* category) {
    return std::ranges::count(spans, category, &TimelineSpan::category);
  };
  EXPECT_EQ(of("kernel"), 3);
  EXPECT_GE(of("compile"), 1);
  for (const TimelineSpan& span : spans) {
    if (span.category == "kernel") {
      EXPECT_LT(span.start_ns, span.end_ns) << span.name;
    }
  }
  options.timeline = false;
  EXPECT_TRUE(run(runtime_, file_, options).timeline.empty());
}

TEST_F(RunSpec, writes_and_compares_files) {
  const auto output = folder_.path() / "y.npy";
  const SpecResult first = run(runtime_, file_, {.set = {{"dataset", 64}}, .out = {{1, output}}});
  const SpecResult same = run(runtime_, file_, {.set = {{"dataset", 64}}, .expect = {{1, output}}});
  EXPECT_EQ(same.difference, "");
  const SpecResult other =
      run(runtime_, file_, {.set = {{"dataset", 64}, {"factor", 3}}, .expect = {{1, output}}});
  EXPECT_THAT(other.difference, HasSubstr("argument 1 differs from"));
  const SpecResult read = run(runtime_, file_, {.set = {{"dataset", 64}}, .in = {{0, output}}});
  for (std::size_t i = 0; i < 64; ++i)
    ASSERT_EQ(read.values<float>(1)[i], 2 * first.values<float>(1)[i] + 1);
}

TEST_F(RunSpec, every_split_gives_the_same) {
  const Runtime halves({.devices = "cpu/2", .store = "off"});
  if (runtime_.devices().front().compute_units < 2) GTEST_SKIP() << "one compute unit";
  const auto whole = run(runtime_, file_, {.set = {{"dataset", 320}}});
  for (const char* partition : {"3", "5", "1:4", "auto", "dynamic"}) {
    const auto split =
        run(halves, file_, {.set = {{"dataset", 320}}, .partition = partition, .runs = 3});
    EXPECT_EQ(split.wall_ns.size(), 3u);
    EXPECT_TRUE(std::ranges::equal(split.bytes(1), whole.bytes(1))) << partition;
  }
  const auto verdicts = verify(halves, file_, {.set = {{"dataset", 320}}});
  EXPECT_EQ(verdicts.size(), 11u);
  for (const auto& verdict : verdicts) EXPECT_EQ(verdict.outcome, "equal") << verdict.split;
}

TEST_F(RunSpec, works_in_the_applications_context) {
  const cl_device_id device = runtime_.devices().front().handle;
  const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  const cl_command_queue queue =
      clCreateCommandQueueWithProperties(context, device, nullptr, nullptr);
  {
    const cl_command_queue queues[] = {queue};
    const Runtime adopted = Runtime::adopt(context, queues, "off");
    const std::vector<float> x(64, 1.0f);
    const SpecResult result = run(adopted, file_, {.set = {{"dataset", 64}}, .in = {{0, x}}});
    EXPECT_THAT(result.values<float>(1), Each(3.0f));
  }
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
}

TEST_F(RunSpec, what_does_not_fit_is_named) {
  const std::vector<float> too_few(3);
  const Error data = error_of([&] {
    run(runtime_, file_, {.set = {{"dataset", 64}}, .in = {{0, too_few}}});
  });
  EXPECT_EQ(data.code(), Errc::bad_input);
  EXPECT_EQ(data.message(), "argument 0: 12 bytes of data; it takes 256 (64 elements of float)");
  EXPECT_THAT(error_of([&] {
                run(runtime_, file_, {.set = {{"datset", 64}}});
              }).message(),
              HasSubstr("datset"));
  EXPECT_EQ(error_of([&] { run(runtime_, folder_.path() / "none.json"); }).code(), Errc::not_found);
  const SpecResult result = run(runtime_, file_, {.set = {{"dataset", 64}}});
  EXPECT_THAT(error_of([&] { result.values<double>(1); }).message(),
              HasSubstr("argument 1 has elements of float"));
  EXPECT_EQ(error_of([&] { result.bytes(2); }).code(), Errc::bad_input);
  EXPECT_EQ(error_of([&] { result.bytes(9); }).code(), Errc::bad_input);
  EXPECT_EQ(error_of([&] { run(runtime_, file_, {.local_size = {0}}); }).code(), Errc::bad_input);
  EXPECT_EQ(error_of([&] { run(runtime_, file_, {.partition = "fast"}); }).code(), Errc::bad_input);
}

}  // namespace
}  // namespace kiln::spec
