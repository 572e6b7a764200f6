// What a SPIR-V module says of its kernels; and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "format/allocations.hpp"
#include "format/spirv/module_builder.hpp"
#include "kiln/formats/spirv.hpp"

namespace kiln::spirv {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ModuleBuilder head() { return ModuleBuilder().kernels().entry(10, "k"); }

std::string spirv_refusal(ByteView bytes) {
  const auto module = parse(bytes);
  return module ? "accepted" : module.error().message();
}

Module module_of(const ModuleBuilder& builder) {
  const auto module = parse(builder.bytes());
  EXPECT_TRUE(module) << module.error().message();
  return module ? *module : Module{};
}

/// What the kernel of kernel_of() takes.
std::vector<Parameter> parameters_of(const ModuleBuilder& builder) {
  const Module module = module_of(builder);
  const Kernel* kernel = module.find("k");
  return kernel == nullptr ? std::vector<Parameter>() : kernel->parameters;
}

TEST(SpirvParse, kernels_and_their_parameters_are_told) {
  // int, float, float3, long; pointers to float in __global, __constant and __local memory.
  const auto module = kernel_of({{21, {40, 32, 0}},
                                 {22, {41, 32}},
                                 {23, {42, 41, 3}},
                                 {21, {43, 64, 0}},
                                 {32, {44, 5, 41}},
                                 {32, {45, 0, 41}},
                                 {32, {46, 4, 41}}},
                                {40, 42, 43, 44, 45, 46}, head().name(80, "n").name(83, "out"));
  const auto all = parameters_of(module);
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[0].name, "n");
  EXPECT_EQ(all[0].space, Space::value);
  EXPECT_EQ(all[0].type, "int");
  EXPECT_EQ(all[0].bytes, 4u);
  EXPECT_EQ(all[1].type, "float3");
  EXPECT_EQ(all[1].bytes, 16u);  // OpenCL C 6.1.5
  EXPECT_EQ(all[2].bytes, 8u);
  EXPECT_EQ(all[3].space, Space::global);
  EXPECT_EQ(all[3].type, "float*");
  EXPECT_EQ(all[3].name, "out");
  EXPECT_EQ(all[4].space, Space::constant);
  EXPECT_EQ(all[5].space, Space::local);
}

TEST(SpirvParse, structures_by_value_have_the_size_that_c_gives_them) {
  // {char; double; int[3]} by value: 8 + 8 + 12, rounded up to 32; without padding 21.
  const std::vector<std::pair<std::uint32_t, Words>> types = {
      {21, {40, 8, 0}},   {22, {41, 64}},         {21, {42, 32, 0}}, {43, {42, 43, 3}},
      {28, {44, 42, 43}}, {30, {45, 40, 41, 44}}, {32, {46, 7, 45}}};
  const auto by_value = [&](ModuleBuilder first) {
    return parameters_of(kernel_of(types, {46}, first.op(71, {80, 38, 2}).name(45, "struct.node")));
  };
  const auto natural = by_value(head());
  ASSERT_EQ(natural.size(), 1u);
  EXPECT_EQ(natural[0].space, Space::value);
  EXPECT_EQ(natural[0].bytes, 32u);
  EXPECT_EQ(natural[0].type, "struct node");
  EXPECT_EQ(by_value(head().op(71, {45, 10})).at(0).bytes, 21u);
  // The same said by a group of decorations.
  const auto grouped = parameters_of(
      kernel_of(types, {46}, head().op(71, {90, 38, 2}).op(73, {90}).op(74, {90, 80})));
  EXPECT_EQ(grouped.at(0).bytes, 32u);
}

TEST(SpirvParse, images_and_samplers_are_no_values) {
  const auto all = parameters_of(
      kernel_of({{19, {39}}, {25, {40, 39, 1, 0, 0, 0, 0, 0}}, {26, {41}}}, {40, 41}, head()));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].space, Space::opaque);
  EXPECT_EQ(all[0].type, "image");
  EXPECT_EQ(all[1].space, Space::opaque);
}

TEST(SpirvParse, version_addresses_and_required_sizes_are_told) {
  auto builder = ModuleBuilder(0x00010200).kernels(1).entry(10, "k");
  const Module module =
      module_of(kernel_of({{21, {40, 32, 0}}}, {40}, builder.op(16, {10, 17, 8, 4, 1})));
  EXPECT_EQ(module.major, 1u);
  EXPECT_EQ(module.minor, 2u);
  EXPECT_EQ(module.address_bits, 32u);
  EXPECT_THAT(module.kernels.at(0).required_local_size, ElementsAre(8u, 4u, 1u));
}

