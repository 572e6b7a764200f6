// A store of layout 1, as programs before this one left it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <array>
#include <cstring>
#include <filesystem>

#include "store/local/database.hpp"
#include "store/local/system_store.hpp"
#include "store/support.hpp"

namespace kiln {
namespace {

using namespace testing;
using ::testing::IsEmpty;

struct UpgradeTest : ::testing::Test {
  TestFolder folder;
  Sample small{1}, large{2}, fresh{3};
  const Metadata metadata{3, "a label", "a device", 0.5};
  const Bytes small_content = content_of(1, 1, 100), large_content = content_of(2, 1, 30'000);
  std::string database = folder.store() + "/store.db";
  LogLines log;
  sqlite3* handle = nullptr;

  /// Written here by hand, from the page that describes layout 1, not by the code under test.
  void SetUp() override {
    std::filesystem::create_directory(folder.store());
    std::filesystem::permissions(folder.store(), std::filesystem::perms::owner_all);
    ASSERT_EQ(sqlite3_open(database.c_str(), &handle), SQLITE_OK);
    run_sql(
        "CREATE TABLE layout(version INTEGER NOT NULL); INSERT INTO layout VALUES(1);"
        "CREATE TABLE entry(kind INTEGER NOT NULL, key BLOB NOT NULL, schema INTEGER NOT NULL,"
        " label TEXT NOT NULL, fingerprint TEXT NOT NULL, cost REAL NOT NULL,"
        " created INTEGER NOT NULL, size INTEGER NOT NULL, checksum BLOB NOT NULL, blob BLOB,"
        " row_checksum BLOB NOT NULL, canonical BLOB NOT NULL, content BLOB NOT NULL,"
        " PRIMARY KEY(kind, key)) WITHOUT ROWID;"
        "CREATE INDEX entry_by_blob ON entry(blob) WHERE blob IS NOT NULL;"
        "PRAGMA application_id=0x4b494c4e; PRAGMA user_version=1");
    insert(Kind::record, small, small_content, false);
    insert(Kind::artifact, large, large_content, true);
    sqlite3_close(handle);
    handle = nullptr;
  }

  void run_sql(const char* sql) {
    ASSERT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle);
  }
  static std::array<std::byte, 16> bytes_of_checksum(const Checksum& sum) {
    std::array<std::byte, 16> bytes;
    std::memcpy(bytes.data(), &sum.low, 8);
    std::memcpy(bytes.data() + 8, &sum.high, 8);
    return bytes;
  }
  void insert(Kind kind, const Sample& sample, const Bytes& content, bool in_file) {
    const Digest digest = blake2b(content);
    // The row's checksum of layout 1, field by field.
    Bytes fields;
    const auto text = [&](std::string_view value) {
      append_le(fields, std::uint64_t{value.size()});
      append(fields, as_bytes(value));
    };
    append_le(fields, static_cast<std::uint8_t>(kind));
    append(fields, sample.key.digest.bytes);
    append_le(fields, std::uint32_t{3});
    text("a label");
    text("a device");
    append_le(fields, std::uint64_t{0x3fe0000000000000});
    append_le(fields, std::int64_t{1'600'000'000});
    append_le(fields, std::uint64_t{content.size()});
    append_le(fields, xxh3(content).low);
    append_le(fields, xxh3(content).high);
    append_le(fields, static_cast<std::uint8_t>(in_file));
    if (in_file) append(fields, digest.bytes);
    text(as_text(sample.canonical));

    sqlite3_stmt* row = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(handle, "INSERT INTO entry VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)", -1,
                                 &row, nullptr),
              SQLITE_OK);
    const auto blob = [&](int at, ByteView bytes) {
      sqlite3_bind_blob(row, at, bytes.data(), static_cast<int>(bytes.size()), SQLITE_TRANSIENT);
    };
    sqlite3_bind_int64(row, 1, static_cast<int>(kind));
    blob(2, sample.key.digest.bytes);
    sqlite3_bind_int64(row, 3, 3);
    sqlite3_bind_text(row, 4, "a label", -1, SQLITE_STATIC);
    sqlite3_bind_text(row, 5, "a device", -1, SQLITE_STATIC);
    sqlite3_bind_double(row, 6, 0.5);
    sqlite3_bind_int64(row, 7, 1'600'000'000);
    sqlite3_bind_int64(row, 8, static_cast<sqlite3_int64>(content.size()));
    blob(9, bytes_of_checksum(xxh3(content)));
    if (in_file) blob(10, digest.bytes);
    blob(11, bytes_of_checksum(xxh3(fields)));
    blob(12, sample.canonical);
    if (in_file)
      sqlite3_bind_zeroblob(row, 13, 0);
    else
      blob(13, content);
    EXPECT_EQ(sqlite3_step(row), SQLITE_DONE) << sqlite3_errmsg(handle);
    sqlite3_finalize(row);
    if (!in_file) return;
    const std::string shelf = folder.store() + "/blobs/" + digest.hex().substr(0, 2);
    std::filesystem::create_directories(shelf);
    ASSERT_TRUE(write_file(shelf + "/" + digest.hex().substr(2), content, 0600));
  }

  std::int64_t version() const {
    sqlite3* reader = nullptr;
    sqlite3_stmt* row = nullptr;
    EXPECT_EQ(sqlite3_open(database.c_str(), &reader), SQLITE_OK);
    EXPECT_EQ(sqlite3_prepare_v2(reader, "PRAGMA user_version", -1, &row, nullptr), SQLITE_OK);
    EXPECT_EQ(sqlite3_step(row), SQLITE_ROW);
    const auto value = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    sqlite3_close(reader);
    return value;
  }
  void expect_both(Layer& store) const {
    const auto first = store.get(Kind::record, small.key, small.canonical);
    ASSERT_TRUE(first.entry) << first.reason;
    EXPECT_EQ(first.entry->content, small_content);
    EXPECT_EQ(first.entry->metadata, metadata);
    const auto second = store.get(Kind::artifact, large.key, large.canonical);
    ASSERT_TRUE(second.entry) << second.reason;
    EXPECT_EQ(second.entry->content, large_content);
  }
};

TEST_F(UpgradeTest, an_older_store_is_read_as_it_is) {
  LocalStore store(folder.store());
  expect_both(store);
  EXPECT_EQ(value_or_throw(store.list()).size(), 2u);
  EXPECT_EQ(value_or_throw(store.stats()).damaged_rows, 0u);
  EXPECT_EQ(version(), 1);
}

TEST_F(UpgradeTest, the_first_write_brings_it_to_the_present_layout_and_keeps_every_entry) {
  {
    LocalStore store(folder.store());
    expect_both(store);
    ASSERT_TRUE(store.put(Kind::plan, fresh.key, fresh.canonical, small_content, {}));
    EXPECT_EQ(version(), 2);
    expect_both(store);
  }
  LocalStore again(folder.store());
  expect_both(again);
  const auto entries = value_or_throw(again.list());
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].created, 1'600'000'000) << "its age is kept";
  EXPECT_THAT(log.lines(), IsEmpty());
  EXPECT_THAT(names_in(folder.store()), ::testing::Not(::testing::Contains("store.db.damaged-1")));
}

TEST_F(UpgradeTest, a_reader_that_has_it_open_goes_on_when_another_upgrades_it) {
  LocalStore reader(folder.store()), writer(folder.store());
  expect_both(reader);
  Metadata full = metadata;
  full.build_log = "a warning";
  ASSERT_TRUE(writer.put(Kind::plan, fresh.key, fresh.canonical, small_content, full));
  expect_both(reader);
  const auto found = reader.get(Kind::plan, fresh.key, fresh.canonical);
  ASSERT_TRUE(found.entry) << found.reason;
  EXPECT_EQ(found.entry->metadata, full);
}

TEST_F(UpgradeTest, uses_upgrade_it_when_the_store_is_closed) {
  {
    LocalStore store(folder.store());
    expect_both(store);
  }
  EXPECT_EQ(version(), 2);
  EXPECT_EQ(value_or_throw(LocalStore(folder.store()).list())[0].hits, 1u);
}

TEST_F(UpgradeTest, a_system_store_of_the_older_layout_is_read) {
  std::filesystem::permissions(database, std::filesystem::perms::owner_read);
  SystemStore store(folder.store());
  expect_both(store);
  EXPECT_EQ(version(), 1);
}

TEST_F(UpgradeTest, a_child_killed_in_the_middle_of_it_leaves_either_layout_whole) {
  // A transaction: with the journal left behind, the next opens what was before.
  const auto end = run_child([&] {
    sqlite3* half = nullptr;
    sqlite3_open(database.c_str(), &half);
    sqlite3_exec(half,
                 "PRAGMA synchronous=OFF; PRAGMA cache_size=0; BEGIN IMMEDIATE;"
                 "ALTER TABLE entry ADD COLUMN source BLOB;"
                 "CREATE TABLE use(kind, key); PRAGMA user_version=2;"
                 "INSERT INTO use VALUES(1, zeroblob(900000))",
                 nullptr, nullptr, nullptr);
    return ::kill(::getpid(), SIGKILL);
  });
  EXPECT_EQ(end.signal, SIGKILL);
  LocalStore store(folder.store());
  expect_both(store);
  ASSERT_TRUE(store.put(Kind::plan, fresh.key, fresh.canonical, small_content, {}));
  EXPECT_EQ(version(), 2);
  expect_both(store);
}

}  // namespace
}  // namespace kiln
