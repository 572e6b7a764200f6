#include "base/data/bytes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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

}  // namespace
}  // namespace kiln