TEST(SpirvParse, either_byte_order_is_read) {
  const auto builder = constants_module();
  const auto module = parse(builder.swapped());
  ASSERT_TRUE(module) << module.error().message();
  EXPECT_EQ(module->constants.size(), 6u);
  EXPECT_TRUE(is_module(builder.swapped()));
  EXPECT_EQ(little_endian(builder.swapped()), builder.bytes());
}

TEST(SpirvParse, what_is_no_module_is_refused_with_the_byte) {
  EXPECT_THAT(spirv_refusal({}), HasSubstr("byte 0: found the end, expected 0x07230203"));
  const Bytes bytes = constants_module().bytes();
  EXPECT_THAT(spirv_refusal(ByteView(bytes).first(10)), HasSubstr("byte 10: found the end"));
  EXPECT_THAT(spirv_refusal(ByteView(bytes).first(bytes.size() - 3)), HasSubstr("words of 4"));
  EXPECT_THAT(spirv_refusal(ModuleBuilder(0x00020000).kernels().bytes()),
              HasSubstr("byte 4: found SPIR-V 2.0, expected 1.0 to 1.6"));
  EXPECT_THAT(spirv_refusal(ModuleBuilder(7).bytes()), HasSubstr("found version 0x00000007"));
  EXPECT_THAT(spirv_refusal(ModuleBuilder().word(3, 0xffffffff).bytes()),
              HasSubstr("byte 12: found a bound of 4294967295 ids"));
  EXPECT_THAT(spirv_refusal(ModuleBuilder().word(4, 1).bytes()), HasSubstr("schema 1"));
}

TEST(SpirvParse, modules_for_other_things_than_kernels_are_unsupported) {
  const auto shader = parse(ModuleBuilder().op(17, {1}).bytes());
  ASSERT_FALSE(shader);
  EXPECT_EQ(shader.error().code(), Errc::unsupported);
  EXPECT_THAT(shader.error().message(), HasSubstr("capability Kernel"));
  EXPECT_THAT(spirv_refusal(ModuleBuilder().op(17, {6}).op(14, {0, 1}).bytes()),
              HasSubstr("found addressing model 0 and memory model 1"));
}

TEST(SpirvParse, lengths_that_lead_outside_are_refused) {
  EXPECT_THAT(spirv_refusal(head().op(21, {40, 32, 0}).word(5, 0).bytes()),
              HasSubstr("byte 20: found an instruction of 0 words"));
  EXPECT_THAT(spirv_refusal(head().word(5, 0xffff0011).bytes()),
              HasSubstr("found an instruction of 65535 words, expected 1 to the"));
  EXPECT_THAT(spirv_refusal(head().op(23, {40}).bytes()), HasSubstr("expected a vector's type"));
  EXPECT_THAT(spirv_refusal(ModuleBuilder().kernels().op(15, {6, 10, 0x61616161}).bytes()),
              HasSubstr("the zero byte that ends a kernel's name"));
}

TEST(SpirvParse, names_that_are_no_kernels_are_refused) {
  for (const char* name : {"", "../../x", "a b", "a/b", "1k", "k\n"})
    EXPECT_THAT(spirv_refusal(ModuleBuilder().kernels().entry(10, name).bytes()),
                HasSubstr("expected a name of letters, digits and _"))
        << name;
  EXPECT_THAT(spirv_refusal(head().entry(11, "k").bytes()), HasSubstr("second kernel named k"));
}

TEST(SpirvParse, what_hangs_together_must) {
  EXPECT_THAT(spirv_refusal(head().bytes()), HasSubstr("kernel k: found no function 10"));
  EXPECT_THAT(spirv_refusal(kernel_of({}, {99}, head()).bytes()),
              HasSubstr("found type id 99 for argument 0"));
  EXPECT_THAT(spirv_refusal(head().op(54, {20, 10, 0, 21}).bytes()),
              HasSubstr("function 10 without a type"));
  EXPECT_THAT(spirv_refusal(head().op(55, {20, 10}).bytes()),
              HasSubstr("found a parameter, expected the begin of its function"));
  EXPECT_THAT(spirv_refusal(head().op(21, {40, 32, 0}).op(22, {40, 32}).bytes()),
              HasSubstr("found id 40, expected one that no other type has"));
  EXPECT_THAT(spirv_refusal(head().op(56, {}).bytes()), HasSubstr("the end of a function"));
}

