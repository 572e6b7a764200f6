#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utime.h>

#include <filesystem>

#include "store/support.hpp"

namespace kiln {
namespace {

using namespace testing;

struct InspectTest : ::testing::Test {
  TestFolder folder;
  LocalStore store{folder.store()};
  Sample a{1}, b{2};

  void SetUp() override {
    const Metadata metadata{3, "a label", "a device", 0.5};
    ASSERT_TRUE(store.put(Kind::record, a.key, a.canonical, content_of(1, 1, 100), metadata));
    ASSERT_TRUE(store.put(Kind::artifact, b.key, b.canonical, content_of(2, 1, 30'000), {}));
  }
  std::string some_shelf() const {
    return folder.store() + "/blobs/" + names_in(folder.store() + "/blobs").at(0);
  }
};

TEST_F(InspectTest, lists_entries_by_kind_and_key) {
  const auto entries = value_or_throw(store.list());
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].kind, Kind::artifact);
  EXPECT_EQ(entries[0].key, b.key);
  EXPECT_EQ(entries[0].size, 30'000u);
  EXPECT_TRUE(entries[0].in_file);
  EXPECT_EQ(entries[1].kind, Kind::record);
  EXPECT_EQ(entries[1].metadata.label, "a label");
  EXPECT_EQ(entries[1].metadata.fingerprint, "a device");
  EXPECT_EQ(entries[1].metadata.schema, 3u);
  EXPECT_FALSE(entries[1].in_file);
  // 2020 to 2200: a time in seconds, not another unit.
  EXPECT_GT(entries[1].created, 1'577'836'800);
  EXPECT_LT(entries[1].created, 7'258'118'400);
}

TEST_F(InspectTest, counts_by_kind) {
  const auto stats = value_or_throw(store.stats());
  EXPECT_EQ(stats.artifacts.entries, 1u);
  EXPECT_EQ(stats.artifacts.bytes, 30'000u);
  EXPECT_EQ(stats.records.entries, 1u);
  EXPECT_EQ(stats.records.bytes, 100u);
  EXPECT_EQ(stats.plans.entries, 0u);
  EXPECT_EQ(stats.damaged_rows, 0u);
  EXPECT_EQ(stats.files, 1u);
  EXPECT_EQ(stats.file_bytes, 30'000u);
  EXPECT_GE(stats.database_bytes, 4096u);
  EXPECT_EQ(stats.set_aside, 0u);
}

TEST_F(InspectTest, returns_the_canonical_bytes_of_a_key) {
  EXPECT_EQ(value_or_throw(store.canonical_of(Kind::record, a.key)), a.canonical);
  const auto none = store.canonical_of(Kind::plan, a.key);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), Errc::not_found);
}

TEST_F(InspectTest, removes_an_entry_once) {
  EXPECT_TRUE(value_or_throw(store.remove(Kind::record, a.key)));
  EXPECT_FALSE(value_or_throw(store.remove(Kind::record, a.key)));
  EXPECT_EQ(store.get(Kind::record, a.key, a.canonical).reason, "no entry");
}

TEST_F(InspectTest, collect_removes_what_no_entry_uses_and_nothing_else) {
  const std::string used = some_shelf();
  const Digest orphan = blake2b(as_bytes("orphan"));
  const std::string shelf = folder.store() + "/blobs/" + orphan.hex().substr(0, 2);
  std::filesystem::create_directories(shelf);
  ASSERT_TRUE(write_file(shelf + "/" + orphan.hex().substr(2), as_bytes("orphan")));
  const std::string young = used + "/.kiln-aside-AbCdEf";
  const std::string old = used + "/.kiln-aside-1234-0";
  ASSERT_TRUE(write_file(young, as_bytes("being written")));
  ASSERT_TRUE(write_file(old, as_bytes("its writer was killed")));
  const utimbuf long_ago{1'000'000'000, 1'000'000'000};
  ASSERT_EQ(::utime(old.c_str(), &long_ago), 0);

  const auto removed = value_or_throw(store.collect());
  EXPECT_EQ(removed.files, 2u);
  EXPECT_EQ(removed.bytes, 6u + 21u);
  EXPECT_TRUE(std::filesystem::exists(young));
  EXPECT_TRUE(store.get(Kind::artifact, b.key, b.canonical).entry);
}

TEST_F(InspectTest, what_a_store_has_not_made_is_not_removed) {
  const std::string outside = folder.folder.path().string() + "/outside";
  const std::string rest = "/" + std::string(62, 'a');
  std::vector<std::string> foreign = {
      outside + "/conf/settings", outside + "/ab" + rest, outside + "/ab/.kiln-aside-AbCdEf",
      some_shelf() + "/notes.txt", folder.store() + "/blobs/letters/.kiln-aside-AbCdEf"};
  const utimbuf long_ago{1'000'000'000, 1'000'000'000};
  for (const auto& path : foreign) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    ASSERT_TRUE(write_file(path, as_bytes("another program's")));
    ASSERT_EQ(::utime(path.c_str(), &long_ago), 0);
  }
  // A shelf that is a link, and then the folder of all shelves.
  const std::string blobs = folder.store() + "/blobs";
  std::filesystem::create_directory_symlink(outside + "/ab", blobs + "/ab");
  EXPECT_EQ(value_or_throw(store.collect()).files, 0u);
  ASSERT_TRUE(value_or_throw(store.gc({})).files == 0);
  std::filesystem::rename(blobs, blobs + ".before");
  std::filesystem::create_directory_symlink(outside, blobs);
  EXPECT_EQ(value_or_throw(store.collect()).files, 0u);
  std::filesystem::remove(blobs);
  std::filesystem::rename(blobs + ".before", blobs);
  for (const auto& path : foreign) EXPECT_TRUE(std::filesystem::exists(path)) << path;
}

TEST_F(InspectTest, collect_on_an_absent_store_finds_nothing) {
  LocalStore other(folder.folder.path().string() + "/other");
  EXPECT_EQ(value_or_throw(other.collect()).files, 0u);
}

TEST_F(InspectTest, a_miss_names_the_same_entry_for_another_driver) {
  const auto program = [](int source, const std::string& driver) {
    CanonicalWriter writer("program");
    return writer.integer("source", source).text("device", driver).view();
  };
  const Bytes old = program(1, "cpu|3.0"), other = program(2, "cpu|3.0");
  for (const auto& canonical : {old, other})
    ASSERT_TRUE(store.put(Kind::artifact, key_of(canonical), canonical, content_of(1, 1, 10),
                          {1, "program", "cpu|3.0"}));
  EXPECT_EQ(store.near_miss(Kind::artifact, program(1, "cpu|3.1")),
            "stale driver: it is there for cpu|3.0");
  EXPECT_EQ(store.near_miss(Kind::artifact, program(3, "cpu|3.1")), "");
  EXPECT_EQ(store.near_miss(Kind::artifact, program(3, "cpu|3.0")), "");
  EXPECT_EQ(store.near_miss(Kind::plan, program(1, "cpu|3.1")), "");
}

}  // namespace
}  // namespace kiln
