#include <gtest/gtest.h>

#include "kiln/spec.hpp"

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

}  // namespace
}  // namespace kiln::spec
