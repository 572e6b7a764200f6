#include "base/os/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "base/os/file.hpp"

namespace kiln {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

ProcessRequest shell(std::string script) {
  ProcessRequest request;
  request.program = "/bin/sh";
  request.arguments = {"-c", std::move(script)};
  return request;
}

TEST(Process, both_outputs_and_the_exit_code_come_back) {
  const auto result = value_or_throw(run_process(shell("echo out; echo err >&2; exit 7")));
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.signal, 0);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
}

TEST(Process, arguments_pass_unchanged) {
  auto request = shell("printf '%s|' \"$@\"");
  request.arguments.insert(request.arguments.end(), {"name", "", "a b", "$HOME", "'\""});
  EXPECT_EQ(value_or_throw(run_process(request)).output, "|a b|$HOME|'\"|");
}

TEST(Process, the_signal_that_ended_it_comes_back) {
  const auto result = value_or_throw(run_process(shell("kill -SEGV $$")));
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_EQ(signal_name(result.signal), "SIGSEGV");
  EXPECT_EQ(signal_name(12345), "signal 12345");
}

TEST(Process, whose_end_this_process_does_not_hear_of_is_an_error_and_no_wait_for_ever) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const auto result = run_process(shell("exit 0"));
  std::signal(SIGCHLD, before);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Errc::unsupported);
  EXPECT_THAT(result.error().message(), HasSubstr("ignores SIGCHLD"));
}

TEST(Process, a_program_that_is_not_there_is_an_error) {
  ProcessRequest request;
  request.program = "/no/such/program";
  const auto result = run_process(request);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Errc::not_found);
  EXPECT_THAT(result.error().message(), HasSubstr("cannot start /no/such/program"));
}

TEST(Process, variables_are_added_and_replaced) {
  ::setenv("KILN_TEST_OLD", "old", 1);
  auto request = shell("echo $KILN_TEST_OLD $KILN_TEST_NEW $KILN_TEST_OLDER");
  ::setenv("KILN_TEST_OLDER", "kept", 1);
  request.environment = {{"KILN_TEST_OLD", "replaced"}, {"KILN_TEST_NEW", "new"}};
  EXPECT_EQ(value_or_throw(run_process(request)).output, "replaced new kept\n");
  EXPECT_STREQ(::getenv("KILN_TEST_OLD"), "old") << "this process keeps its own";
}

TEST(Process, runs_in_the_folder_it_is_given) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-process"));
  auto request = shell("pwd -P");
  request.folder = folder.path();
  EXPECT_EQ(value_or_throw(run_process(request)).output,
            std::filesystem::canonical(folder.path()).string() + "\n");
}

TEST(Process, output_beyond_the_limit_is_cut_and_the_process_still_ends) {
  auto request = shell("head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2; exit 3");
  request.output_limit = 1000;
  const auto result = value_or_throw(run_process(request));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.output.size(), 1000u);
  EXPECT_EQ(result.errors.size(), 1000u);
}

TEST(Process, its_input_stays_open_until_it_ends) {
  // `read` would return at once if the pipe were closed; the bound then ends the wait.
  auto request = shell("read line; echo closed");
  request.limit = 200ms;
  const auto result = value_or_throw(run_process(request));
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.output, "");
}

bool is_alive(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return status >> number >> name >> state && state != "Z";
}

TEST(Process, the_bound_ends_the_whole_group) {
  // The grandchild holds the outputs open too, and would keep the call waiting if it lived.
  auto request = shell("sleep 1000 & echo $!; wait");
  ProcessResult result;
  // On a machine so slow that nothing was printed within the bound, once more with a longer one.
  for (request.limit = 200ms; result.output.empty(); request.limit *= 2)
    result = value_or_throw(run_process(request));
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
  const pid_t grandchild = std::atoi(result.output.c_str());
  ASSERT_GT(grandchild, 0);
  // A kill takes effect at some later point; it must come, however long the machine takes.
  while (is_alive(grandchild)) std::this_thread::yield();
}

TEST(Process, the_bound_holds_for_a_process_that_closed_its_outputs) {
  auto request = shell("exec >&- 2>&-; exec sleep 1000");
  request.limit = 200ms;
  const auto result = value_or_throw(run_process(request));
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
}

TEST(Process, the_exit_code_of_a_process_that_closed_its_outputs_comes_back) {
  auto request = shell("exec >&- 2>&-; exit 5");
  request.limit = 60s;
  const auto result = value_or_throw(run_process(request));
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_code, 5);
}

