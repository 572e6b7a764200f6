// Runs of source kernels to records, and back.
#include <gmock/gmock.h>

#include "base/os/file.hpp"
#include "base/os/process.hpp"
#include "schedule/recorded_kernel.hpp"

namespace kiln {
namespace {

using ::testing::HasSubstr;

SourceKernel kernel() {
  SourceKernel made{"/a folder/k.cl", "scale", "-D FACTOR=7", {}};
  made.range.dimensions = 2;
  made.range.global = {64, 32, 1};
  made.range.local = {16, 1, 1};
  return made;
}

std::string refusal(const std::string& name, const std::string& value) {
  RecordedCall call = recorded_call(kernel(), {});
  for (auto& fact : call.facts)
    if (fact.name == name) fact.value = value;
  const auto back = source_kernel_of(call);
  return back ? "nothing" : back.error().message();
}

TEST(RecordedRun, comes_back) {
  const auto back = value_or_throw(source_kernel_of(recorded_call(kernel(), {})));
  EXPECT_EQ(back.file, kernel().file);
  EXPECT_EQ(back.kernel, "scale");
  EXPECT_EQ(back.options, "-D FACTOR=7");
  EXPECT_TRUE(back.range == kernel().range);
}

TEST(RecordedRun, is_refused_with_the_name_of_the_field) {
  EXPECT_EQ(refusal("local", "8x2"), "nothing");
  EXPECT_THAT(refusal("file", ""), HasSubstr("'file'"));
  EXPECT_THAT(refusal("kernel", ""), HasSubstr("'kernel'"));
  for (const char* sizes : {"", "0", "x", "64x", "x64", "8x-1", "1x1x1x1", "99999999999999999999"})
    EXPECT_THAT(refusal("global", sizes), HasSubstr("'global'")) << sizes;
  EXPECT_THAT(refusal("local", "16"), HasSubstr("found 1 dimensions, expected 2"));
  EXPECT_THAT(refusal("local", "16x3"), HasSubstr("'local': expected divisors"));
}

TEST(RecordedRun, counts_the_longest_of_the_devices) {
  count_run(nullptr, {});  // nothing is recorded
  RunReport report;
  report.shares = {{"a", 1, 10, 0}, {"b", 1, 30, 0}};
  report.wall_ns = 50;
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-calls"));
  const auto log = value_or_throw(CallLog::open(folder.path() / "calls"));
  count_run(log->counter(recorded_call(kernel(), {})), report);
  log->write();
  const auto sum = value_or_throw(read_calls(folder.path() / "calls")).calls.at(0);
  EXPECT_EQ(sum.count, 1u);
  EXPECT_EQ(sum.host_ns, 50u);
  EXPECT_EQ(sum.device_ns, 30u);
}

TEST(RecordedRun, of_the_library_is_recorded_where_the_environment_asks_for_it) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-calls"));
  const auto file = folder.path() / "calls";
  ProcessRequest child;
  child.program = std::filesystem::canonical("/proc/self/exe");
  child.arguments = {"--gtest_filter=KernelCallTest.*"};
  child.environment = {{"KILN_RECORD", file.string()}};
  const auto ended = value_or_throw(run_process(child));
  ASSERT_EQ(ended.exit_code, 0) << ended.output;
  const auto calls = value_or_throw(read_calls(file)).calls;
  ASSERT_FALSE(calls.empty());
  for (const auto& call : calls) {
    EXPECT_EQ(call.kind, "kernel");
    EXPECT_EQ(call.timed, call.count);
    EXPECT_FALSE(call.devices.empty());
    EXPECT_TRUE(source_kernel_of(call).has_value());
  }
}

}  // namespace
}  // namespace kiln
