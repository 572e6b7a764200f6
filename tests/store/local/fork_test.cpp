// A process that forks keeps a working store on both sides, and nothing of it is open over the
// fork.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "store/support.hpp"

namespace kiln {
namespace {

using namespace testing;
using ::testing::HasSubstr;

#ifdef __SANITIZE_ADDRESS__
constexpr bool fork_beside_threads_works = false;
#else
constexpr bool fork_beside_threads_works = true;
#endif

/// AddressSanitizer's allocator keeps its locks over fork(): a child of a process with busy threads
/// may wait for one for ever, whatever this program does.
#define KILN_SKIP_WHERE_MALLOC_CANNOT_FORK() \
  if (!fork_beside_threads_works)            \
  GTEST_SKIP() << "AddressSanitizer's malloc does not survive a fork() while threads are busy"

struct ForkTest : ::testing::Test {
  TestFolder folder;
  LocalStore store{folder.store()};
  Sample a{1}, b{2};

  bool put(const Sample& sample, int version) {
    return store.put(Kind::record, sample.key, sample.canonical, content_of(0, version, 500), {})
        .has_value();
  }
  bool has(const Sample& sample, int version) {
    const auto answer = store.get(Kind::record, sample.key, sample.canonical);
    return answer.entry && answer.entry->content == content_of(0, version, 500);
  }
};

TEST_F(ForkTest, nothing_is_open_in_the_child_and_both_sides_go_on) {
  ASSERT_TRUE(put(a, 1));
  EXPECT_GT(open_files_below(folder.store()), 0) << "the test would show nothing";
  const auto end = run_child([&] {
    if (open_files_below(folder.store()) != 0) return 1;
    return has(a, 1) && put(b, 2) ? 0 : 2;
  });
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_TRUE(has(a, 1));
  EXPECT_TRUE(has(b, 2));
}

TEST_F(ForkTest, a_fork_beside_busy_threads_leaves_a_child_that_works) {
  KILN_SKIP_WHERE_MALLOC_CANNOT_FORK();
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int number = 0; number < 3; ++number)
    threads.emplace_back([&, number] {
      const Sample own(10 + number);
      while (!stop) (void)(put(own, 1) && has(own, 1));
    });
  int failed = 0;
  for (int round = 0; round < 30; ++round) {
    const auto end = run_child([&] {
      ::alarm(60);
      return put(a, round) && has(a, round) && open_files_below(folder.store()) > 0 ? 0 : 1;
    });
    failed += end.exit_code != 0;
  }
  stop = true;
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_TRUE(has(a, 29));
}

TEST_F(ForkTest, a_fork_inside_an_update_commits_once_in_the_parent) {
  ASSERT_TRUE(put(a, 1));
  pid_t child = -1;
  const auto done = store.update(Kind::record, a.key, a.canonical,
                                 [&](const std::optional<Entry>&) -> std::optional<Entry> {
                                   child = ::fork();
                                   return Entry{content_of(0, child == 0 ? 66 : 2, 500), {}};
                                 });
  if (child == 0) {
    // Here the update has not happened, and this copy of the store is of no more use.
    const bool refused = !done && done.error().message().find("forked") != std::string::npos;
    const auto later = store.get(Kind::record, a.key, a.canonical).reason;
    ::_exit(refused && later == "store unusable: the process was forked inside an update" ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(done);
  EXPECT_TRUE(has(a, 2));
}

TEST_F(ForkTest, a_child_made_without_the_c_library_opens_its_own_connection) {
  ASSERT_TRUE(put(a, 1));
  const auto child = static_cast<pid_t>(::syscall(SYS_fork));
  if (child == 0) ::_exit(has(a, 1) && put(b, 2) ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(has(b, 2));
}

TEST_F(ForkTest, stores_come_and_go_beside_forks) {
  KILN_SKIP_WHERE_MALLOC_CANNOT_FORK();
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) {
      LocalStore passing(folder.store());
      (void)passing.get(Kind::record, a.key, a.canonical);
    }
  });
  for (int round = 0; round < 100 && !HasFailure(); ++round)
    EXPECT_EQ(run_child([&] {
                ::alarm(60);  // a hang ends the test, not the build
                return put(a, round) ? 0 : 1;
              }).exit_code,
              0);
  stop = true;
  other.join();
}

}  // namespace
}  // namespace kiln
