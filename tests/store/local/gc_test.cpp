// What goes when a store is too large, what goes first, and that its users do not notice.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "store/support.hpp"

namespace kiln {
namespace {

using namespace testing;

constexpr const char* old_driver = "PoCL|OpenCL 3.0|cpu-zen|OpenCL 3.0 A|3.0|64";
constexpr const char* new_driver = "PoCL|OpenCL 3.0|cpu-zen|OpenCL 3.0 A|3.1|64";
constexpr const char* absent_device = "PoCL|OpenCL 3.0|cpu-rome|OpenCL 3.0 A|3.0|64";

struct GcTest : ::testing::Test {
  TestFolder folder{TestFolder::Place::memory};
  LocalStore store{folder.store()};

  /// Entry `number` with a content of its own.
  void put(int number, std::size_t size, double cost, const std::string& fingerprint = "") {
    put_content(number, content_of(number, 0, size), cost, fingerprint);
  }
  void put_content(int number, const Bytes& content, double cost,
                   const std::string& fingerprint = "") {
    const Sample sample(number);
    const Metadata metadata{1, "", fingerprint, cost};
    const auto done = store.put(Kind::artifact, sample.key, sample.canonical, content, metadata);
    ASSERT_TRUE(done) << done.error().message();
  }
  bool has(int number) {
    const Sample sample(number);
    return store.get(Kind::artifact, sample.key, sample.canonical).entry.has_value();
  }
  GcReport gc(std::uint64_t max_bytes, const StaleDevices& devices = {}, bool dry_run = false) {
    return value_or_throw(store.gc({max_bytes, dry_run}, devices));
  }
};

constexpr std::uint64_t no_limit = ~std::uint64_t{0};

TEST_F(GcTest, nothing_goes_from_a_store_that_is_small_enough) {
  for (int i = 0; i < 20; ++i) put(i, 20'000, 1);
  const auto report = gc(no_limit);
  EXPECT_EQ(report.evicted + report.stale + report.damaged + report.files, 0u);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(has(i));
}

TEST_F(GcTest, the_least_seconds_per_byte_go_first_and_no_more_than_need_to) {
  for (int i = 0; i < 40; ++i) put(i, 20'000, i % 2 == 0 ? 0.01 : 5.0);
  const auto report = gc(20 * 21'000 + 40'000);
  EXPECT_LE(report.bytes_after, 20u * 21'000 + 40'000);
  for (int i = 1; i < 40; i += 2) EXPECT_TRUE(has(i)) << i;
  EXPECT_GE(report.evicted, 18u);
  EXPECT_LE(report.evicted, 20u);
}

TEST_F(GcTest, what_was_used_stays_before_what_was_not) {
  for (int i = 0; i < 20; ++i) put(i, 20'000, 1);
  for (int round = 0; round < 5; ++round)
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(has(i));
  // Written along with the last put of a full log, or at the end of the process.
  { LocalStore other(folder.store()); }
  for (int i = 100; i < 360; ++i) {
    put(i, 10, 1e-9);
    ASSERT_TRUE(has(i));
  }
  put(400, 10, 1e-9);
  gc(6 * 21'000 + 100'000);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(has(i)) << i;
  int left = 0;
  for (int i = 5; i < 20; ++i) left += has(i);
  EXPECT_LT(left, 10);
}

TEST_F(GcTest, entries_of_another_driver_version_go_whatever_the_size) {
  put(1, 100, 1, old_driver);
  put(2, 100, 1, new_driver);
  put(3, 100, 1, absent_device);
  put(4, 100, 1, "");
  const auto report = gc(no_limit, StaleDevices({new_driver}));
  EXPECT_EQ(report.stale, 1u);
  EXPECT_FALSE(has(1));
  EXPECT_TRUE(has(2));
  EXPECT_TRUE(has(3)) << "a device that is not here may come back";
  EXPECT_TRUE(has(4));
}

TEST_F(GcTest, a_dry_run_tells_the_same_and_removes_nothing) {
  for (int i = 0; i < 30; ++i) put(i, 20'000, 1 + i);
  put(30, 100, 1, old_driver);
  const auto planned = gc(300'000, StaleDevices({new_driver}), true);
  for (int i = 0; i < 31; ++i) EXPECT_TRUE(has(i));
  const auto done = gc(300'000, StaleDevices({new_driver}));
  EXPECT_EQ(planned.stale, 1u);
  EXPECT_EQ(planned.evicted, done.evicted);
  EXPECT_GT(done.evicted, 10u);
}

TEST_F(GcTest, a_shared_file_stays_until_its_last_entry_goes) {
  const Bytes shared = content_of(7, 7, 50'000);
  put_content(1, shared, 100);
  put_content(2, shared, 0.001);
  for (int i = 10; i < 20; ++i) put(i, 50'000, 1);
  gc(300'000);
  EXPECT_TRUE(has(1));
  EXPECT_EQ(value_or_throw(store.stats()).file_bytes % 50'000, 0u);
  gc(0);
  const auto stats = value_or_throw(store.stats());
  EXPECT_EQ(stats.files, 0u);
  EXPECT_EQ(stats.artifacts.entries, 0u);
}

TEST_F(GcTest, the_database_file_becomes_smaller_too) {
  for (int i = 0; i < 400; ++i) put(i, 4'000, 1);
  const auto before = std::filesystem::file_size(store.database_path());
  gc(100'000);
  EXPECT_LT(std::filesystem::file_size(store.database_path()), before / 4);
}

TEST_F(GcTest, files_that_nothing_refers_to_go) {
  put(1, 20'000, 1);
  const auto blobs = folder.store() + "/blobs";
  const auto shelf = std::filesystem::directory_iterator(blobs)->path();
  const std::string rubbish = shelf.string() + "/" + std::string(62, '0');
  ASSERT_TRUE(write_file(rubbish, content_of(1, 1, 1000)));
  const auto report = gc(no_limit);
  EXPECT_EQ(report.files, 1u);
  EXPECT_EQ(report.file_bytes, 1000u);
  EXPECT_FALSE(std::filesystem::exists(rubbish));
  EXPECT_TRUE(has(1));
}

TEST_F(GcTest, nothing_is_written_where_a_link_leads) {
  namespace fs = std::filesystem;
  put(1, 100, 1);
  const auto other = value_or_throw(TemporaryFolder::create("kiln-not-a-store"));
  fs::remove_all(folder.store() + "/blobs");
  fs::create_directory_symlink(other.path(), folder.store() + "/blobs");
  const Sample large(2);
  const auto done =
      store.put(Kind::artifact, large.key, large.canonical, content_of(2, 1, 20'000), {});
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message().find("is a link"), std::string::npos) << done.error().message();
  EXPECT_TRUE(fs::is_empty(other.path()));
}

TEST_F(GcTest, reservations_of_dead_makers_go_and_those_of_living_ones_stay) {
  put(1, 100, 1);
  const Sample living(1), dead(2);
  const auto held = store.reserve(living.key, std::chrono::milliseconds(0));
  ASSERT_TRUE(held.held());
  const auto making = folder.store() + "/making/";
  ASSERT_TRUE(write_file(making + dead.key.hex(), {}));
  EXPECT_EQ(gc(no_limit).files, 1u);
  EXPECT_FALSE(std::filesystem::exists(making + dead.key.hex()));
  EXPECT_TRUE(std::filesystem::exists(making + living.key.hex()));
  EXPECT_FALSE(store.reserve(living.key, std::chrono::milliseconds(0)).held());
}

TEST_F(GcTest, reservations_are_looked_for_in_no_folder_that_a_link_leads_to) {
  namespace fs = std::filesystem;
  put(1, 100, 1);
  const auto other = value_or_throw(TemporaryFolder::create("kiln-not-a-store"));
  const auto file = other.path() / std::string(64, '1');
  ASSERT_TRUE(write_file(file, {}));
  fs::create_directory_symlink(other.path(), folder.store() + "/making");
  EXPECT_EQ(gc(no_limit).files, 0u);
  EXPECT_TRUE(fs::exists(file));
  fs::remove(folder.store() + "/making");
  fs::create_directory(folder.store() + "/making");
  ASSERT_TRUE(write_file(folder.store() + "/making/notes", {}));
  EXPECT_EQ(gc(no_limit).files, 0u) << "a name that no store gives";
}

TEST_F(GcTest, the_size_is_the_sum_of_rows_and_distinct_files) {
  const Bytes shared = content_of(7, 7, 50'000);
  put_content(1, shared, 1);
  put_content(2, shared, 1);
  put(3, 30'000, 1);
  const auto with_three = value_or_throw(store.size());
  EXPECT_GE(with_three, 80'000u);
  EXPECT_LT(with_three, 130'000u);
  const Sample first(1), second(2);
  EXPECT_TRUE(value_or_throw(store.remove(Kind::artifact, first.key)));
  EXPECT_GT(value_or_throw(store.size()), 79'000u);
  EXPECT_TRUE(value_or_throw(store.remove(Kind::artifact, second.key)));
  EXPECT_EQ(value_or_throw(store.size()) + 50'000, with_three);
}

TEST_F(GcTest, a_limited_store_stays_within_it_by_itself) {
  store.set_limit(1'000'000);
  for (int i = 0; i < 300; ++i) {
    put(i, 20'000, i % 10 == 0 ? 50 : 0.01);
    ASSERT_LE(value_or_throw(store.size()), 1'000'000u) << i;
  }
  int dear = 0, cheap = 0;
  for (int i = 0; i < 300; ++i) (i % 10 == 0 ? dear : cheap) += has(i);
  EXPECT_GE(dear, 25) << "of 30 that cost much";
  EXPECT_GT(dear + cheap, 40) << "no more than needed may go";
}

TEST_F(GcTest, readers_and_writers_go_on_while_it_runs) {
  for (int i = 0; i < 300; ++i) put(i, 12'000, 1);
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0}, kept{0};
  std::vector<std::thread> users;
  for (int user = 0; user < 3; ++user)
    users.emplace_back([&, user] {
      LocalStore mine(folder.store());
      for (int step = 0; !stop || step < 50; ++step) {
        const int number = 1000 + user * 1000 + step % 40;
        const Sample sample(number);
        const Bytes content = content_of(number, 0, 9'000);
        if (!mine.put(Kind::artifact, sample.key, sample.canonical, content, {})) continue;
        ++kept;
        const auto got = mine.get(Kind::artifact, sample.key, sample.canonical);
        // It may be evicted at once; what is there is right.
        wrong += got.entry && got.entry->content != content;
        const Sample other(step % 300);
        const auto old = mine.get(Kind::artifact, other.key, other.canonical);
        wrong += old.entry && old.entry->content != content_of(step % 300, 0, 12'000);
      }
    });
  for (int round = 0; round < 20; ++round) {
    const auto report = store.gc({.max_bytes = 400'000});
    EXPECT_TRUE(report) << report.error().message();
  }
  stop = true;
  for (auto& user : users) user.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(kept, 100);
  // Whatever was interleaved: files and rows agree.
  gc(no_limit);
  const auto stats = value_or_throw(store.stats());
  std::uint64_t in_files = 0;
  for (const auto& entry : value_or_throw(store.list())) in_files += entry.in_file;
  EXPECT_EQ(stats.files, in_files);
  EXPECT_EQ(stats.damaged_rows, 0u);
}

}  // namespace
}  // namespace kiln
