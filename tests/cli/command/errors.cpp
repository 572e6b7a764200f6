#include <sys/wait.h>

#include "cli/command_process.hpp"

namespace {

using kiln::testing::expect_refusal;

class Errors : public kiln::testing::CommandTest {};

TEST_F(Errors, no_command) { expect_refusal(kiln({}), 2, "missing command"); }

TEST_F(Errors, unknown_command_suggests_the_nearest) {
  expect_refusal(kiln({"chek"}), 2, "unknown command 'chek'; did you mean 'check'?");
  expect_refusal(kiln({"help", "confg"}), 2, "did you mean 'config'?");
  expect_refusal(kiln({"frobnicate"}), 2, "unknown command 'frobnicate'\n");
  const auto early = kiln({"--json", "check"});
  EXPECT_EQ(early.errors, "kiln: unknown option '--json'\n");
  EXPECT_EQ(early.exit_code, 2);
}

TEST_F(Errors, a_mistyped_noun_keeps_its_verb) {
  expect_refusal(kiln({"stor", "ls"}), 2, "unknown command 'stor'; did you mean 'store ls'?");
  expect_refusal(kiln({"stor", "lss"}), 2, "did you mean 'store ls'?");
  expect_refusal(kiln({"poclbn"}), 2, "unknown command 'poclbn'; did you mean 'poclbin'?");
  expect_refusal(kiln({"kbd", "frobnicate"}), 2, "unknown command 'kbd'; did you mean 'kdb'?");
  expect_refusal(kiln({"ls"}), 2, "did you mean one of poclbin ls, store ls, tuned ls?");
}

TEST_F(Errors, an_unknown_verb_names_what_there_is) {
  expect_refusal(kiln({"mesh", "foo"}), 2,
                 "mesh: unknown sub-command 'foo', expected one of naca0012, info, convert");
  expect_refusal(kiln({"mesh", "chek"}), 2, "did you mean 'check'?");
  expect_refusal(kiln({"store"}), 2, "store: missing sub-command, expected one of info, ls");
  expect_refusal(kiln({"store", "--quiet"}), 2, "store: missing sub-command");
}

TEST_F(Errors, a_mistyped_option_in_front_is_suggested) {
  expect_refusal(kiln({"--hlep"}), 2, "unknown option '--hlep'; did you mean '--help'?");
  expect_refusal(kiln({"--versoin"}), 2, "did you mean '--version'?");
  expect_refusal(kiln({"check", "--hlep"}), 2, "did you mean '--help'?");
}

TEST_F(Errors, unknown_option_suggests_the_nearest) {
  expect_refusal(kiln({"check", "--jsn", "x.json"}), 2,
                 "check: unknown option --jsn; did you mean '--json'?");
}

TEST_F(Errors, missing_arguments) { expect_refusal(kiln({"check"}), 2, "check: missing SPEC"); }

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