TEST(SpirvParse, hostile_sizes_are_not_computed_with) {
  // An array of 2^32 - 1 arrays of 2^32 - 1 longs has no size that anything could be checked by.
  const auto all = parameters_of(kernel_of({{21, {40, 64, 0}},
                                            {21, {41, 32, 0}},
                                            {43, {41, 42, 0xffffffff}},
                                            {28, {43, 40, 42}},
                                            {28, {44, 43, 42}},
                                            {30, {45, 44, 44}},
                                            {32, {46, 7, 45}}},
                                           {46}, head().op(71, {80, 38, 2})));
  EXPECT_EQ(all.at(0).bytes, 0u);
}

TEST(SpirvParse, functions_with_many_kernels_do_not_multiply) {
  ModuleBuilder module;
  module.kernels().word(3, 2000);
  for (int i = 0; i < 1000; ++i) module.entry(10, "k" + std::to_string(i));
  EXPECT_THAT(spirv_refusal(kernel_of({{21, {40, 32, 0}}}, Words(1000, 40), module).bytes()),
              HasSubstr("found more than 65536 parameters"));
  for (int i = 1000; i < 1100; ++i) module.entry(10, "k" + std::to_string(i));
  EXPECT_THAT(spirv_refusal(module.bytes()), HasSubstr("more than 1024 kernels"));
}

RC_GTEST_PROP(SpirvParse, changed_modules_are_read_or_refused_in_one_line, ()) {
  Bytes bytes = constants_module().bytes();
  const auto changes = *rc::gen::inRange(1, 8);
  for (int i = 0; i < changes; ++i)
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] =
        static_cast<std::byte>(*rc::gen::inRange(0, 256));
  bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size() + 1));
  const auto module = parse(bytes);
  if (!module) {
    RC_ASSERT(module.error().message().starts_with("SPIR-V module: "));
    RC_ASSERT(module.error().message().find('\n') == std::string::npos);
  }
}

TEST(SpirvParse, ids_are_below_the_bound_of_the_header) {
  const auto module = [](std::uint32_t bound) {
    return kernel_of({{21, {40, 32, 0}}, {43, {40, 60, 3}}}, {40}, head()).word(3, bound).bytes();
  };
  EXPECT_EQ(spirv_refusal(module(81)), "accepted");
  EXPECT_THAT(spirv_refusal(module(80)), HasSubstr("found id 80, expected 1 to 79"));
  EXPECT_THAT(spirv_refusal(module(60)), HasSubstr("found id 60, expected 1 to 59"));
  EXPECT_THAT(spirv_refusal(module(40)), HasSubstr("found id 40, expected 1 to 39"));
  EXPECT_THAT(spirv_refusal(module(20)), HasSubstr("found id 20, expected 1 to 19"));
  const auto function = ModuleBuilder().kernels().op(19, {1}).op(33, {2, 1}).function(9, 2, {});
  EXPECT_THAT(spirv_refusal(ModuleBuilder(function).word(3, 9).bytes()), HasSubstr("found id 9,"));
  const auto constant = head().op(71, {60, 1, 0}).op(20, {1}).op(48, {1, 60});
  EXPECT_THAT(spirv_refusal(ModuleBuilder(constant).word(3, 60).bytes()), HasSubstr("found id 60"));
}

TEST(SpirvParse, names_are_cut_at_the_end_of_a_character) {
  const auto name_of = [](const std::string& name) {
    return parameters_of(kernel_of({{21, {40, 32, 0}}}, {40}, head().name(80, name))).at(0).name;
  };
  EXPECT_EQ(name_of(std::string(255, 'a') + "é"), std::string(255, 'a') + "…");
  EXPECT_EQ(name_of(std::string(254, 'a') + "é"), std::string(254, 'a') + "é");
  EXPECT_EQ(name_of("\xc3\x28\n"), "\\xc3(\\n");
}

TEST(SpirvParse, a_module_of_types_alone_takes_little_memory) {
  ModuleBuilder module;
  module.kernels().word(3, most_ids);
  for (std::uint32_t id = 1; id < (largest_module - 64) / 8; ++id) module.op(30, {id});
  const Bytes bytes = module.bytes();
  ASSERT_LE(bytes.size(), largest_module);
  const std::size_t before = kiln::testing::allocated_bytes();
  EXPECT_THAT(spirv_refusal(bytes), HasSubstr("found more than 262144 types"));
  EXPECT_LE(kiln::testing::allocated_bytes() - before, 4 * largest_module);
}

}  // namespace
}  // namespace kiln::spirv
