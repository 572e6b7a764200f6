// Databases and the store: `kiln kdb convert --to store` and `--from store`.
#include "cli/kdb/support.hpp"

namespace {

using kiln::testing::expect_refusal;
using ::testing::HasSubstr;
namespace kdb = kiln::kdb;

class KdbStore : public kiln::testing::KdbTest {
 protected:
  KdbStore() { set("KILN_STORE", (folder() / "store").string()); }
};

TEST_F(KdbStore, records_go_into_the_store_and_come_back_as_they_were) {
  const auto two = kdb::complete(database({tuned(1), tuned(2)}), kdb::Doubles::yes).database;
  write_kdb("some.kdb", two);
  const auto there = kiln({"kdb", "convert", "--to", "store", "--device", "cpu", "some.kdb"});
  EXPECT_EQ(there.exit_code, 0) << there.errors;
  EXPECT_THAT(there.output, HasSubstr("2 records of 1 problem classes are on record for "));
  const auto back =
      kiln({"kdb", "convert", "--from", "store", "--device", "cpu", "-o", "again.kdb"});
  EXPECT_EQ(back.exit_code, 0) << back.errors;
  EXPECT_THAT(back.output, HasSubstr("2 tuned records for "));
  EXPECT_EQ(kiln({"kdb", "diff", "some.kdb", "again.kdb"}).exit_code, 0);
  EXPECT_EQ(kiln({"kdb", "verify", "again.kdb"}).exit_code, 0);
}

TEST_F(KdbStore, a_database_without_double_types_may_be_asked_for) {
  const auto two = kdb::complete(database({tuned(1)}), kdb::Doubles::no).database;
  write_kdb("some.kdb", two);
  EXPECT_EQ(kiln({"kdb", "convert", "--to", "store", "--device", "cpu", "some.kdb"}).exit_code, 0);
  kiln({"kdb", "convert", "--from", "store", "--double", "no", "--device", "cpu", "-o", "b.kdb"});
  EXPECT_EQ(kiln({"kdb", "diff", "some.kdb", "b.kdb"}).exit_code, 0);
}

TEST_F(KdbStore, the_published_layout_goes_both_ways) {
  const auto complete = kdb::complete(database({tuned(1)}), kdb::Doubles::yes).database;
  write_kdb("old.kdb", kiln::value_or_throw(kdb::convert(complete, kdb::Layout::v1)).database);
  EXPECT_EQ(kiln({"kdb", "convert", "--to", "store", "--device", "cpu", "old.kdb"}).exit_code, 0);
  EXPECT_EQ(kiln({"kdb", "convert", "--from", "store", "--to", "v1", "--device", "cpu", "-o",
                  "again.kdb"})
                .exit_code,
            0);
  EXPECT_EQ(parsed("again.kdb").layout, kdb::Layout::v1);
  EXPECT_EQ(kiln({"kdb", "diff", "old.kdb", "again.kdb"}).exit_code, 0);
}

TEST_F(KdbStore, what_breaks_clblas_s_rules_is_left_out_and_named) {
  auto broken = tuned(1);
  broken.levels[0].x = 3;
  write_kdb("bad.kdb", kdb::complete(database({broken})).database);
  const auto result = kiln({"kdb", "convert", "--to", "store", "--device", "cpu", "bad.kdb"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("0 records of 0 problem classes"));
  EXPECT_THAT(result.errors, HasSubstr("bad.kdb: 1 records break clBLAS's rules"));
}

TEST_F(KdbStore, mistakes_are_one_line) {
  expect_refusal(kiln({"kdb", "convert", "--to", "store"}), 2, "missing FILE");
  expect_refusal(kiln({"kdb", "convert", "--to", "v1", "-o", "x.kdb"}), 2, "missing FILE");
  write_kdb("some.kdb", database({tuned(1)}));
  expect_refusal(kiln({"kdb", "convert", "--from", "store", "some.kdb", "-o", "x.kdb"}), 2,
                 "found the file some.kdb");
  set("KILN_STORE", "off");
  expect_refusal(kiln({"kdb", "convert", "--to", "store", "some.kdb"}), 2, "found --store off");
  write("none.kdb", "no database");
  expect_refusal(kiln({"kdb", "convert", "--to", "store", "none.kdb"}), 2, "none.kdb");
}

}  // namespace
