// Specialization constants of SPIR-V modules: what there is, and other values for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "format/spirv/module_builder.hpp"
#include "kiln/formats/spirv.hpp"

namespace kiln::spirv {
namespace {

using namespace testing;
using ::testing::HasSubstr;

Module constants() { return *parse(constants_module().bytes()); }

std::string setting_refusal(std::uint32_t id, const Value& value) {
  const auto made = setting(*constants().constant(id), value);
  return made ? "accepted" : made.error().message();
}

TEST(SpirvConstants, are_told_with_their_types_and_values) {
  const Module module = constants();
  ASSERT_EQ(module.constants.size(), 6u);
  const char* names[] = {"int", "float", "bool", "long", "char", "double"};
  const std::uint64_t values[] = {4, 0x3f000000, 1, 0x100000007, 3, 0x4000000000000000};
  for (std::uint32_t i = 0; i < 6; ++i) {
    const Constant* one = module.constant(i);
    ASSERT_NE(one, nullptr);
    EXPECT_EQ(one->type_name(), names[i]);
    EXPECT_EQ(one->value, values[i]);
  }
  EXPECT_EQ(module.constant(0)->name, "tile");
  EXPECT_EQ(module.constant(6), nullptr);
}

TEST(SpirvConstants, take_the_values_that_their_types_hold) {
  EXPECT_EQ(setting(*constants().constant(0), std::int64_t{-1})->value, 0xffffffffu);
  EXPECT_EQ(setting(*constants().constant(0), std::int64_t{-1})->as_integer(), -1);
  EXPECT_EQ(setting(*constants().constant(4), std::uint64_t{255})->value, 255u);
  EXPECT_EQ(setting(*constants().constant(1), 0.25)->as_number(), 0.25);
  EXPECT_EQ(setting(*constants().constant(5), std::int64_t{3})->as_number(), 3.0);
  EXPECT_EQ(setting(*constants().constant(2), std::int64_t{0})->value, 0u);
}

TEST(SpirvConstants, of_type_half_are_numbers) {
  const auto number = [](std::uint64_t bits) {
    return Setting{0, ConstantKind::floating, 16, bits}.as_number();
  };
  EXPECT_EQ(number(0x3c00), 1.0);
  EXPECT_EQ(number(0xc100), -2.5);
  EXPECT_EQ(number(0x7bff), 65504.0);
  EXPECT_EQ(number(0x0001), 0x1p-24);
  EXPECT_EQ(number(0x03ff), 0x3ffp-24);
  EXPECT_EQ(number(0), 0.0);
  EXPECT_TRUE(std::signbit(number(0x8000)));
  EXPECT_EQ(number(0xfc00), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(number(0x7e00)));
}

TEST(SpirvConstants, refuse_others) {
  EXPECT_EQ(setting_refusal(4, std::int64_t{256}),
            "found 256, expected an integer of type char or uchar, -128 to 255");
  EXPECT_THAT(setting_refusal(4, std::int64_t{-129}), HasSubstr("found -129"));
  EXPECT_THAT(setting_refusal(0, 1.5), HasSubstr("found 1.5, expected an integer"));
  EXPECT_THAT(setting_refusal(2, std::int64_t{2}), HasSubstr("expected true, false, 1 or 0"));
  EXPECT_THAT(setting_refusal(1, 1e300), HasSubstr("expected a number that a float holds"));
}

TEST(SpirvConstants, one_that_is_there_twice_is_set_twice) {
  ModuleBuilder module;
  module.kernels().op(71, {60, 1, 7}).op(71, {61, 1, 7}).op(21, {40, 32, 0});
  module.op(50, {40, 60, 1}).op(50, {40, 61, 2});
  const auto read = parse(module.bytes());
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->constants.size(), 1u);
  const auto made =
      specialize(module.bytes(), std::vector{Setting{7, ConstantKind::integer, 32, 9}});
  ASSERT_TRUE(made) << made.error().message();
  ModuleBuilder expected;
  expected.kernels().op(71, {60, 1, 7}).op(71, {61, 1, 7}).op(21, {40, 32, 0});
  expected.op(50, {40, 60, 9}).op(50, {40, 61, 9});
  EXPECT_EQ(*made, expected.bytes());
}

TEST(SpirvConstants, of_two_types_are_refused) {
  ModuleBuilder module;
  module.kernels().op(71, {60, 1, 7}).op(71, {61, 1, 7}).op(21, {40, 32, 0}).op(22, {41, 32});
  module.op(50, {40, 60, 1}).op(50, {41, 61, 2});
  const auto read = parse(module.bytes());
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message(),
              HasSubstr("found SpecId 7 for constants of types int and float"));
}

TEST(SpirvConstants, settings_of_other_modules_are_refused) {
  const auto other = specialize(constants_module().bytes(),
                                std::vector{Setting{0, ConstantKind::floating, 32, 9}});
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message(), HasSubstr("no specialization constant 0 of this type"));
  EXPECT_FALSE(specialize(constants_module().bytes(),
                          std::vector{Setting{77, ConstantKind::integer, 32, 9}}));
}

// Whatever is set is what the module then says, and nothing else of it changes.
RC_GTEST_PROP(SpirvConstants, settings_are_read_back, ()) {
  const auto builder = constants_module();
  const auto original = builder.bytes();
  std::vector<Setting> settings;
  for (const Constant& one : constants().constants) {
    if (*rc::gen::arbitrary<bool>()) continue;
    const auto bits = *rc::gen::arbitrary<std::uint64_t>();
    const std::uint64_t value = one.bits == 64 ? bits : bits & ((std::uint64_t{1} << one.bits) - 1);
    settings.push_back({one.id, one.kind, one.bits, value});
  }
  const bool from_swapped = *rc::gen::arbitrary<bool>();
  const auto made = specialize(from_swapped ? builder.swapped() : original, settings);
  RC_ASSERT(made.has_value());
  RC_ASSERT(made->size() == original.size());
  const Module read = *parse(*made);
  for (const Setting& one : settings) RC_ASSERT(read.constant(one.id)->value == one.value);
  std::vector<Setting> back;
  for (const Constant& one : constants().constants)
    back.push_back({one.id, one.kind, one.bits, one.value});
  RC_ASSERT(*specialize(*made, back) == original);
}

}  // namespace
}  // namespace kiln::spirv
