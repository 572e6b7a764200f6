// A writer that is killed at every system call that changes a file, once before it and once after.
// What it had acknowledged is there afterwards, and nothing that is there is wrong.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <set>

#include "store/local/local_store.hpp"
#include "store/support.hpp"

namespace kiln {
namespace {

using namespace testing;

constexpr std::size_t small_entry = 300, large_entry = 20'000;

/// One step of the writer, and what is there once it is acknowledged.
struct Step {
  int entry, version;
  std::size_t size;  ///< 0: the entry is removed
};
// New and replaced, in the row and in a file, from one to the other, shared, removed.
constexpr Step steps[] = {{1, 1, small_entry}, {2, 1, large_entry}, {2, 2, large_entry},
                          {1, 2, large_entry}, {3, 1, small_entry}, {2, 3, small_entry},
                          {1, 2, 0},           {4, 1, large_entry}};

bool take(LocalStore& store, const Step& step) {
  const Sample sample(step.entry);
  if (step.size == 0)
    return store.remove(Kind::artifact, sample.key).value_or(false) && store.gc({}).has_value();
  return store
      .put(Kind::artifact, sample.key, sample.canonical,
           content_of(step.entry, step.version, step.size), {})
      .has_value();
}

/// The traced writer: a byte down the pipe for each step that the store acknowledged.
[[noreturn]] void write_steps(const std::string& folder, int pipe) {
  ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  ::raise(SIGSTOP);
  {
    LocalStore store(folder);
    for (const Step& step : steps) {
      if (!take(store, step)) ::_exit(1);
      if (::write(pipe, "", 1) != 1) ::_exit(2);
    }
  }
  ::_exit(0);
}

bool changes_files(std::uint64_t call) {
  static const std::set<std::uint64_t> calls{
#ifdef SYS_open
      SYS_open,     SYS_rename,  SYS_unlink,    SYS_mkdir,
#endif
      SYS_openat,   SYS_write,   SYS_pwrite64,  SYS_writev,    SYS_renameat, SYS_renameat2,
      SYS_unlinkat, SYS_mkdirat, SYS_ftruncate, SYS_fallocate, SYS_fsync,    SYS_fdatasync};
  return calls.contains(call);
}

struct Life {
  int acknowledged = 0;
  bool finished = false;  ///< there were fewer such calls
};

/// Kills the writer at the call of this number: before the system does it, or after.
Life run_until(const std::string& folder, int number, bool after) {
  int pipe[2];
  EXPECT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
  const pid_t pid = ::fork();
  if (pid == 0) write_steps(folder, pipe[1]);
  ::close(pipe[1]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFSTOPPED(status));
  ::ptrace(PTRACE_SETOPTIONS, pid, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  Life run;
  int count = 0;
  bool inside = false;
  for (;;) {
    ::ptrace(PTRACE_SYSCALL, pid, nullptr, nullptr);
    ::waitpid(pid, &status, 0);
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      run.finished = WIFEXITED(status);
      EXPECT_TRUE(!run.finished || WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
      break;
    }
    if (WSTOPSIG(status) != (SIGTRAP | 0x80)) continue;
    __ptrace_syscall_info call{};
    if (::ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof call, &call) <= 0) continue;
    const bool entry = call.op == PTRACE_SYSCALL_INFO_ENTRY;
    if (entry) inside = changes_files(call.entry.nr) && ++count == number;
    if (inside && entry != after) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, &status, 0);
      break;
    }
  }
  char byte = 0;
  while (::read(pipe[0], &byte, 1) == 1) ++run.acknowledged;
  ::close(pipe[0]);
  return run;
}

/// What is wrong in the store after so many acknowledged steps; one more may have happened.
std::string judge(const std::string& folder, int acknowledged) {
  LocalStore store(folder);
  for (int entry = 1; entry <= 4; ++entry) {
    const Step* last = nullptr;
    for (int i = 0; i < acknowledged; ++i)
      if (steps[i].entry == entry) last = &steps[i];
    const Step* next =
        acknowledged < static_cast<int>(std::size(steps)) && steps[acknowledged].entry == entry
            ? &steps[acknowledged]
            : nullptr;
    const Sample sample(entry);
    const Lookup found = store.get(Kind::artifact, sample.key, sample.canonical);
    const auto fits = [&](const Step* step) {
      const bool absent = step == nullptr || step->size == 0;
      if (absent || !found.entry) return absent && !found.entry;
      return found.entry->content == content_of(entry, step->version, step->size);
    };
    if (!fits(last) && !(next != nullptr && fits(next)))
      return "entry " + std::to_string(entry) + ": " +
             (found.entry ? "another content" : found.reason);
  }
  const auto check = check_store(store);
  if (!check) return check.error().message();
  if (check->damaged_rows > 0) return "damaged rows";
  // And it goes on: the next writer finds a store that works.
  const Sample sample(9);
  const auto put =
      store.put(Kind::artifact, sample.key, sample.canonical, content_of(9, 9, large_entry), {});
  if (!put) return put.error().message();
  if (!store.get(Kind::artifact, sample.key, sample.canonical).entry) return "not kept afterwards";
  return check->faults.empty() ? "" : check->faults.front().reason;
}

class CrashPoints : public ::testing::TestWithParam<bool> {};

TEST_P(CrashPoints, cost_nothing_that_was_acknowledged) {
  int kills = 0;
  for (int number = 1;; ++number) {
    const TestFolder folder(TestFolder::Place::memory);
    const Life run = run_until(folder.store(), number, GetParam());
    ASSERT_EQ(judge(folder.store(), run.acknowledged), "")
        << "killed " << (GetParam() ? "after" : "before") << " call " << number;
    if (run.finished) break;
    ++kills;
  }
  // Eight steps, of which each writes a database, most of them a file, too.
  EXPECT_GT(kills, 60);
  std::printf("%d kills\n", kills);
}

std::string name_of_moment(const ::testing::TestParamInfo<bool>& moment) {
  return moment.param ? "after" : "before";
}
INSTANTIATE_TEST_SUITE_P(Calls, CrashPoints, ::testing::Bool(), name_of_moment);

}  // namespace
}  // namespace kiln
