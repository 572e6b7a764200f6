#include "kiln/formats/npy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/data/bytes.hpp"

namespace kiln::npy {
namespace {

using ::testing::HasSubstr;
using Shape = std::vector<std::size_t>;

constexpr Type all_types[] = {Type::boolean, Type::i8,  Type::i16, Type::i32, Type::i64, Type::u8,
                              Type::u16,     Type::u32, Type::u64, Type::f16, Type::f32, Type::f64};

/// A file put together by hand, independently of write.
Bytes file(int major, std::string_view header, std::string_view data, int minor = 0) {
  Bytes bytes;
  append(bytes, std::string_view("\x93NUMPY"));
  bytes.push_back(static_cast<std::byte>(major));
  bytes.push_back(static_cast<std::byte>(minor));
  if (major == 1)
    append_le(bytes, static_cast<std::uint16_t>(header.size()));
  else
    append_le(bytes, static_cast<std::uint32_t>(header.size()));
  append(bytes, header);
  append(bytes, data);
  return bytes;
}

std::string dict(std::string_view descr, std::string_view shape, std::string_view order = "False") {
  std::string text = "{'descr': '";
  text.append(descr).append("', 'fortran_order': ").append(order);
  return text.append(", 'shape': ").append(shape).append(", }\n");
}

std::string npy_refusal(ByteView bytes) {
  const auto npy = parse(bytes);
  return npy ? "accepted" : npy.error().message();
}

TEST(Npy, all_three_versions_are_read) {
  for (const int major : {1, 2, 3}) {
    const Bytes bytes = file(major, dict("<i2", "(3,)"), "abcdef");
    const auto npy = parse(bytes);
    ASSERT_TRUE(npy) << npy.error().message();
    EXPECT_EQ(npy->descr, "<i2");
    EXPECT_EQ(npy->type, Type::i16);
    EXPECT_EQ(npy->element_size, 2u);
    EXPECT_FALSE(npy->fortran_order);
    EXPECT_EQ(npy->shape, Shape{3});
    EXPECT_EQ(as_text(npy->data), "abcdef");
    EXPECT_EQ(npy->data.data(), bytes.data() + bytes.size() - 6);
  }
}

TEST(Npy, other_versions_are_unsupported) {
  for (const auto& bytes : {file(0, dict("|u1", "()"), "x"), file(4, dict("|u1", "()"), "x"),
                            file(1, dict("|u1", "()"), "x", 1)}) {
    EXPECT_THAT(npy_refusal(bytes), HasSubstr("byte 6, version"));
    EXPECT_EQ(parse(bytes).error().code(), Errc::unsupported);
  }
}

TEST(Npy, element_types_are_those_of_the_machine) {
  for (const Type type : all_types) {
    const std::string descr(descr_of(type));
    EXPECT_EQ(type_of(descr), type);
    EXPECT_EQ(type_of(descr.substr(1)), type);
    EXPECT_EQ(type_of("=" + descr.substr(1)), type);
    EXPECT_EQ(type_of("|" + descr.substr(1)).has_value(), size_of(type) == 1);
  }
  EXPECT_EQ(type_of("?"), Type::boolean);
  EXPECT_EQ(type_of("|?"), Type::boolean);
  for (const char* other :
       {"", "<", "<c8", "<f16", "|S4", "<U1", "|O", "<M8[s]", "|V8", "<i3", "f"})
    EXPECT_FALSE(type_of(other)) << other;
}

TEST(Npy, big_endian_data_is_refused_with_advice) {
  const Bytes bytes = file(1, dict(">f4", "(1,)"), "abcd");
  EXPECT_EQ(npy_refusal(bytes),
            "npy file, byte 20, descr: \">f4\" is big-endian; save the array with "
            ".astype(\"<f4\")");
  EXPECT_EQ(parse(bytes).error().code(), Errc::unsupported);
}

TEST(Npy, other_types_are_refused_with_the_list) {
  EXPECT_THAT(npy_refusal(file(1, dict("<c8", "(1,)"), "abcdefgh")), HasSubstr("found \"<c8\""));
}

TEST(Npy, column_major_data_is_read_only_where_the_order_does_not_matter) {
  EXPECT_EQ(npy_refusal(file(1, dict("|u1", "(2,)", "True"), "ab")), "accepted");
  EXPECT_EQ(npy_refusal(file(1, dict("|u1", "()", "True"), "a")), "accepted");
  const Bytes matrix = file(1, dict("|u1", "(2, 2)", "True"), "abcd");
  EXPECT_THAT(npy_refusal(matrix), HasSubstr("column-major data of 2 dimensions"));
  EXPECT_EQ(parse(matrix).error().code(), Errc::unsupported);
}

TEST(Npy, data_has_to_be_just_as_long_as_the_shape_says) {
  EXPECT_THAT(npy_refusal(file(1, dict("<f4", "(2,)"), "abcdefg")),
              HasSubstr("announces 8 bytes, there are 7"));
  EXPECT_THAT(npy_refusal(file(1, dict("<f4", "(2,)"), "abcdefghi")),
              HasSubstr("announces 8 bytes, there are 9"));
  EXPECT_EQ(npy_refusal(file(1, dict("<f4", "()"), "abcd")), "accepted");
}

TEST(Npy, shapes_whose_product_overflows_are_refused) {
  for (const char* shape : {"(4611686018427387904, 4)", "(2305843009213693952,)",
                            "(4294967296, 4294967296)", "(18446744073709551615, 2)"})
    EXPECT_THAT(npy_refusal(file(1, dict("<f8", shape), "")), HasSubstr("2^64")) << shape;
}

TEST(Npy, an_empty_dimension_makes_an_empty_array_whatever_the_others) {
  for (const char* shape : {"(0,)", "(0, 5)", "(18446744073709551615, 2, 0)"})
    EXPECT_EQ(npy_refusal(file(1, dict("<f8", shape), "")), "accepted") << shape;
}

TEST(Npy, damage_is_bad_input_with_a_byte) {
  EXPECT_THAT(npy_refusal({}), HasSubstr("byte 0, magic"));
  EXPECT_THAT(npy_refusal(as_bytes("PK\x03\x04 a zip file")), HasSubstr("not an npy file"));
  Bytes bytes = file(1, dict("|u1", "(1,)"), "a");
  bytes[8] = std::byte{0xff};
  EXPECT_THAT(npy_refusal(bytes), HasSubstr("byte 10, header: needs 255 bytes"));
  EXPECT_EQ(parse(bytes).error().code(), Errc::bad_input);
  Bytes huge = file(2, dict("|u1", "(1,)"), "a");
  std::memset(huge.data() + 8, 0xff, 4);
  EXPECT_THAT(npy_refusal(huge), HasSubstr("needs 4294967295 bytes"));
}

TEST(Npy, every_truncation_and_extension_is_refused) {
  Bytes whole = write(Type::u16, Shape{2, 3}, as_bytes("abcdefghijkl"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_FALSE(parse(cut)) << size;
  }
  whole.push_back(std::byte{0});
  EXPECT_FALSE(parse(whole));
}

TEST(Npy, any_changed_byte_is_refused_or_still_consistent) {
  const Bytes whole = write(Type::u16, Shape{2, 3}, as_bytes("abcdefghijkl"));
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (int value = 0; value < 256; ++value) {
      Bytes changed = whole;
      changed[at] = static_cast<std::byte>(value);
      const auto npy = parse(changed);
      if (!npy) continue;
      std::size_t product = npy->element_size;
      for (const auto extent : npy->shape) product *= extent;
      ASSERT_EQ(product, npy->data.size()) << "byte " << at << " = " << value;
    }
}

TEST(NpyWrite, data_is_aligned_to_64_bytes) {
  for (std::size_t rank = 0; rank <= 64; ++rank) {
    const Bytes bytes = write(Type::u8, Shape(rank, 1), as_bytes("x"));
    EXPECT_EQ((bytes.size() - 1) % 64, 0u) << rank;
    EXPECT_EQ(bytes[bytes.size() - 2], std::byte{'\n'});
    EXPECT_EQ(npy_refusal(bytes), "accepted") << rank;
  }
}

RC_GTEST_PROP(NpyWrite, an_array_survives_writing_and_reading, ()) {
  const Type type =
      *rc::gen::elementOf(std::vector<Type>(std::begin(all_types), std::end(all_types)));
  const auto shape =
      *rc::gen::resize(6, rc::gen::container<Shape>(rc::gen::inRange<std::size_t>(0, 4)));
  RC_PRE(shape.size() <= 6);
  std::size_t size = size_of(type);
  for (const auto extent : shape) size *= extent;
  const auto text = *rc::gen::container<std::string>(size, rc::gen::arbitrary<char>());
  const Bytes bytes = write(type, shape, as_bytes(text));
  const auto npy = parse(bytes);
  if (!npy) RC_FAIL(npy.error().message());
  RC_ASSERT(npy->type == type);
  RC_ASSERT(npy->descr == descr_of(type));
  RC_ASSERT(npy->shape == shape);
  RC_ASSERT(as_text(npy->data) == text);
}

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
