#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "format/kdb/form.hpp"
#include "format/kdb/samples.hpp"

namespace kiln::kdb::testing {
namespace {

/// The register bit by bit, as the polynomial defines it.
std::uint32_t by_bits(std::uint32_t value, ByteView bytes) {
  for (const std::byte byte : bytes) {
    value ^= static_cast<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ (value & 1 ? 0xEDB88320 : 0);
  }
  return value;
}

template <class... Numbers>
Bytes fields(Numbers... numbers) {
  Bytes bytes;
  (append_le(bytes, static_cast<std::uint32_t>(numbers)), ...);
  return bytes;
}

TEST(KdbSum, the_plain_sum_is_the_standard_one) {
  EXPECT_EQ(plain_sum(as_bytes("123456789")), 0xCBF43926u);
  EXPECT_EQ(plain_sum({}), 0u);
}

TEST(KdbSum, sums_that_clblas_wrote_are_computed) {
  const Form& form = form_of(Layout::v3);
  Bytes header;
  append(header, "CBS");
  append(header, fields(3, 50, 0, 0));
  EXPECT_EQ(form.header_sum(header), 0x6B1C9855u);

  EXPECT_EQ(form.setting_sum(fields(0, 0, 6)), 0x9EF2A056u);
  EXPECT_EQ(form.setting_sum(fields(0, 0x10, 6)), 0xE249917Du);

  const auto pattern = [](std::string_view name, std::uint32_t settings) {
    Bytes bytes = fields(name.size() + 1);
    append(bytes, name);
    bytes.push_back(std::byte{0});
    append(bytes, fields(settings));
    return bytes;
  };
  EXPECT_EQ(form.pattern_sum(pattern(block_gemv, 256)), 0xF8BE99E6u);
  EXPECT_EQ(form.pattern_sum(pattern(block_gemm, 104)), 0x6EFFDE65u);

  Bytes record(132);
  form.write(Record{}, record.data());
  EXPECT_EQ(form.record_sum(record), 0xCFF3CD1Bu);
  form.write(tuned_block_2d(), record.data());
  EXPECT_EQ(form.record_sum(record), 0x10222542u);
}

TEST(KdbSum, borders_of_pieces_matter) {
  ChainedSum one, two;
  one.add(as_bytes("abcdef"));
  two.add(as_bytes("abc"));
  two.add(as_bytes("def"));
  EXPECT_NE(one.value(), two.value());
}

RC_GTEST_PROP(KdbSum, the_table_walk_is_the_definition, (std::uint32_t start, std::string text)) {
  text += *rc::gen::container<std::string>(static_cast<std::size_t>(*rc::gen::inRange(0, 70)),
                                           rc::gen::arbitrary<char>());
  RC_ASSERT(crc_register(start, as_bytes(text)) == by_bits(start, as_bytes(text)));
}

RC_GTEST_PROP(KdbSum, one_walk_and_a_constant_are_the_chain, (std::vector<std::string> pieces)) {
  ChainedSum chain;
  Bytes all;
  std::vector<std::size_t> sizes;
  for (const std::string& piece : pieces) {
    chain.add(as_bytes(piece));
    append(all, piece);
    sizes.push_back(piece.size());
  }
  RC_ASSERT(chained_sum(all, chained_sum_of_zeros(sizes)) == chain.value());
}

}  // namespace
}  // namespace kiln::kdb::testing
