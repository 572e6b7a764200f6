// The record of a process: this program starts itself with KILN_RECORD, and looks at the file.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "base/os/file.hpp"
#include "base/os/process.hpp"
#include "kernel/calls/recorded_call.hpp"

namespace kiln {
namespace {

constexpr const char* part_variable = "KILN_TEST_CALL_LOG_PART";

CallCounter& counter() {
  RecordedCall call;
  call.kind = "blas", call.name = "saxpy", call.bytes = 1;
  return *CallLog::process()->counter(call);
}

off_t size_of_record() {
  struct stat file {};
  return ::stat(std::getenv("KILN_RECORD"), &file) == 0 ? file.st_size : 0;
}

void wait_until_larger(off_t size) {
  while (size_of_record() <= size) std::this_thread::yield();
}

/// What the started program does.
void play(std::string_view part) {
  counter().add_call(1);
  if (part == "ends") return;
  if (part == "is killed") {
    wait_until_larger(0);
    const auto before = size_of_record();
    counter().add_call(1);
    wait_until_larger(before);
    ::kill(::getpid(), SIGKILL);
  }
  if (part == "forks") {
    const pid_t child = ::fork();
    if (child == 0) {
      counter().add_call(1);
      std::exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    counter().add_call(1);
  }
  if (part == "changes folder") std::filesystem::current_path("/");
}

TEST(CallLogPart, is_played_where_it_is_asked_for) {
  const char* const part = std::getenv(part_variable);
  if (part == nullptr) GTEST_SKIP() << "for the tests below";
  play(part);
}

struct Recorded {
  ProcessResult result;
  std::uint64_t count = 0;
};
Recorded recorded(const std::string& part, const std::string& name = "") {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-calls"));
  const auto file = folder.path() / "calls.jsonl";
  ProcessRequest child;
  child.program = std::filesystem::canonical("/proc/self/exe");
  child.arguments = {"--gtest_filter=CallLogPart.*"};
  child.environment = {{"KILN_RECORD", name.empty() ? file.string() : name}, {part_variable, part}};
  child.folder = folder.path();
  Recorded run{value_or_throw(run_process(child)), 0};
  if (const auto calls = read_calls(file))
    for (const auto& call : calls->calls) run.count += call.count;
  return run;
}

TEST(CallLogProcess, is_written_at_the_end) {
  const auto run = recorded("ends");
  EXPECT_EQ(run.result.exit_code, 0) << run.result.output;
  EXPECT_EQ(run.count, 1u);
}

TEST(CallLogProcess, is_written_while_it_runs) {
  const auto run = recorded("is killed");
  EXPECT_EQ(run.result.signal, SIGKILL);
  EXPECT_EQ(run.count, 2u);
}

TEST(CallLogProcess, a_child_of_fork_has_its_own_calls_and_no_others) {
  const auto run = recorded("forks");
  EXPECT_EQ(run.result.exit_code, 0) << run.result.output;
  EXPECT_EQ(run.count, 3u);
}

TEST(CallLogProcess, a_relative_name_stays_where_it_was_at_the_first_call) {
  const auto run = recorded("changes folder", "calls.jsonl");
  EXPECT_EQ(run.result.exit_code, 0) << run.result.output;
  EXPECT_EQ(run.count, 1u);
}

}  // namespace
}  // namespace kiln
