// Databases of other versions, of other programs, and broken ones.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>

#include "store/support.hpp"

namespace kiln {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

struct LayoutTest : ::testing::Test {
  TestFolder folder;
  Sample a{1};
  std::string database = folder.store() + "/store.db";
  LogLines log;

  void SetUp() override { std::filesystem::create_directory(folder.store()); }

  void put_into(LocalStore& store) {
    const auto done = store.put(Kind::record, a.key, a.canonical, content_of(1, 0, 10), {});
    ASSERT_TRUE(done) << done.error().message();
  }
  void make_store() {
    LocalStore store(folder.store());
    put_into(store);
  }
  void run_sql(const char* sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(database.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }
  std::string sql_value(const char* sql) {
    sqlite3* handle = nullptr;
    std::string value;
    EXPECT_EQ(sqlite3_open(database.c_str(), &handle), SQLITE_OK);
    const auto keep = [](void* to, int, char** columns, char**) {
      *static_cast<std::string*>(to) = columns[0] != nullptr ? columns[0] : "";
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(handle, sql, keep, &value, nullptr), SQLITE_OK);
    sqlite3_close(handle);
    return value;
  }
  /// The present database is set aside with one log line, and a new one works.
  void expect_begun_anew() {
    LocalStore store(folder.store());
    const auto answer = store.get(Kind::record, a.key, a.canonical);
    EXPECT_EQ(answer.reason, "no entry; the damaged database was set aside as store.db.damaged-1");
    put_into(store);
    EXPECT_TRUE(LocalStore(folder.store()).get(Kind::record, a.key, a.canonical).entry);
    EXPECT_THAT(log.lines(), SizeIs(1));
    EXPECT_EQ(value_or_throw(store.stats()).set_aside, 1u);
  }
};

TEST_F(LayoutTest, a_new_store_says_its_version_twice_and_whose_it_is) {
  make_store();
  EXPECT_EQ(sql_value("PRAGMA user_version"), "2");
  EXPECT_EQ(sql_value("SELECT version FROM layout"), "2");
  EXPECT_EQ(sql_value("PRAGMA application_id"), std::to_string(0x4b494c4e));
  EXPECT_EQ(sql_value("PRAGMA integrity_check"), "ok");
}

TEST_F(LayoutTest, a_newer_layout_is_left_alone) {
  make_store();
  run_sql("UPDATE layout SET version=3; PRAGMA user_version=3");
  const auto before = value_or_throw(read_file(database));
  LocalStore store(folder.store());
  EXPECT_EQ(store.get(Kind::record, a.key, a.canonical).reason,
            "store unusable: its layout is version 3; this program knows 2");
  const auto put = store.put(Kind::record, a.key, a.canonical, {}, {});
  ASSERT_FALSE(put);
  EXPECT_THAT(put.error().message(), HasSubstr("its layout is version 3"));
  EXPECT_EQ(value_or_throw(read_file(database)), before);
  EXPECT_THAT(log.lines(), SizeIs(1));
}

TEST_F(LayoutTest, a_version_number_that_stands_alone_is_damage) {
  make_store();
  run_sql("PRAGMA user_version=99");
  expect_begun_anew();
}

TEST_F(LayoutTest, a_version_number_of_zero_beside_tables_is_damage) {
  make_store();
  run_sql("PRAGMA user_version=0");
  expect_begun_anew();
}

TEST_F(LayoutTest, an_empty_file_is_a_new_store) {
  ASSERT_TRUE(write_file(database, {}));
  EXPECT_EQ(LocalStore(folder.store()).get(Kind::record, a.key, a.canonical).reason, "no entry");
  EXPECT_EQ(std::filesystem::file_size(database), 0u) << "reading changes nothing";
  make_store();
  EXPECT_TRUE(LocalStore(folder.store()).get(Kind::record, a.key, a.canonical).entry);
  EXPECT_THAT(log.lines(), IsEmpty());
}

TEST_F(LayoutTest, a_reader_that_came_before_the_layout_finds_later_entries) {
  ASSERT_TRUE(write_file(database, {}));
  LocalStore reader(folder.store());
  EXPECT_FALSE(reader.get(Kind::record, a.key, a.canonical).entry);
  make_store();
  EXPECT_TRUE(reader.get(Kind::record, a.key, a.canonical).entry);
}

TEST_F(LayoutTest, another_programs_database_is_set_aside_whole) {
  run_sql("CREATE TABLE theirs(x); INSERT INTO theirs VALUES('kept')");
  expect_begun_anew();
  database += ".damaged-1";
  EXPECT_EQ(sql_value("SELECT x FROM theirs"), "kept");
}

TEST_F(LayoutTest, a_text_file_is_set_aside) {
  ASSERT_TRUE(write_file(database, as_bytes("this is no database, but it is long enough")));
  expect_begun_anew();
}

TEST_F(LayoutTest, a_missing_table_is_damage) {
  make_store();
  run_sql("DROP TABLE entry");
  expect_begun_anew();
}

TEST_F(LayoutTest, a_trigger_in_the_file_is_not_run) {
  make_store();
  run_sql("CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry; END");
  make_store();
  EXPECT_TRUE(LocalStore(folder.store()).get(Kind::record, a.key, a.canonical).entry);
}

TEST_F(LayoutTest, write_ahead_mode_is_refused_before_anything_is_mapped) {
  make_store();
  run_sql("PRAGMA journal_mode=WAL");
  expect_begun_anew();
  EXPECT_THAT(names_in(folder.store()), Not(Contains("store.db-shm")));
}

TEST_F(LayoutTest, a_second_damage_ends_the_use_of_that_store_object) {
  LocalStore store(folder.store());
  put_into(store);
  const auto damage = [&] {
    // In place, as a bad disk would: the same file stays open in `store`.
    FILE* file = std::fopen(database.c_str(), "r+b");
    ASSERT_NE(file, nullptr);
    const Bytes rubbish(16'384, std::byte{0x55});
    EXPECT_EQ(std::fwrite(rubbish.data(), 1, rubbish.size(), file), rubbish.size());
    std::fclose(file);
  };
  damage();
  EXPECT_THAT(store.get(Kind::record, a.key, a.canonical).reason, HasSubstr("set aside"));
  put_into(store);
  damage();
  EXPECT_EQ(store.get(Kind::record, a.key, a.canonical).reason,
            "store unusable: its database was damaged a second time");
  EXPECT_FALSE(store.put(Kind::record, a.key, a.canonical, {}, {}));
  EXPECT_THAT(log.lines(), SizeIs(3)) << "two damages, and the end of it";
}

TEST_F(LayoutTest, at_most_nine_damaged_databases_are_kept) {
  for (int round = 0; round < 12; ++round) {
    ASSERT_TRUE(write_file(database, as_bytes("damage " + std::to_string(round))));
    LocalStore store(folder.store());
    (void)store.get(Kind::record, a.key, a.canonical);
  }
  EXPECT_EQ(value_or_throw(LocalStore(folder.store()).stats()).set_aside, 9u);
  EXPECT_EQ(value_or_throw(read_text(database + ".damaged-1")), "damage 0");
  EXPECT_EQ(value_or_throw(read_text(database + ".damaged-9")), "damage 11");
}

TEST_F(LayoutTest, a_store_locked_by_another_program_is_a_miss_in_bounded_time) {
  make_store();
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(database.c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(handle, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  LocalStore store(folder.store());
  EXPECT_THAT(store.get(Kind::record, a.key, a.canonical).reason, HasSubstr("store busy"));
  const auto put = store.put(Kind::record, a.key, a.canonical, {}, {});
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().code(), Errc::timeout);
  const int open_files = open_files_below(folder.store());
  (void)store.get(Kind::record, a.key, a.canonical);
  EXPECT_EQ(open_files_below(folder.store()), open_files) << "each failed try leaves files open";
  sqlite3_close(handle);
  EXPECT_TRUE(store.get(Kind::record, a.key, a.canonical).entry);
}

}  // namespace
}  // namespace kiln
