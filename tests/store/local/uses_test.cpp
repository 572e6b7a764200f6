// Which entries were used how often: counted in memory, written in batches.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "store/support.hpp"

namespace kiln {
namespace {

using namespace testing;

struct UsesTest : ::testing::Test {
  TestFolder folder;
  Sample a{1}, b{2};

  void SetUp() override {
    LocalStore store(folder.store());
    ASSERT_TRUE(store.put(Kind::artifact, a.key, a.canonical, content_of(1, 1, 100), {}));
    ASSERT_TRUE(store.put(Kind::artifact, b.key, b.canonical, content_of(2, 1, 30'000), {}));
  }
  EntryInfo info(const Sample& sample) const {
    for (const auto& entry : value_or_throw(LocalStore(folder.store()).list()))
      if (entry.key == sample.key) return entry;
    ADD_FAILURE() << "no such entry";
    return {};
  }
  static bool hit(LocalStore& store, const Sample& sample) {
    return store.get(Kind::artifact, sample.key, sample.canonical).entry.has_value();
  }
};

TEST_F(UsesTest, hits_and_the_time_of_the_last_are_written_when_the_store_is_closed) {
  EXPECT_EQ(info(a).hits, 0u);
  EXPECT_EQ(info(a).last_used, 0);
  for (int round = 0; round < 2; ++round) {
    LocalStore store(folder.store());
    for (int hits = 0; hits < 3; ++hits) EXPECT_TRUE(hit(store, a));
  }
  EXPECT_EQ(info(a).hits, 6u);
  EXPECT_GE(info(a).last_used, info(a).created);
  EXPECT_EQ(info(b).hits, 0u);
}

TEST_F(UsesTest, a_miss_counts_nothing) {
  {
    LocalStore store(folder.store());
    EXPECT_FALSE(store.get(Kind::plan, a.key, a.canonical).entry);
    EXPECT_FALSE(store.get(Kind::artifact, a.key, b.canonical).entry);
  }
  EXPECT_EQ(info(a).hits, 0u);
}

TEST_F(UsesTest, a_hit_writes_nothing_by_itself) {
  LocalStore store(folder.store());
  const auto before = value_or_throw(read_file(store.database_path()));
  for (int hits = 0; hits < 1000; ++hits) ASSERT_TRUE(hit(store, a));
  EXPECT_EQ(value_or_throw(read_file(store.database_path())), before);
}

TEST_F(UsesTest, many_are_written_beside_a_put) {
  LocalStore store(folder.store());
  std::vector<Sample> samples;
  for (int number = 10; number < 300; ++number) {
    samples.emplace_back(number);
    const auto& one = samples.back();
    ASSERT_TRUE(store.put(Kind::artifact, one.key, one.canonical, content_of(1, 1, 10), {}));
  }
  for (const auto& sample : samples) ASSERT_TRUE(hit(store, sample));
  EXPECT_EQ(info(samples[0]).hits, 0u);
  ASSERT_TRUE(store.put(Kind::plan, a.key, a.canonical, content_of(1, 1, 10), {}));
  EXPECT_EQ(info(samples[0]).hits, 1u);
}

TEST_F(UsesTest, replacing_an_entry_keeps_its_history_and_removing_it_does_not) {
  {
    LocalStore store(folder.store());
    EXPECT_TRUE(hit(store, a));
  }
  LocalStore store(folder.store());
  ASSERT_TRUE(store.put(Kind::artifact, a.key, a.canonical, content_of(1, 2, 100), {}));
  EXPECT_EQ(info(a).hits, 1u);
  ASSERT_TRUE(value_or_throw(store.remove(Kind::artifact, a.key)));
  ASSERT_TRUE(store.put(Kind::artifact, a.key, a.canonical, content_of(1, 2, 100), {}));
  EXPECT_EQ(info(a).hits, 0u);
}

TEST_F(UsesTest, hits_of_many_threads_are_all_counted) {
  {
    LocalStore store(folder.store());
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&] {
        for (int hits = 0; hits < 50; ++hits) EXPECT_TRUE(hit(store, b));
      });
  }
  EXPECT_EQ(info(b).hits, 200u);
}

TEST_F(UsesTest, a_forked_child_does_not_count_its_parents_hits_again) {
  {
    LocalStore store(folder.store());
    EXPECT_TRUE(hit(store, a));
    const auto end = run_child([&] {
      const bool found = hit(store, b);
      store.~LocalStore();
      return found ? 0 : 1;
    });
    EXPECT_EQ(end.exit_code, 0);
  }
  EXPECT_EQ(info(a).hits, 1u);
  EXPECT_EQ(info(b).hits, 1u);
}

TEST_F(UsesTest, a_removed_store_is_not_made_anew_for_them) {
  LogLines log;
  {
    LocalStore store(folder.store());
    EXPECT_TRUE(hit(store, a));
    std::filesystem::remove_all(folder.store());
  }
  EXPECT_FALSE(std::filesystem::exists(folder.store()));
  EXPECT_THAT(log.lines(), ::testing::IsEmpty());
}

TEST_F(UsesTest, a_locked_store_keeps_nobody_waiting_at_the_end) {
  LogLines log;
  LocalStore other(folder.store());
  // The other is inside a transaction while this one closes; its destructor must come back.
  ASSERT_TRUE(other.update(Kind::record, a.key, a.canonical,
                           [&](const std::optional<Entry>&) -> std::optional<Entry> {
                             LocalStore store(folder.store());
                             EXPECT_TRUE(hit(store, a));
                             return Entry{content_of(1, 1, 10), {}};
                           }));
  EXPECT_THAT(log.lines(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace kiln
