#include "kernel/request/stored_record.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "base/os/file.hpp"
#include "store/key/canonical.hpp"

namespace kiln {
namespace {

const RecordSubject gemm{"blas.gemm", -7, "gemm float", "p|1|a device|2|3|64|8 units"};

Measurement stored_measurement(std::int64_t rows, double milliseconds,
                               const std::string& from = "here") {
  return {{{"rows", rows}}, 128, milliseconds, Measurement::Of::kiln, from, {}};
}

class StoredRecords : public ::testing::Test {
 protected:
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-records"));
  LocalStore store_{folder_.path().string()};
};

TEST_F(StoredRecords, are_found_by_their_subject_and_listed_in_order) {
  RecordSubject speed{"blas.speed", 0, "memory", gemm.device};
  EXPECT_EQ(add_to_record(store_, speed, {stored_measurement(1, 1)}).value(), 1u);
  EXPECT_EQ(add_to_record(store_, gemm, {stored_measurement(4, 0.5), stored_measurement(8, 0.25)})
                .value(),
            2u);
  const auto all = stored_records(store_).value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].subject, gemm);
  EXPECT_EQ(all[0].record.history.size(), 2u);
  EXPECT_EQ(all[0].key, key_of(canonical_of(gemm)));
  EXPECT_GT(all[0].created, 0);
  EXPECT_EQ(all[1].subject, speed);
  EXPECT_EQ(store_.info(Kind::record, all[0].key).value().metadata.fingerprint,
            "p|1|a device|2|3|64");
}

TEST_F(StoredRecords, keep_what_is_there_of_the_same_parameters_size_and_origin) {
  ASSERT_TRUE(add_to_record(store_, gemm, {stored_measurement(4, 0.5)}));
  EXPECT_EQ(
      add_to_record(store_, gemm, {stored_measurement(4, 0.1, "there"), stored_measurement(8, 1)})
          .value(),
      1u);
  EXPECT_EQ(add_to_record(store_, gemm, {stored_measurement(8, 2)}).value(), 0u);
  const auto history = stored_records(store_).value().at(0).record.history;
  ASSERT_EQ(history.size(), 2u);
  EXPECT_EQ(history[0], stored_measurement(4, 0.5));
  EXPECT_EQ(history[1], stored_measurement(8, 1));
}

// Layouts that stores may still hold, byte for byte: schema 1 is Parameters alone, schema 2 a
// record without the time of the built-in ones.
TEST_F(StoredRecords, of_earlier_schemas_are_read) {
  const auto append_text = [](Bytes& bytes, const std::string& text) {
    append_le(bytes, static_cast<std::uint32_t>(text.size()));
    append(bytes, text);
  };
  Bytes first;
  append_text(first, "rows");
  append_le(first, std::int64_t{4});
  Bytes second;
  append_le(second, std::uint32_t{1});
  append_le(second, std::uint32_t{1});
  append(second, first);
  append_le(second, std::int64_t{128});
  append_le(second, std::bit_cast<std::uint64_t>(0.5));
  append_le(second, std::uint32_t{0});
  append_text(second, "here");
  append_le(second, std::uint32_t{0});
  const Bytes canonical = canonical_of(gemm);
  const auto only_measurement = [&](ByteView bytes, std::uint32_t schema) {
    const auto stored =
        store_.put(Kind::record, key_of(canonical), canonical, bytes, {schema, "", "", 0});
    EXPECT_TRUE(stored);
    const auto all = stored_records(store_).value();
    if (all.size() != 1 || all[0].record.history.size() != 1) return Measurement{};
    return all[0].record.history[0];
  };
  EXPECT_EQ(only_measurement(first, 1), (Measurement{{{"rows", 4}}, 0, 0, {}, {}, {}}));
  EXPECT_EQ(only_measurement(second, 2), stored_measurement(4, 0.5));
}

TEST_F(StoredRecords, of_other_things_and_damaged_ones_are_passed_over) {
  CanonicalWriter other("split-model", 1);
  other.text("family", "x").integer("version", 1).text("problem class", "y").text("device", "d");
  ASSERT_TRUE(store_.put(Kind::record, other.key(), other.view(), as_bytes("z"), {}));
  const Bytes canonical = canonical_of(gemm);
  ASSERT_TRUE(store_.put(Kind::record, key_of(canonical), canonical, as_bytes("no record"),
                         {tuning_record_schema, "", "", 0}));
  EXPECT_TRUE(stored_records(store_).value().empty());
}

TEST_F(StoredRecords, of_an_empty_store_are_none) {
  EXPECT_TRUE(stored_records(store_).value().empty());
}

TEST(RecordSubject, is_read_back_from_its_canonical_bytes) {
  EXPECT_EQ(record_subject_of(canonical_of(gemm)), gemm);
  const RecordSubject odd{"", INT64_MIN, "a \"b\"\n", std::string("\0x", 2)};
  EXPECT_EQ(record_subject_of(canonical_of(odd)), odd);
}

TEST(RecordSubject, no_other_bytes_have_one) {
  const Bytes whole = canonical_of(gemm);
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(record_subject_of(ByteView(whole).first(length))) << length;
  CanonicalWriter more("parameters", 1);
  more.text("family", "f").integer("version", 1).text("problem class", "c").text("device", "d");
  more.text("besides", "x");
  EXPECT_FALSE(record_subject_of(more.view()));
}

TEST(CanonicalFields, are_those_outside_of_groups) {
  CanonicalWriter writer("s", 2);
  writer.text("a", "1").begin("g").text("a", "2").integer("n", 5).end().integer("n", 6);
  const auto fields = CanonicalFields::read(writer.view()).value();
  EXPECT_EQ(*fields.text("schema"), "s");
  EXPECT_EQ(*fields.text("a"), "1");
  EXPECT_EQ(fields.text("n"), nullptr);
  EXPECT_EQ(fields.integers("n"), (std::vector<std::int64_t>{6}));
  EXPECT_EQ(fields.integers("version"), (std::vector<std::int64_t>{2}));
  EXPECT_FALSE(CanonicalFields::read(as_bytes("no canonical bytes")));
}

}  // namespace
}  // namespace kiln
