// Several processes, and several threads, on one store at once.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "store/support.hpp"

namespace kiln {
namespace {

using namespace testing;

constexpr int processes = 8;

/// Runs `body(number)` in eight processes that start together; true if all returned 0.
template <class Body>
void run_together(const Body& body) {
  SharedPage<std::atomic<int>> waiting;
  *waiting.operator->() = 0;
  std::vector<pid_t> children;
  for (int number = 0; number < processes; ++number) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      ++*waiting.operator->();
      while (*waiting.operator->() < processes) std::this_thread::yield();
      ::_exit(body(number));
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0) << "exit code " << WEXITSTATUS(status);
  }
}

std::optional<Entry> next_shared_count(const std::optional<Entry>& present) {
  Bytes next;
  append_le(next, 1 + (present ? load_le<std::int64_t>(present->content.data()) : 0));
  return Entry{next, {}};
}

std::int64_t count_in(const std::string& folder) {
  const Sample counter(0);
  const auto answer = LocalStore(folder).get(Kind::record, counter.key, counter.canonical);
  return answer.entry ? load_le<std::int64_t>(answer.entry->content.data()) : -1;
}

TEST(StoreProcesses, no_update_of_eight_processes_is_lost) {
  const TestFolder folder;
  SharedPage<std::atomic<std::int64_t>> acknowledged;
  run_together([&](int) {
    LocalStore store(folder.store());
    const Sample counter(0);
    for (int i = 0; i < 100; ++i)
      if (store.update(Kind::record, counter.key, counter.canonical, next_shared_count))
        ++*acknowledged.operator->();
    return 0;
  });
  EXPECT_GT(*acknowledged.operator->(), 0);
  EXPECT_EQ(count_in(folder.store()), *acknowledged.operator->());
}

/// One step of a mix of puts and gets on five entries; 0, or which rule was broken.
int mixed_step(LocalStore& store, int number, int step) {
  static constexpr std::size_t sizes[] = {10, 5000, 9000, 50'000};
  const int entry = (number * 3 + step) % 5;
  const Sample sample(entry);
  Metadata metadata;
  metadata.schema = static_cast<std::uint32_t>(number * 1000 + step);
  if (step % 3 == 0) {
    const auto content =
        content_of(entry, static_cast<int>(metadata.schema), sizes[metadata.schema % 4]);
    const auto done = store.put(Kind::artifact, sample.key, sample.canonical, content, metadata);
    return done || done.error().code() == Errc::timeout ? 0 : 1;
  }
  const auto answer = store.get(Kind::artifact, sample.key, sample.canonical);
  if (!answer.entry)
    return answer.reason == "no entry" || answer.reason.starts_with("store busy") ? 0 : 2;
  const auto version = answer.entry->metadata.schema;
  return answer.entry->content == content_of(entry, static_cast<int>(version), sizes[version % 4])
             ? 0
             : 3;
}

TEST(StoreProcesses, a_mix_of_puts_and_gets_gives_only_whole_entries) {
  const TestFolder folder;
  run_together([&](int number) {
    LocalStore store(folder.store());
    for (int step = 0; step < 90; ++step)
      if (const int broken = mixed_step(store, number, step); broken != 0) return broken;
    return 0;
  });
  LocalStore store(folder.store());
  const auto stats = value_or_throw(store.stats());
  EXPECT_EQ(stats.artifacts.entries, 5u);
  EXPECT_LE(stats.files, 5u) << "replaced contents have left files";
}

TEST(StoreProcesses, threads_share_one_store_object) {
  const TestFolder folder;
  LocalStore store(folder.store());
  std::atomic<int> broken{0};
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&, number] {
      for (int step = 0; step < 60; ++step)
        if (const int rule = mixed_step(store, number, step); rule != 0) broken = rule;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(broken, 0);
}

TEST(StoreProcesses, eight_that_find_the_database_damaged_begin_one_new_one) {
  const TestFolder folder;
  std::filesystem::create_directory(folder.store());
  ASSERT_TRUE(write_file(folder.store() + "/store.db", Bytes(8192, std::byte{'x'})));
  run_together([&](int number) {
    LocalStore store(folder.store());
    const Sample sample(number);
    if (store.get(Kind::record, sample.key, sample.canonical).entry) return 1;
    return store.put(Kind::record, sample.key, sample.canonical, content_of(number, 0, 99), {}) ? 0
                                                                                                : 2;
  });
  LocalStore store(folder.store());
  for (int number = 0; number < processes; ++number) {
    const Sample sample(number);
    const auto answer = store.get(Kind::record, sample.key, sample.canonical);
    ASSERT_TRUE(answer.entry) << number << ": " << answer.reason;
    EXPECT_EQ(answer.entry->content, content_of(number, 0, 99));
  }
  EXPECT_EQ(value_or_throw(store.stats()).set_aside, 1u);
}

}  // namespace
}  // namespace kiln
