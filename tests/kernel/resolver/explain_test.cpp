// KILN_EXPLAIN: a library's user learns where his programs came from.
#include <gmock/gmock.h>

#include "base/os/process.hpp"
#include "kernel/support.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Runs the child of single_flight_test.cpp, which resolves three programs.
ProcessResult resolve_elsewhere(const std::string& store, const std::string& explain) {
  ProcessRequest request;
  request.program = "/proc/self/exe";
  request.arguments = {"--gtest_filter=SingleFlightChild.DISABLED_resolves_all",
                       "--gtest_also_run_disabled_tests"};
  request.environment = {
      {"KILN_TEST_STORE", store}, {"KILN_TEST_NUMBER", "0"}, {"KILN_EXPLAIN", explain}};
  return value_or_throw(run_process(request));
}

using ExplainByEnvironment = StoreFixture;

TEST_F(ExplainByEnvironment, tells_per_program_which_layer_answered) {
  const auto first = resolve_elsewhere(store_folder(), "1");
  ASSERT_EQ(first.exit_code, 0) << first.output;
  EXPECT_THAT(first.errors, HasSubstr("kiln:  VectorAdd on "));
  EXPECT_THAT(first.errors, HasSubstr("local store  miss"));
  EXPECT_THAT(first.errors, HasSubstr("compile      hit"));
  const auto second = resolve_elsewhere(store_folder(), "1");
  EXPECT_THAT(second.errors, HasSubstr("local store  hit"));
  EXPECT_THAT(second.errors, Not(HasSubstr("compile ")));
}

TEST_F(ExplainByEnvironment, is_silent_where_nobody_asks) {
  EXPECT_EQ(resolve_elsewhere(store_folder(), "").errors, "");
  EXPECT_EQ(resolve_elsewhere(store_folder(), "off").errors, "");
}

}  // namespace
}  // namespace kiln::testing
