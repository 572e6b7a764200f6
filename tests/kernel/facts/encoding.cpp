// Facts as bytes: what was written is read again, and anything else is refused.
#include <gtest/gtest.h>

#include "kernel/facts/kernel_facts.hpp"

namespace kiln {
namespace {

std::vector<KernelFacts> some_facts() {
  KernelFacts one;
  one.name = "k";
  one.found = one.suspicious = one.uses_atomics = one.data_dependent_reads = one.uses_barrier =
      true;
  one.reasons = {"line 1: a", ""};
  one.suspicions = {"line 2: b"};
  one.dimensions = 3;
  one.required_local_size = {8, 4, 1};
  ParameterUse use;
  use.name = "p";
  use.is_pointer = use.is_global = use.written = true;
  use.element_type = "float4";
  use.layout = {16, 16, "float4"};
  one.parameters = {use, {}};
  return {one, {}};
}

TEST(KernelFacts, bytes_give_what_was_written) {
  const auto facts = some_facts();
  EXPECT_EQ(*decode_kernel_facts(encode(facts)), facts);
  EXPECT_EQ(*decode_kernel_facts(encode(std::vector<KernelFacts>{})), std::vector<KernelFacts>());
}

TEST(KernelFacts, torn_or_longer_bytes_are_refused) {
  const Bytes bytes = encode(some_facts());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_kernel_facts(ByteView(bytes).first(size))) << size;
  Bytes longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode_kernel_facts(longer));
}

TEST(KernelFacts, a_wrong_length_or_flag_is_refused_without_much_memory) {
  Bytes bytes = encode(some_facts());
  bytes[0] = bytes[1] = bytes[2] = bytes[3] = std::byte{0xFF};
  EXPECT_FALSE(decode_kernel_facts(bytes));
  bytes = encode(some_facts());
  bytes[4 + 4 + 1] = std::byte{2};  // the first flag, behind the count and the name
  EXPECT_FALSE(decode_kernel_facts(bytes));
}

}  // namespace
}  // namespace kiln
