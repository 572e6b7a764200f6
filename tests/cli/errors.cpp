#include <sys/wait.h>

#include "cli/command_process.hpp"

namespace {

using kiln::testing::expect_refusal;

class Errors : public kiln::testing::CommandTest {};

TEST_F(Errors, no_command) { expect_refusal(kiln({}), 2, "found no command"); }

TEST_F(Errors, unknown_command_suggests_the_nearest) {
  expect_refusal(kiln({"chek"}), 2, "unknown command 'chek'; did you mean 'check'?");
  expect_refusal(kiln({"help", "confg"}), 2, "did you mean 'config'?");
  expect_refusal(kiln({"frobnicate"}), 2, "unknown command 'frobnicate'\n");
  expect_refusal(kiln({"--json", "check"}), 2, "unknown option '--json'");
}

TEST_F(Errors, unknown_option_suggests_the_nearest) {
  expect_refusal(kiln({"check", "--jsn", "x.json"}), 2,
                 "check: unknown option --jsn; did you mean '--json'?");
}

TEST_F(Errors, missing_arguments) { expect_refusal(kiln({"check"}), 2, "check: found no SPEC"); }

TEST_F(Errors, bad_values_name_their_origin) {
  expect_refusal(kiln({"check", "--dialect", "bas", "x.json"}), 2,
                 "check: --dialect: found 'bas', expected one of auto, base, concurrent; did you "
                 "mean 'base'?");
  set("KILN_DIALECT", "bas");
  expect_refusal(kiln({"check", "x.json"}), 2, "environment: KILN_DIALECT: found 'bas'");
}

TEST_F(Errors, a_full_disk_is_an_error) {
  const auto result = bash("$KILN --help > /dev/full");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.errors, "kiln: cannot write to standard output: No space left on device\n");
}

TEST_F(Errors, a_reader_that_has_gone_ends_it_quietly) {
  const auto result = bash("exec 3> >(exec true); wait $!; $KILN --help >&3; echo $?");
  EXPECT_EQ(result.output, "141\n");
  EXPECT_EQ(result.errors, "");
}

}  // namespace
