// The database is replaced under an open store, and one that holds thousands of tiny entries.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "store/local/local_store.hpp"
#include "store/pack.hpp"
#include "store/support.hpp"

namespace kiln {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

/// A store with entries 1 to 40 in version 1; next to it one with 21 to 60 in version 2.
struct ReplacedTest : ::testing::Test {
  TestFolder folder;
  const std::string other = folder.folder.path() / "other";
  const std::string database = folder.store() + "/store.db";

  static std::size_t size_of(int number) { return number % 3 == 0 ? 20'000 : 200; }
  static void fill(const std::string& where, int first, int version) {
    LocalStore store(where);
    for (int number = first; number < first + 40; ++number) {
      const Sample sample(number);
      value_or_throw(store.put(Kind::artifact, sample.key, sample.canonical,
                               content_of(number, version, size_of(number)), {}));
    }
  }
  void SetUp() override {
    fill(folder.store(), 1, 1);
    fill(other, 21, 2);
    for (const auto& shelf : names_in(other + "/blobs"))
      fs::copy(other + "/blobs/" + shelf, folder.store() + "/blobs/" + shelf,
               fs::copy_options::recursive | fs::copy_options::skip_existing);
  }
  /// Looks up all, and puts one in between; every answer is of one of the versions, or a miss.
  void expect_right_or_missing(LocalStore& store) const {
    for (int number = 1; number <= 60; ++number) {
      const Sample sample(number);
      const auto found = store.get(Kind::artifact, sample.key, sample.canonical);
      if (found.entry)
        EXPECT_TRUE(found.entry->content == content_of(number, 1, size_of(number)) ||
                    found.entry->content == content_of(number, 2, size_of(number)))
            << number;
      else
        EXPECT_NE(found.reason, "") << number;
    }
  }
  void expect_usable(LocalStore& store) const {
    const Sample sample(99);
    const auto put =
        store.put(Kind::artifact, sample.key, sample.canonical, content_of(99, 1, 500), {});
    ASSERT_TRUE(put) << put.error().message();
    EXPECT_EQ(store.get(Kind::artifact, sample.key, sample.canonical).entry->content,
              content_of(99, 1, 500));
    LocalStore afterwards(folder.store());
    EXPECT_TRUE(afterwards.get(Kind::artifact, sample.key, sample.canonical).entry);
  }
};

TEST_F(ReplacedTest, by_another_one_under_its_name) {
  LocalStore store(folder.store());
  expect_right_or_missing(store);
  fs::rename(other + "/store.db", database);
  expect_right_or_missing(store);
  const Sample gone(1), there(60);
  EXPECT_FALSE(store.get(Kind::artifact, gone.key, gone.canonical).entry);
  EXPECT_TRUE(store.get(Kind::artifact, there.key, there.canonical).entry);
  expect_usable(store);
}

TEST_F(ReplacedTest, by_another_ones_bytes_in_the_same_file) {
  // What cp does. Nothing tells SQLite: pages that it knows and pages of the other file meet.
  const Bytes bytes = value_or_throw(read_file(other + "/store.db"));
  for (const std::size_t part : {bytes.size(), bytes.size() / 2, std::size_t{4096}}) {
    LocalStore store(folder.store());
    expect_right_or_missing(store);
    const FileDescriptor file(::open(database.c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(::pwrite(file.get(), bytes.data(), part, 0), static_cast<ssize_t>(part));
    ASSERT_EQ(::ftruncate(file.get(), static_cast<off_t>(part)), 0);
    const LogLines log;
    expect_right_or_missing(store);
    expect_usable(store);
  }
}

TEST_F(ReplacedTest, by_nothing_by_a_folder_and_by_what_is_no_database) {
  LocalStore store(folder.store());
  expect_right_or_missing(store);
  fs::remove(database);
  expect_right_or_missing(store);
  expect_usable(store);
  fs::remove(database);
  fs::create_directory(database);
  {
    const LogLines log;
    expect_right_or_missing(store);
    const Sample sample(1);
    EXPECT_FALSE(store.put(Kind::artifact, sample.key, sample.canonical, {}, {}));
  }
  fs::remove(database);
  ASSERT_TRUE(write_file(database, Bytes(50'000, std::byte{'x'}), 0600));
  const LogLines log;
  expect_right_or_missing(store);
  expect_usable(store);
}

TEST_F(ReplacedTest, by_one_of_another_user) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  LocalStore store(folder.store());
  expect_right_or_missing(store);
  fs::rename(other + "/store.db", database);
  ASSERT_EQ(::chown(database.c_str(), 12345, 12345), 0);
  const LogLines log;
  const Sample sample(60);
  EXPECT_THAT(store.get(Kind::artifact, sample.key, sample.canonical).reason,
              HasSubstr("belongs to another user"));
}

TEST_F(ReplacedTest, with_a_journal_that_would_roll_another_file_back) {
  // A hot journal of the other database, next to this one: SQLite plays it back into it.
  Bytes journal(512 + 8 + 4096);
  const unsigned char magic[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, 0, 0, 0, 1};
  std::memcpy(journal.data(), magic, sizeof magic);
  const unsigned char rest[] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 16, 0};
  std::memcpy(journal.data() + 12, rest, sizeof rest);
  LocalStore store(folder.store());
  expect_right_or_missing(store);
  ASSERT_TRUE(write_file(database + "-journal", journal, 0600));
  const LogLines log;
  expect_right_or_missing(store);
  expect_usable(store);
}

TEST(TinyEntries, thousands_are_kept_listed_checked_packed_and_evicted) {
  const TestFolder folder(TestFolder::Place::memory);
  const int count = number_from_environment("KILN_TINY_ENTRIES", 1500);
  LocalStore store(folder.store());
  for (int number = 0; number < count; ++number) {
    const Sample sample(number);
    ASSERT_TRUE(store.put(Kind::record, sample.key, sample.canonical, content_of(number, 0, 3),
                          {1, "tiny", "", 0.001}));
  }
  for (int number = 0; number < count; ++number) {
    const Sample sample(number);
    const auto found = store.get(Kind::record, sample.key, sample.canonical);
    ASSERT_TRUE(found.entry && found.entry->content == content_of(number, 0, 3)) << number;
  }
  EXPECT_EQ(value_or_throw(store.list()).size(), static_cast<std::size_t>(count));
  const auto check = value_or_throw(check_store(store));
  EXPECT_EQ(check.entries, static_cast<std::uint64_t>(count));
  EXPECT_EQ(check.fault_count(), 0u);
  const auto pack = value_or_throw(export_pack(
      store, [](const EntryInfo&) { return true; }, nullptr));
  LocalStore second(folder.folder.path() / "second");
  std::size_t imported = 0;
  ASSERT_TRUE(import_pack(second, value_or_throw(read_pack(pack.pack)), {}, ImportMode::write,
                          [&](const PackEntry&, ImportOutcome outcome, const std::string&) {
                            imported += outcome == ImportOutcome::imported;
                          }));
  EXPECT_EQ(imported, static_cast<std::size_t>(count));
  GcOptions options;
  options.max_bytes = 100'000;
  options.dry_run = true;
  const auto planned = value_or_throw(store.gc(options));
  EXPECT_EQ(value_or_throw(store.list()).size(), static_cast<std::size_t>(count));
  options.dry_run = false;
  const auto done = value_or_throw(store.gc(options));
  // How little small rows free is known when they are gone.
  EXPECT_LE(planned.evicted, done.evicted);
  EXPECT_GT(planned.evicted, 0u);
  EXPECT_LE(value_or_throw(store.size()), 100'000u);
  EXPECT_FALSE(value_or_throw(store.list()).empty());
}

}  // namespace
}  // namespace kiln
