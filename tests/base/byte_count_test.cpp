#include <gtest/gtest.h>

#include "base/text.hpp"

namespace kiln {
namespace {

TEST(ByteCount, is_read_in_powers_of_1000_and_of_1024) {
  const auto read = [](const char* text) { return value_or_throw(parse_byte_count(text)); };
  EXPECT_EQ(read("0"), 0u);
  EXPECT_EQ(read("4096"), 4096u);
  EXPECT_EQ(read("500M"), 500'000'000u);
  EXPECT_EQ(read("500 MB"), 500'000'000u);
  EXPECT_EQ(read("2G"), 2'000'000'000u);
  EXPECT_EQ(read("1.5Gi"), 1'610'612'736u);
  EXPECT_EQ(read("1KiB"), 1024u);
  EXPECT_EQ(read("3k"), 3000u);
  EXPECT_EQ(read("12B"), 12u);
}

TEST(ByteCount, what_is_none_is_refused_with_what_was_found) {
  for (const char* text : {"", "-1", "G", "2X", "2GG", "1e3", "nan", "99999999T", "5 5", "2Gib"}) {
    const auto read = parse_byte_count(text);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().message().find(std::string("'") + text + "'"), std::string::npos);
  }
}

TEST(ByteCount, is_written_with_three_digits) {
  EXPECT_EQ(byte_count_text(0), "0 B");
  EXPECT_EQ(byte_count_text(999), "999 B");
  EXPECT_EQ(byte_count_text(1000), "1.00 kB");
  EXPECT_EQ(byte_count_text(49'593), "49.6 kB");
  EXPECT_EQ(byte_count_text(999'600), "1.00 MB");
  EXPECT_EQ(byte_count_text(123'456'789), "123 MB");
  EXPECT_EQ(byte_count_text(7'654'321'000), "7.65 GB");
  EXPECT_EQ(byte_count_text(5'000'000'000'000'000), "5000 TB");
}

}  // namespace
}  // namespace kiln
