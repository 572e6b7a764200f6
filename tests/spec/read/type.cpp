#include "spec/read/type.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstring>
#include <limits>

#include "kiln/spec/file.hpp"

namespace kiln::spec {
namespace {

Type type(std::string_view name) { return value_or_throw(Type::parse(name)); }

TEST(Types, know_every_scalar_and_its_other_names) {
  const std::pair<const char*, const char*> names[] = {
      {"char", "char"},         {"uchar", "uchar"},         {"unsigned char", "uchar"},
      {"short", "short"},       {"ushort", "ushort"},       {"unsigned short", "ushort"},
      {"int", "int"},           {"uint", "uint"},           {"unsigned", "uint"},
      {"unsigned int", "uint"}, {"long", "long"},           {"long int", "long"},
      {"ulong", "ulong"},       {"unsigned long", "ulong"}, {"float", "float"},
      {"double", "double"}};
  for (const auto& [written, opencl] : names) EXPECT_EQ(type(written).opencl_name(), opencl);
}

TEST(Types, know_every_vector) {
  for (const std::string scalar :
       {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"}) {
    for (const unsigned width : {2u, 3u, 4u, 8u, 16u}) {
      const std::string name = scalar + std::to_string(width);
      const Type vector = type(name);
      EXPECT_EQ(vector.opencl_name(), name);
      EXPECT_EQ(vector.width, width);
      EXPECT_EQ(vector.scalar, type(scalar).scalar);
      EXPECT_EQ(vector.bytes(), type(scalar).bytes() * (width == 3 ? 4 : width));
    }
  }
}

TEST(Types, have_the_sizes_and_kinds_of_opencl) {
  EXPECT_EQ(type("char").bytes(), 1u);
  EXPECT_EQ(type("ushort").bytes(), 2u);
  EXPECT_EQ(type("float").bytes(), 4u);
  EXPECT_EQ(type("long").bytes(), 8u);
  EXPECT_EQ(type("double3").bytes(), 32u);
  EXPECT_EQ(type("double3").lanes(), 4u);
  EXPECT_EQ(type("float2").kind(), ScalarKind::floating);
  EXPECT_EQ(type("long4").kind(), ScalarKind::signed_integer);
  EXPECT_EQ(type("unsigned").kind(), ScalarKind::unsigned_integer);
}

TEST(Types, refuse_half_bool_and_size_t_as_unsupported) {
  for (const auto* name : {"half", "half4", "bool", "size_t"}) {
    const auto parsed = Type::parse(name);
    ASSERT_FALSE(parsed) << name;
    EXPECT_EQ(parsed.error().code(), Errc::unsupported) << name;
    EXPECT_NE(parsed.error().message().find(name), std::string::npos);
  }
}

TEST(Types, refuse_other_names_and_widths) {
  for (const auto* name : {"", "int5", "int0", "int04", "int4x", "float1", "unsigned int4",
                           "struct s", "4", "int99999999999999999999", "int 4"}) {
    const auto parsed = Type::parse(name);
    ASSERT_FALSE(parsed) << name;
    EXPECT_EQ(parsed.error().code(), Errc::bad_input) << name;
  }
}

TEST(Types, suggest_the_name_that_was_meant) {
  EXPECT_NE(Type::parse("flaot").error().message().find("did you mean 'float'"), std::string::npos);
  EXPECT_NE(Type::parse("unsinged int").error().message().find("'unsigned int'"),
            std::string::npos);
}

template <class T>
T converted(const char* name, const expr::Value& value) {
  const auto bytes = value_or_throw(to_bytes(type(name), value));
  EXPECT_EQ(bytes.size(), sizeof(T));
  T result;
  std::memcpy(&result, bytes.data(), sizeof result);
  return result;
}

TEST(Convert, cuts_fractions_toward_zero) {
  EXPECT_EQ(converted<std::int32_t>("int", 3214212.01), 3214212);
  EXPECT_EQ(converted<std::int32_t>("int", -2.9), -2);
  EXPECT_EQ(converted<std::uint8_t>("uchar", 255.9), 255);
  EXPECT_EQ(converted<std::uint32_t>("uint", -0.9), 0u);
}

TEST(Convert, takes_the_ends_of_each_integer_type_and_nothing_beyond) {
  struct Range {
    const char* name;
    std::int64_t least, most;
  };
  for (const auto& [name, least, most] :
       {Range{"char", -128, 127}, Range{"uchar", 0, 255}, Range{"short", -32768, 32767},
        Range{"ushort", 0, 65535}, Range{"int", INT32_MIN, INT32_MAX},
        Range{"uint", 0, UINT32_MAX}}) {
    EXPECT_TRUE(to_bytes(type(name), least)) << name;
    EXPECT_TRUE(to_bytes(type(name), most)) << name;
    EXPECT_FALSE(to_bytes(type(name), least - 1)) << name;
    EXPECT_FALSE(to_bytes(type(name), most + 1)) << name;
    EXPECT_FALSE(to_bytes(type(name), static_cast<double>(most) + 1.0)) << name;
    EXPECT_FALSE(to_bytes(type(name), static_cast<double>(least) - 1.0)) << name;
  }
  EXPECT_EQ(converted<std::int64_t>("long", INT64_MIN), INT64_MIN);
  EXPECT_EQ(converted<std::int64_t>("long", -0x1p63), INT64_MIN);
  EXPECT_FALSE(to_bytes(type("long"), 0x1p63));
  EXPECT_EQ(converted<std::uint64_t>("ulong", 0x1p63), 0x8000000000000000u);
  EXPECT_FALSE(to_bytes(type("ulong"), 0x1p64));
  EXPECT_FALSE(to_bytes(type("ulong"), -1));
}

TEST(Convert, makes_floating_point_values_of_both_widths) {
  EXPECT_EQ(converted<float>("float", 1e-8), 1e-8f);
  EXPECT_EQ(converted<double>("double", 0.1), 0.1);
  EXPECT_EQ(converted<float>("float", 32412), 32412.0f);
  EXPECT_FALSE(to_bytes(type("float"), 1e300));
  EXPECT_TRUE(to_bytes(type("double"), 1e300));
}

TEST(Convert, refuses_infinities_for_integers) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(to_bytes(type("int"), infinity));
  EXPECT_FALSE(to_bytes(type("int"), std::numeric_limits<double>::quiet_NaN()));
  EXPECT_EQ(converted<float>("float", infinity), std::numeric_limits<float>::infinity());
}

TEST(Convert, counts_truth_values_as_numbers) {
  EXPECT_EQ(converted<std::int32_t>("int", true), 1);
}

TEST(Convert, builds_vectors_from_lists_of_their_width) {
  const auto four = converted<std::array<std::int16_t, 4>>("short4", expr::List{1, -2, 3.7, 4});
  EXPECT_EQ(four, (std::array<std::int16_t, 4>{1, -2, 3, 4}));
  const auto three = converted<std::array<float, 4>>("float3", expr::List{1, 2, 3});
  EXPECT_EQ(three, (std::array<float, 4>{1, 2, 3, 0})) << "the fourth lane is there, and zero";
  for (const auto* name : {"float2", "int16", "double8"}) {
    expr::List list(type(name).width, expr::Value(1));
    EXPECT_TRUE(to_bytes(type(name), list));
    list.emplace_back(1);
    EXPECT_FALSE(to_bytes(type(name), list)) << name;
  }
}

TEST(Convert, refuses_the_wrong_shape) {
  EXPECT_FALSE(to_bytes(type("float4"), 1));
  EXPECT_FALSE(to_bytes(type("float"), expr::List{1}));
  EXPECT_FALSE(to_bytes(type("int2"), expr::List{1, "x"}));
  const expr::Value nested = expr::List(2, expr::Value(expr::List()));
  EXPECT_FALSE(to_bytes(type("int2"), nested));
  EXPECT_FALSE(to_bytes(type("int"), "12"));
  EXPECT_FALSE(to_bytes(type("int2"), expr::List{1, std::int64_t{1} << 40}));
}

RC_GTEST_PROP(Convert, keeps_every_64_bit_integer, (std::int64_t value)) {
  RC_ASSERT(converted<std::int64_t>("long", value) == value);
  const auto narrow = to_bytes(type("int"), value);
  RC_ASSERT(narrow.has_value() == (value >= INT32_MIN && value <= INT32_MAX));
}

}  // namespace
}  // namespace kiln::spec
