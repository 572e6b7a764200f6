#include <gtest/gtest.h>

#include "kernel/program/program.hpp"
#include "kernel/support.hpp"

namespace kiln::testing {
namespace {

Expected<Artifact> decode(ByteView bytes) { return decode_artifact(bytes, artifact_schema); }

FactsPtr example_facts() {
  KernelFacts facts;
  facts.name = "first";
  facts.found = facts.suspicious = true;
  facts.reasons = {"line 3: calls get_group_id(0)"};
  facts.parameters.resize(2);
  facts.parameters[1].element_type = "float4";
  return std::make_shared<const std::vector<KernelFacts>>(std::vector<KernelFacts>{facts});
}

KernelArgument any_argument() {
  KernelArgument argument;
  argument.address =
      *rc::gen::inRange<cl_uint>(CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_PRIVATE + 1);
  argument.access = *rc::gen::arbitrary<cl_uint>();
  argument.qualifier = *rc::gen::arbitrary<cl_ulong>();
  argument.type = *rc::gen::arbitrary<std::string>();
  argument.name = *rc::gen::arbitrary<std::string>();
  return argument;
}

Artifact any_artifact() {
  Artifact artifact;
  artifact.form = *rc::gen::element(Artifact::Form::pocl_archive, Artifact::Form::driver_binary);
  artifact.binary = *any_bytes();
  for (int kernels = *rc::gen::inRange(0, 4); kernels > 0; --kernels) {
    KernelInfo kernel;
    kernel.name = *rc::gen::arbitrary<std::string>();
    kernel.has_arguments = *rc::gen::arbitrary<bool>();
    for (int count = *rc::gen::inRange(0, 5); count > 0; --count)
      kernel.arguments.push_back(any_argument());
    artifact.kernels.push_back(std::move(kernel));
  }
  if (*rc::gen::arbitrary<bool>()) artifact.facts = example_facts();
  return artifact;
}

void expect_equal(const Artifact& a, const Artifact& b) {
  RC_ASSERT(a.form == b.form);
  RC_ASSERT(a.binary == b.binary);
  RC_ASSERT((a.facts == nullptr) == (b.facts == nullptr));
  if (a.facts) RC_ASSERT(*a.facts == *b.facts);
  RC_ASSERT(a.kernels.size() == b.kernels.size());
  for (std::size_t k = 0; k < a.kernels.size(); ++k) {
    const auto &x = a.kernels[k], &y = b.kernels[k];
    RC_ASSERT(x.name == y.name);
    RC_ASSERT(x.has_arguments == y.has_arguments);
    RC_ASSERT(x.arguments.size() == y.arguments.size());
    for (std::size_t i = 0; i < x.arguments.size(); ++i) {
      RC_ASSERT(x.arguments[i].address == y.arguments[i].address);
      RC_ASSERT(x.arguments[i].access == y.arguments[i].access);
      RC_ASSERT(x.arguments[i].qualifier == y.arguments[i].qualifier);
      RC_ASSERT(x.arguments[i].type == y.arguments[i].type);
      RC_ASSERT(x.arguments[i].name == y.arguments[i].name);
    }
  }
}

/// An artifact with something in every field.
Artifact example_artifact() {
  Artifact artifact;
  artifact.form = Artifact::Form::pocl_archive;
  artifact.binary = Bytes(40, std::byte{0xab});
  KernelArgument argument{CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_NONE, 1, "float*",
                          "x"};
  artifact.kernels = {{"first", true, {argument, argument}}, {"second", false, {}}};
  artifact.facts = example_facts();
  return artifact;
}

TEST(Artifact, any_artifact_survives_encoding) {
  EXPECT_TRUE(rc::check([] {
    const Artifact artifact = any_artifact();
    const auto back = decode(encode(artifact));
    RC_ASSERT(back.has_value());
    expect_equal(artifact, *back);
  }));
}

TEST(Artifact, those_of_schema_1_are_read_and_know_no_facts) {
  Artifact artifact = example_artifact();
  artifact.facts = nullptr;
  Bytes old = encode(artifact);
  old.resize(old.size() - sizeof(std::uint64_t));  // the length of the facts
  const auto back = decode_artifact(old, 1);
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back->kernels.size(), artifact.kernels.size());
  EXPECT_EQ(back->binary, artifact.binary);
  EXPECT_EQ(back->facts, nullptr);
  EXPECT_FALSE(decode_artifact(old, artifact_schema));
  EXPECT_FALSE(decode_artifact(old, artifact_schema + 1));
}

TEST(Artifact, every_truncation_is_an_error) {
  const Bytes whole = encode(example_artifact());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto result = decode(ByteView(whole).first(size));
    ASSERT_FALSE(result) << size;
    EXPECT_EQ(result.error().code(), Errc::corrupt);
  }
}

TEST(Artifact, bytes_after_its_end_are_an_error) {
  Bytes longer = encode(example_artifact());
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode(longer));
}

TEST(Artifact, every_flipped_byte_is_an_error_or_another_artifact_of_the_same_size) {
  const Bytes whole = encode(example_artifact());
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int flip : {0x01, 0x80, 0xff}) {
      Bytes broken = whole;
      broken[at] ^= static_cast<std::byte>(flip);
      const auto result = decode(broken);
      if (result) {
        EXPECT_EQ(encode(*result).size(), whole.size()) << at;
      }
    }
}

TEST(Artifact, counts_beyond_the_bytes_take_no_memory) {
  Bytes bytes;
  append_le(bytes, std::uint8_t{1});
  append_le(bytes, std::uint32_t{0xffffffff});
  EXPECT_FALSE(decode(bytes));
}

TEST(Artifact, any_bytes_are_decoded_or_refused) {
  EXPECT_TRUE(rc::check([] {
    const Bytes bytes = *any_bytes();
    const auto result = decode(bytes);
    if (result) RC_ASSERT(encode(*result).size() == bytes.size());
  }));
}

}  // namespace
}  // namespace kiln::testing
