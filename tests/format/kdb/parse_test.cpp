#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/kdb/form.hpp"
#include "format/kdb/samples.hpp"

namespace kiln::kdb::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Bytes in which a field is changed and the sum of the part around it is right again.
Bytes with_field(Bytes bytes, std::size_t offset, std::uint32_t value, std::size_t part,
                 std::size_t sum_at, std::uint32_t (*sum)(ByteView)) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
  const auto fixed = sum(ByteView(bytes).subspan(part, sum_at - part));
  std::memcpy(bytes.data() + sum_at, &fixed, sizeof fixed);
  return bytes;
}

std::string kdb_refusal(ByteView bytes) {
  const auto database = parse(bytes);
  EXPECT_FALSE(database);
  return database ? "" : database.error().message();
}

constexpr std::size_t name_bytes = 38;  // of block_gemm, with its NUL
constexpr std::size_t pattern_at = 23, setting_at = pattern_at + 12 + name_bytes,
                      record_at = setting_at + 16;

TEST(KdbParse, a_written_model_is_read) {
  for (const Layout layout : {Layout::v3, Layout::v1, Layout::v1_wide}) {
    const Database model = small(layout);
    const Bytes bytes = bytes_of(model);
    const auto read = parse(bytes);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->layout, layout);
    EXPECT_TRUE(*read == model) << name_of(layout);
    EXPECT_TRUE(bytes_of(*read) == bytes);
  }
}

TEST(KdbParse, records_have_the_sizes_of_their_layout) {
  EXPECT_EQ(form_of(Layout::v3).record_bytes, 136u);
  EXPECT_EQ(form_of(Layout::v1).record_bytes, 172u);
  EXPECT_EQ(form_of(Layout::v1_wide).record_bytes, 184u);
}

TEST(KdbParse, data_types_are_numbered_from_1_in_version_1) {
  const Bytes real = bytes_of(small(Layout::v3)), published = bytes_of(small(Layout::v1));
  EXPECT_EQ(real[setting_at], std::byte{0});
  EXPECT_EQ(published[setting_at], std::byte{1});
}

TEST(KdbParse, a_duplicate_that_differs_is_kept) {
  const Bytes bytes = bytes_of(small(Layout::v3));
  const auto database = parse(bytes);
  const Record& record = database->patterns[0].settings[0].records[2];
  EXPECT_EQ(record.sizes, (std::array<std::uint32_t, 3>{69211, 0, 0}));
  EXPECT_EQ(record.duplicate, (std::array<std::uint32_t, 3>{69211, 7, 0}));
}

TEST(KdbParse, kernels_are_views_of_the_file) {
  const Bytes bytes = bytes_of(small(Layout::v1));
  const auto database = parse(bytes);
  ASSERT_TRUE(database);
  const auto slots = kernels(*database);
  ASSERT_EQ(slots.size(), 3u);
  EXPECT_EQ(as_text(slots[0].content), "one kernel");
  EXPECT_EQ(as_text(slots[1].content), "another");
  EXPECT_EQ(slots[2].slot, 2u);
  for (const KernelSlot& slot : slots) {
    EXPECT_GE(slot.content.data(), bytes.data());
    EXPECT_LE(slot.content.data() + slot.content.size(), bytes.data() + bytes.size());
  }
}

TEST(KdbParse, what_is_no_database_is_refused_with_the_byte) {
  EXPECT_THAT(kdb_refusal({}), HasSubstr("empty"));
  EXPECT_THAT(kdb_refusal(as_bytes("CB")), StartsWith("kernel database, byte 0, header:"));
  EXPECT_THAT(kdb_refusal(as_bytes("XYZ01234567890123456789")), HasSubstr("expected 'CBS'"));
  Bytes other = bytes_of(small(Layout::v3));
  other[3] = std::byte{4};
  EXPECT_THAT(kdb_refusal(other), HasSubstr("byte 3, version: found 4, expected 1 or 3"));
  EXPECT_EQ(parse(other).error().code(), Errc::unsupported);
}

TEST(KdbParse, a_wrong_sum_names_its_part) {
  const Bytes good = bytes_of(small(Layout::v3));
  const auto changed = [&](std::size_t at) {
    Bytes bytes = good;
    bytes[at] ^= std::byte{1};
    return kdb_refusal(bytes);
  };
  EXPECT_THAT(changed(7), StartsWith("kernel database, byte 0, header: the CRC is 0x"));
  EXPECT_THAT(changed(pattern_at + 10), StartsWith("kernel database, byte 23, pattern: the CRC"));
  EXPECT_THAT(changed(setting_at + 4), StartsWith("kernel database, byte 73, setting: the CRC"));
  EXPECT_THAT(changed(record_at + 60), StartsWith("kernel database, byte 89, record: the CRC"));
}

