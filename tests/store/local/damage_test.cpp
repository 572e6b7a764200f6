// Every byte of a store is damaged in turn (a sample of them; all with KILN_DAMAGE_STEP=1): what
// comes back is right or a miss, and storing goes on.

#include "store/local/damage.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace kiln {
namespace {

using namespace testing;

std::size_t step_or(int otherwise) {
  return static_cast<std::size_t>(number_from_environment("KILN_DAMAGE_STEP", otherwise));
}

TEST(StoreDamage, the_probe_finds_nothing_wrong_with_a_sound_store) {
  DamageBench bench;
  EXPECT_EQ(bench.probe(), "");
}

TEST(StoreDamage, a_changed_byte_of_the_database_is_harmless) {
  DamageBench bench;
  const auto size = bench.files().at("store.db").size();
  EXPECT_EQ(bench.run(flips("store.db", size, 120,
                            step_or(std::getenv("KILN_LONG") == nullptr ? 31 : 13))),
            "");
}

TEST(StoreDamage, a_cut_database_is_harmless) {
  DamageBench bench;
  const auto size = bench.files().at("store.db").size();
  EXPECT_EQ(bench.run(cuts("store.db", size, step_or(211))), "");
}

TEST(StoreDamage, a_changed_or_cut_content_file_is_harmless) {
  DamageBench bench;
  int checked = 0;
  for (const auto& [name, bytes] : bench.files()) {
    if (!name.starts_with("blobs/")) continue;
    EXPECT_EQ(bench.run(flips(name, bytes.size(), 4, step_or(307))), "");
    EXPECT_EQ(bench.run(cuts(name, bytes.size(), step_or(1009))), "");
    ++checked;
  }
  EXPECT_EQ(checked, 2);
}

/// Leaves a transaction that died in the middle: the database half changed, and its journal hot.
void die_while_writing(const std::string& store) {
  const auto end = run_child([&]() -> int {
    Database database;
    database.open(store + "/store.db", Database::Access::write, 1ll << 62);
    database.begin();
    // More than SQLite's page cache holds, so that changed pages reach the file before the commit.
    for (int i = 0; i < 6; ++i) {
      RowHead head;
      head.kind = Kind::artifact;
      head.key = Sample(i).key;
      database.store(head, content_of(i, 9, LocalStore::largest_canonical), {});
    }
    ::_exit(0);  // no destructor: it would roll back
  });
  ASSERT_EQ(end.exit_code, 0);
}

TEST(StoreDamage, a_writer_that_died_in_a_transaction_changed_nothing) {
  DamageBench bench;
  const auto before = bench.files().at("store.db");
  die_while_writing(bench.store());
  const auto half_done = value_or_throw(read_file(bench.store() + "/store.db"));
  ASSERT_GT(half_done.size(), before.size()) << "the test no longer leaves a half-written file";
  LocalStore reader(bench.store());
  const Sample sample(1);
  const auto answer = reader.get(Kind::artifact, sample.key, sample.canonical);
  ASSERT_TRUE(answer.entry) << answer.reason;
  EXPECT_EQ(answer.entry->content, content_of(1, 0, 40));
  EXPECT_EQ(bench.probe(), "");
}

TEST(StoreDamage, a_changed_or_cut_journal_of_a_dead_writer_is_harmless) {
  DamageBench bench;
  die_while_writing(bench.store());
  bench.remember();
  const auto size = bench.files().at("store.db-journal").size();
  EXPECT_EQ(bench.run(flips("store.db-journal", size, 32, step_or(577))), "");
  EXPECT_EQ(bench.run(cuts("store.db-journal", size, step_or(1999))), "");
}

}  // namespace
}  // namespace kiln
