#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/npy/header.hpp"

namespace kiln::npy {
namespace {

using ::testing::HasSubstr;
using Shape = std::vector<std::size_t>;

std::string refusal(std::string_view text) {
  const auto header = parse_header(text, 10);
  return header ? "accepted" : header.error().message();
}

std::string with_shape(std::string_view shape) {
  return "{'descr': '<f4', 'fortran_order': False, 'shape': " + std::string(shape) + "}";
}

TEST(NpyHeader, the_three_keys_are_read_in_any_order) {
  const auto header =
      parse_header("{\"shape\": (2, 3), 'fortran_order': True, \"descr\": '<i2', }  \n", 10);
  ASSERT_TRUE(header) << header.error().message();
  EXPECT_EQ(header->descr, "<i2");
  EXPECT_TRUE(header->fortran_order);
  EXPECT_EQ(header->shape, (Shape{2, 3}));
  EXPECT_EQ(header->shape_at, 10 + 10u);
}

TEST(NpyHeader, tuples_are_those_of_python) {
  const auto shape = [](std::string_view text) { return parse_header(with_shape(text), 0)->shape; };
  EXPECT_EQ(shape("()"), Shape{});
  EXPECT_EQ(shape("(3,)"), Shape{3});
  EXPECT_EQ(shape("( 3 , 4 , )"), (Shape{3, 4}));
  EXPECT_EQ(shape("(3L, 4L)"), (Shape{3, 4}));  // as Python 2 wrote it
  EXPECT_EQ(shape("(18446744073709551615,)"), Shape{18446744073709551615u});
}

TEST(NpyHeader, what_is_no_tuple_of_sizes_is_refused) {
  for (const char* bad : {"(3)", "3", "(,)", "(3,,)", "(3 4)", "(-1,)", "(1.5,)", "('3',)", "(3,",
                          "[3]", "((3,),)", "(18446744073709551616,)", "(0x10,)", "(3LL,)", ""})
    EXPECT_NE(refusal(with_shape(bad)), "accepted") << bad;
  EXPECT_THAT(refusal(with_shape("(3)")), HasSubstr("(3,), not (3)"));
}

TEST(NpyHeader, dimensions_are_bounded) {
  const auto of = [](int rank) {
    std::string text = "(";
    for (int i = 0; i < rank; ++i) text += "1,";
    return with_shape(text + ")");
  };
  EXPECT_EQ(refusal(of(64)), "accepted");
  EXPECT_THAT(refusal(of(65)), HasSubstr("at most 64 dimensions"));
}

TEST(NpyHeader, errors_name_the_files_byte_and_what_was_expected) {
  EXPECT_EQ(refusal("{'descr': <f4}"),
            "npy file, byte 20, header: found \"<f4}\", expected a quoted text");
  EXPECT_EQ(refusal("{'descr': '<f4'"),
            "npy file, byte 25, header: found the end, expected a comma or }");
}

TEST(NpyHeader, each_key_is_there_once_and_no_other) {
  EXPECT_THAT(refusal("{'descr': '<f4', 'fortran_order': False}"), HasSubstr("the key 'shape'"));
  EXPECT_THAT(refusal("{'descr': '<f4', 'descr': '<f4'}"), HasSubstr("once"));
  EXPECT_THAT(refusal("{'descr': '<f4', 'order': 'C'}"), HasSubstr("once"));
  EXPECT_THAT(refusal("{}"), HasSubstr("the key 'descr'"));
  EXPECT_THAT(refusal(""), HasSubstr("a dictionary"));
}

TEST(NpyHeader, other_values_and_trailing_text_are_refused) {
  EXPECT_THAT(refusal("{'fortran_order': 0}"), HasSubstr("True or False"));
  EXPECT_THAT(refusal("{'descr': '<f4\n"), HasSubstr("closing quote"));
  EXPECT_THAT(refusal("{'descr': 'a\\x41'"), HasSubstr("escapes"));
  EXPECT_THAT(refusal(with_shape("()") + " {}"), HasSubstr("nothing after"));
  EXPECT_NE(refusal(with_shape("()") + std::string(1, '\0') + "x"), "accepted");
}

TEST(NpyHeader, structured_types_are_told_apart) {
  const auto header = parse_header("{'descr': [('x', '<f4')], }", 10);
  ASSERT_FALSE(header);
  EXPECT_EQ(header.error().code(), Errc::unsupported);
  EXPECT_THAT(header.error().message(), HasSubstr("structured"));
}

TEST(NpyHeader, every_truncation_is_refused) {
  const std::string whole = with_shape("(2, 3)");
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(refusal(std::string_view(whole).substr(0, size)), "accepted") << size;
}

}  // namespace
}  // namespace kiln::npy
