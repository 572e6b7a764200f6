#include "base/data/cursor.hpp"

#include <gtest/gtest.h>

namespace kiln {
namespace {

const Bytes four = from_hex("01020304");

TEST(Cursor, reads_little_endian_numbers_and_views) {
  const Bytes bytes = from_hex("0100020000000300000061626364");
  Cursor cursor(bytes, "thing");
  EXPECT_EQ(cursor.number<std::uint16_t>("a"), 1);
  EXPECT_EQ(cursor.number<std::uint32_t>("b"), 2u);
  EXPECT_EQ(as_text(cursor.block("c")), "abc");
  EXPECT_EQ(cursor.left(), 1u);
  EXPECT_TRUE(cursor.ok());
}

TEST(Cursor, reading_too_far_leaves_nothing_and_keeps_the_first_error) {
  Cursor cursor(four, "thing");
  EXPECT_EQ(cursor.number<std::uint64_t>("first"), 0u);
  EXPECT_EQ(cursor.number<std::uint8_t>("second"), 0u);
  EXPECT_EQ(cursor.left(), 0u);
  EXPECT_EQ(cursor.error().message(), "thing, byte 0, first: needs 8 bytes, only 4 are left");
  EXPECT_EQ(cursor.error().code(), Errc::corrupt);
}

TEST(Cursor, a_length_near_two_to_the_64_does_not_wrap) {
  Cursor cursor(four, "thing");
  EXPECT_EQ(cursor.number<std::uint8_t>("one"), 1);
  EXPECT_TRUE(cursor.take(~std::uint64_t{0}, "rest").empty());
  EXPECT_FALSE(cursor.ok());
}

TEST(Cursor, a_count_is_bounded_by_the_bytes_left) {
  const Bytes bytes = from_hex("020000001111111122222222");
  Cursor fits(bytes, "thing");
  EXPECT_EQ(fits.count(4, "records"), 2u);
  Cursor large(bytes, "thing");
  EXPECT_EQ(large.count(5, "records"), 0u);
  EXPECT_EQ(large.error().message(),
            "thing, byte 0, records: 2 items of at least 5 bytes each, but only 8 bytes are left");
}

TEST(Cursor, a_narrowed_range_ends_early_until_widened) {
  Cursor cursor(four, "thing");
  const std::size_t end = cursor.narrow(2, "part");
  EXPECT_EQ(cursor.left(), 2u);
  EXPECT_EQ(cursor.number<std::uint16_t>("inside"), 0x0201);
  cursor.widen(end);
  EXPECT_EQ(cursor.left(), 2u);
  cursor.narrow(3, "too much");
  EXPECT_FALSE(cursor.ok());
}

TEST(Cursor, an_empty_view_is_no_error) {
  Cursor cursor(ByteView{}, "thing");
  EXPECT_TRUE(cursor.take(0, "nothing").empty());
  EXPECT_TRUE(cursor.ok());
}

TEST(Cursor, a_refusal_may_carry_a_code_of_its_own) {
  Cursor cursor(four, "thing", Errc::bad_input);
  cursor.refuse(2, "field", "not known", Errc::unsupported);
  EXPECT_EQ(cursor.error().code(), Errc::unsupported);
  EXPECT_EQ(cursor.error().message(), "thing, byte 2, field: not known");
}

}  // namespace
}  // namespace kiln