TEST(Process, a_short_process_is_not_touched_by_the_bound) {
  auto request = shell("echo done");
  request.limit = 60s;
  const auto result = value_or_throw(run_process(request));
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output, "done\n");
}

TEST(Process, inherits_no_file_of_this_process) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-process"));
  const auto file = value_or_throw(AtomicFile::create(folder.path() / "open"));
  const auto result = value_or_throw(run_process(shell("ls -l /proc/$$/fd")));
  EXPECT_EQ(result.output.find(folder.path().string()), std::string::npos) << result.output;
}

TEST(Process, the_bound_holds_for_one_that_never_stops_writing) {
  ProcessRequest request;
  request.program = "/usr/bin/yes";
  request.limit = 200ms;
  request.output_limit = 1000;
  const auto result = value_or_throw(run_process(request));
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.output.size(), 1000u);
}

TEST(Process, its_end_is_not_that_of_a_grandchild_that_holds_the_outputs) {
  auto request = shell("sleep 1000 & echo $!; exit 6");
  request.limit = 600s;
  const auto result = value_or_throw(run_process(request));
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_code, 6);
  const pid_t grandchild = std::atoi(result.output.c_str());
  ASSERT_GT(grandchild, 0);
  while (is_alive(grandchild)) std::this_thread::yield();
}

TEST(Process, one_that_says_what_is_expected_runs_to_its_end) {
  auto request = shell("printf hel; printf 'lo\\nmore'; exit 3");
  request.greeting = "hello\n";
  request.greeting_limit = 60s;
  const auto result = value_or_throw(run_process(request));
  EXPECT_EQ(result.not_expected, "");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.output, "hello\nmore");
}

TEST(Process, another_program_than_the_expected_is_ended_and_told) {
  const auto not_expected = [](const char* script, std::chrono::milliseconds bound) {
    auto request = shell(script);
    request.greeting = "hello\n";
    request.greeting_limit = bound;
    return value_or_throw(run_process(request)).not_expected;
  };
  EXPECT_EQ(not_expected("exit 3", 60s), "it ended with exit code 3");
  EXPECT_EQ(not_expected("printf hel; exit 0", 60s), "it ended with exit code 0");
  EXPECT_EQ(not_expected("printf '\\033hela'; exec sleep 1000", 60s),
            "its output begins with '\\x1bhela'");
  EXPECT_EQ(not_expected("exec yes", 60s), "its output begins with 'y\\ny\\ny\\n'");
  EXPECT_EQ(not_expected("exec sleep 1000", 100ms), "it said nothing for 0.1 s");
  EXPECT_EQ(not_expected("exec cat", 100ms), "it said nothing for 0.1 s");
  EXPECT_EQ(not_expected("kill -SEGV $$", 60s), "") << "how it ended says more";
}

int end_of(const ChildProcess& child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child.pid, &status, 0), child.pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Process, one_that_goes_on_has_what_it_inherits_and_a_group_of_its_own) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const FileDescriptor ours(ends[0]);
  FileDescriptor theirs(ends[1]);
  const auto child = value_or_throw(
      start_process(shell("echo $$ $(cut -d' ' -f5 /proc/$$/stat) >&3; exit 4"), ends[1]));
  theirs.reset();
  char text[64] = {};
  ASSERT_GT(::read(ours.get(), text, sizeof text - 1), 0);
  EXPECT_EQ(text, fmt::format("{0} {0}\n", child.pid));
  EXPECT_EQ(end_of(child), 4);
}

TEST(Process, one_that_goes_on_hears_the_end_of_its_parent) {
  const FileDescriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  auto child = value_or_throw(start_process(shell("read line; exit 9"), nothing.get()));
  child.input.reset();
  EXPECT_EQ(end_of(child), 9);
}

TEST(Process, one_that_goes_on_has_no_other_file_of_this_process) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-process"));
  const auto file = value_or_throw(AtomicFile::create(folder.path() / "open"));
  const FileDescriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  auto request = shell("! ls -l /proc/$$/fd | grep -q " + folder.path().string());
  EXPECT_EQ(end_of(value_or_throw(start_process(request, nothing.get()))), 0);
}

TEST(Process, one_that_goes_on_and_is_not_there_is_an_error) {
  ProcessRequest request;
  request.program = "/no/such/program";
  const FileDescriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const auto child = start_process(request, nothing.get());
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code(), Errc::not_found);
}

}  // namespace
}  // namespace kiln
