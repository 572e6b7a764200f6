#include "store/key/canonical.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kiln/error.hpp"

namespace kiln {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Bytes sample(std::int64_t n, std::string_view source) {
  return CanonicalWriter("program", 3)
      .text("source", source)
      .begin("macros")
      .integer("N", n)
      .end()
      .number("scale", 0.5)
      .bytes("raw", as_bytes("\x01\xff"))
      .view();
}

TEST(Canonical, has_the_documented_layout) {
  const Bytes bytes = CanonicalWriter("s").integer("n", -2).view();
  EXPECT_EQ(to_hex(bytes),
            "4b494c4e"
            "01000000"
            "01"
            "06"
            "736368656d61"
            "0100000000000000"
            "73"
            "02"
            "07"
            "76657273696f6e"
            "0800000000000000"
            "0100000000000000"
            "02"
            "01"
            "6e"
            "0800000000000000"
            "feffffffffffffff");
}

TEST(Canonical, the_key_is_the_digest_of_the_bytes) {
  const CanonicalWriter writer("s");
  EXPECT_EQ(writer.key().digest, blake2b(writer.view()));
  EXPECT_EQ(writer.key().hex(), key_of(writer.view()).hex());
}

TEST(Canonical, a_fields_type_tells_values_of_equal_bytes_apart) {
  EXPECT_NE(CanonicalWriter("s").text("t", "x").key(),
            CanonicalWriter("s").bytes("t", as_bytes("x")).key());
  EXPECT_NE(CanonicalWriter("s").integer("t", 0).key(), CanonicalWriter("s").number("t", 0).key());
}

TEST(Canonical, a_group_tells_its_members_from_what_follows) {
  EXPECT_NE(CanonicalWriter("s").begin("g").end().integer("n", 1).key(),
            CanonicalWriter("s").begin("g").integer("n", 1).end().key());
}

TEST(Canonical, misuse_is_refused_rather_than_given_a_wrong_key) {
  EXPECT_THROW(CanonicalWriter("s").end(), Error);
  EXPECT_THROW((void)CanonicalWriter("s").begin("g").view(), Error);
  EXPECT_THROW((void)CanonicalWriter("s").begin("g").key(), Error);
  EXPECT_THROW(CanonicalWriter("s").text(std::string(256, 't'), ""), Error);
  EXPECT_NO_THROW(CanonicalWriter("s").text(std::string(255, 't'), ""));
}

TEST(Canonical, is_described_as_indented_lines) {
  EXPECT_EQ(describe_canonical(sample(7, "a\nb")),
            "schema: \"program\"\n"
            "version: 3\n"
            "source: \"a\\nb\"\n"
            "macros:\n"
            "  N: 7\n"
            "scale: 0.5\n"
            "raw: 01ff\n");
}

TEST(Canonical, long_values_are_described_by_start_length_and_digest) {
  const std::string source(1000, 'x');
  const auto text = describe_canonical(sample(7, source));
  EXPECT_THAT(text, HasSubstr("… (1000 bytes, " + blake2b(as_bytes(source)).brief() + ")"));
  EXPECT_THAT(text, HasSubstr("source: \"" + std::string(200, 'x') + "\"…"));
}

TEST(Canonical, a_comparison_shows_only_what_differs_with_its_path) {
  EXPECT_EQ(compare_canonical(sample(7, "a"), sample(8, "a")), "- macros.N: 7\n+ macros.N: 8\n");
  EXPECT_EQ(compare_canonical(sample(7, "a"), sample(7, "a")), "");
}

TEST(Canonical, a_comparison_tells_long_texts_apart_that_start_alike) {
  const auto difference = compare_canonical(sample(7, std::string(999, 'x') + "a"),
                                            sample(7, std::string(999, 'x') + "b"));
  EXPECT_THAT(difference, StartsWith("- source: "));
  EXPECT_THAT(difference, HasSubstr("\n+ source: "));
}

TEST(Canonical, a_comparison_of_other_orders_and_types_is_not_empty) {
  const auto one = CanonicalWriter("s").integer("a", 1).integer("b", 2).view();
  const auto two = CanonicalWriter("s").integer("b", 2).integer("a", 1).view();
  EXPECT_THAT(compare_canonical(one, two), HasSubstr("another order"));
  const auto integer = CanonicalWriter("s").integer("a", 1).view();
  const auto number = CanonicalWriter("s").number("a", 1).view();
  EXPECT_NE(compare_canonical(integer, number), "");
}

TEST(Canonical, bytes_that_do_not_parse_say_where_and_why) {
  EXPECT_EQ(describe_canonical({}), "byte 0: not canonical bytes (no \"KILN\")\n");
  EXPECT_EQ(describe_canonical(as_bytes("something else")),
            "byte 0: not canonical bytes (no \"KILN\")\n");
  Bytes other_grammar = CanonicalWriter("s").view();
  other_grammar[4] = std::byte{9};
  EXPECT_EQ(describe_canonical(other_grammar), "byte 4: grammar 9 found, 1 expected\n");

  const Bytes whole = CanonicalWriter("s").view();
  EXPECT_EQ(describe_canonical(ByteView(whole).first(whole.size() - 1)),
            "schema: \"s\"\nbyte 25: the field needs 8 bytes, only 7 are left\n");
  EXPECT_EQ(describe_canonical(ByteView(whole).first(30)),
            "schema: \"s\"\nbyte 25: a field is cut short\n");
}

TEST(Canonical, groups_nested_without_end_are_refused) {
  CanonicalWriter writer("s");
  for (int i = 0; i < 100'000; ++i) writer.begin("g");
  for (int i = 0; i < 100'000; ++i) writer.end();
  EXPECT_THAT(describe_canonical(writer.view()), HasSubstr("groups are nested deeper than 32"));
}

TEST(Canonical, a_huge_length_is_refused) {
  Bytes bytes = CanonicalWriter("s").text("t", "x").view();
  // The length of the last field: eight bytes before its one byte of payload.
  for (std::size_t i = bytes.size() - 9; i < bytes.size() - 1; ++i) bytes[i] = std::byte{0xff};
  EXPECT_THAT(describe_canonical(bytes),
              HasSubstr("the field needs 18446744073709551615 bytes, only 1 are left"));
}

}  // namespace
}  // namespace kiln