TEST(KdbParse, wrong_sums_can_be_collected) {
  Bytes bytes = bytes_of(small(Layout::v3));
  bytes[7] ^= std::byte{1};
  bytes[record_at + 136 + 3] ^= std::byte{1};
  std::vector<Finding> sums;
  const auto database = parse(bytes, sums);
  ASSERT_TRUE(database);
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums[0].place, Place{});
  EXPECT_EQ(sums[1].place, (Place{record_at + 136, 0, 0, 1}));
  EXPECT_EQ(sums[1].rule, "sum");
}

TEST(KdbParse, counts_that_do_not_fit_are_refused_though_their_sum_is_right) {
  const Form& form = form_of(Layout::v3);
  const Bytes good = bytes_of(small(Layout::v3));
  const std::size_t count_at = pattern_at + 4 + name_bytes;
  for (const std::uint32_t huge : {100u, 0x7fffffffu, 0xffffffffu}) {
    EXPECT_THAT(
        kdb_refusal(with_field(good, count_at, huge, pattern_at, count_at + 4, form.pattern_sum)),
        HasSubstr("number of settings"));
    EXPECT_THAT(kdb_refusal(with_field(good, setting_at + 8, huge, setting_at, setting_at + 12,
                                       form.setting_sum)),
                HasSubstr("number of records"));
  }
  Bytes longer = good;
  const std::uint32_t length = 0x7fffffff;
  std::memcpy(longer.data() + pattern_at, &length, sizeof length);
  EXPECT_THAT(kdb_refusal(longer), HasSubstr("byte 27, name: needs 2147483647 bytes"));
}

TEST(KdbParse, names_end_with_their_only_nul_in_version_3) {
  const Form& form = form_of(Layout::v3);
  const Bytes good = bytes_of(small(Layout::v3));
  const std::size_t last = pattern_at + 4 + name_bytes - 4, sum = pattern_at + 8 + name_bytes;
  EXPECT_THAT(kdb_refusal(with_field(good, last, 0x41414141, pattern_at, sum, form.pattern_sum)),
              HasSubstr("the last byte is not NUL"));
  EXPECT_THAT(kdb_refusal(with_field(good, last, 0x00414100, pattern_at, sum, form.pattern_sum)),
              HasSubstr("a NUL before the last byte"));
}

TEST(KdbParse, kernels_outside_the_binaries_are_refused) {
  Database database = small(Layout::v1);
  database.patterns[0].settings[0].records[0].sizes[0] = 1000;
  EXPECT_THAT(kdb_refusal(bytes_of(database)), HasSubstr("kernel 0 of 1000 bytes"));
  database.patterns[0].settings[0].records[0].sizes[0] = 1;
  database.patterns[0].settings[0].records[0].offsets[0] = 30;
  EXPECT_THAT(kdb_refusal(bytes_of(database)), HasSubstr("is not within the binaries"));
  database.binary_start = 10;
  EXPECT_THAT(kdb_refusal(bytes_of(database)), HasSubstr("binary data start"));
  database.binary_start = 1 << 30;
  EXPECT_THAT(kdb_refusal(bytes_of(database)), HasSubstr("byte 11, binary data start"));
}

TEST(KdbParse, more_patterns_than_clblas_has_room_for_are_refused) {
  Database database;
  for (int i = 0; i < 400; ++i) database.patterns.push_back({.name = "p"});
  const Bytes bytes = bytes_of(database);
  EXPECT_TRUE(parse(bytes));
  Bytes more = bytes;
  append(more, ByteView(bytes).last(14));
  EXPECT_THAT(kdb_refusal(more), HasSubstr("more than 400 patterns"));
}

TEST(KdbWrite, values_beyond_the_layout_are_refused_with_the_record) {
  Database database = small(Layout::v3);
  database.patterns[0].settings[0].records[1].levels[0].x = std::uint64_t{1} << 32;
  const auto bytes = write(database);
  ASSERT_FALSE(bytes);
  EXPECT_THAT(bytes.error().message(), HasSubstr("float COLUMN_MAJOR, record 1: a size above"));
  EXPECT_FALSE(write(Database{.patterns = {{.name = std::string("a\0b", 3)}}}));
  EXPECT_FALSE(write(Database{.patterns = {{.name = "a", .terminated = false}}}));
  EXPECT_TRUE(
      write(Database{.layout = Layout::v1, .patterns = {{.name = "a", .terminated = false}}}));
  EXPECT_FALSE(write(Database{.binaries = as_bytes("x")}));
}

}  // namespace
}  // namespace kiln::kdb::testing
