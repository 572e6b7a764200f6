#include "base/data/bytes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace kiln {
namespace {

TEST(Bytes, hexadecimal_has_two_lower_case_letters_a_byte) {
  EXPECT_EQ(to_hex(as_bytes(std::string_view("\x00\x0f\xa0\xff", 4))), "000fa0ff");
  EXPECT_EQ(to_hex({}), "");
}

TEST(Bytes, both_cases_of_hexadecimal_are_read) { EXPECT_EQ(as_text(from_hex("6B4c")), "kL"); }

TEST(Bytes, what_is_not_hexadecimal_gives_nothing) {
  for (const char* text : {"a", "abc", "0g", "g0", " 0", "0x", "zz00"})
    EXPECT_TRUE(from_hex(text).empty()) << text;
}

TEST(Bytes, numbers_are_stored_least_byte_first) {
  Bytes bytes;
  append_le(bytes, std::uint32_t{0x01020304});
  append_le(bytes, std::int16_t{-2});
  EXPECT_EQ(to_hex(bytes), "04030201feff");
  EXPECT_EQ(load_le<std::uint32_t>(bytes.data()), 0x01020304u);
  EXPECT_EQ(load_le<std::int16_t>(bytes.data() + 4), -2);
}

TEST(Bytes, text_is_appended_without_its_terminator) {
  Bytes bytes;
  append(bytes, std::string_view("ab"));
  append(bytes, ByteView());
  append(bytes, as_bytes("c"));
  EXPECT_EQ(as_text(bytes), "abc");
}

RC_GTEST_PROP(BytesProperty, hexadecimal_comes_back, (std::vector<std::uint8_t> raw)) {
  Bytes bytes;
  for (const auto byte : raw) bytes.push_back(static_cast<std::byte>(byte));
  RC_ASSERT(from_hex(to_hex(bytes)) == bytes);
}

RC_GTEST_PROP(BytesProperty, numbers_come_back_from_any_place,
              (std::uint64_t value, std::uint8_t before)) {
  Bytes bytes(before);
  append_le(bytes, value);
  RC_ASSERT(load_le<std::uint64_t>(bytes.data() + before) == value);
}

constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
constexpr std::size_t half = std::size_t{1} << 32;

TEST(CheckedSize, holds_what_fits) {
  static_assert((CheckedSize(6) * 7 + 1).get() == 43);
  EXPECT_EQ((CheckedSize(half) * (half - 1) + (half - 1)).get(), largest);
  EXPECT_TRUE((CheckedSize(3) * 5).fits(15));
  EXPECT_FALSE((CheckedSize(3) * 5).fits(14));
  EXPECT_TRUE(CheckedSize(PTRDIFF_MAX).fits());
  EXPECT_FALSE(CheckedSize(largest).fits());
}

TEST(CheckedSize, a_product_that_wraps_round_stays_too_large) {
  EXPECT_EQ((CheckedSize(half) * half).get(), std::nullopt);
  EXPECT_FALSE((CheckedSize(half) * half).fits(largest));
  EXPECT_FALSE((CheckedSize(half) * half * 0).fits());
  EXPECT_FALSE((0 + CheckedSize(half) * half).fits());
  EXPECT_FALSE((CheckedSize(1) * (CheckedSize(largest) + 1)).fits());
  EXPECT_EQ((CheckedSize(half) * half).at_most(100), 100u);
  EXPECT_EQ(CheckedSize(99).at_most(100), 99u);
}

TEST(CheckedSize, a_negative_number_is_no_size) {
  EXPECT_FALSE(CheckedSize::of_signed(-1).fits(largest));
  EXPECT_FALSE((CheckedSize::of_signed(-1) * 0).fits());
  EXPECT_EQ(CheckedSize::of_signed(7).get(), 7u);
}

RC_GTEST_PROP(CheckedSize, agrees_with_wide_arithmetic,
              (std::uint64_t a, std::uint64_t b, std::uint64_t c)) {
  __extension__ using Wide = unsigned __int128;
  const unsigned shift_a = *rc::gen::inRange(0u, 64u), shift_b = *rc::gen::inRange(0u, 64u);
  a >>= shift_a;
  b >>= shift_b;
  const Wide product = static_cast<Wide>(a) * b;
  const auto checked = CheckedSize(a) * b + c;
  if (product > largest || product + c > largest)
    RC_ASSERT(!checked.get());
  else
    RC_ASSERT(checked.get() == static_cast<std::size_t>(product + c));
}

}  // namespace
}  // namespace kiln
