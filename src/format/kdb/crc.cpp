#include "format/kdb/crc.hpp"

#include <array>

namespace kiln::kdb {
namespace {

/// Four steps of four bytes: their look-ups do not wait for each other, only their sum does. More
/// slices would not stay in the first cache together with the records.
constexpr std::size_t slices = 16;
using Tables = std::array<std::array<std::uint32_t, 256>, slices>;

/// tables[k][b]: the register after byte b and k zero bytes.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0xEDB88320u : 0u);
    tables[0][byte] = value;
  }
  for (std::size_t k = 1; k < slices; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  return tables;
}
constexpr Tables tables = make_tables();

/// The register's part of four bytes that `after` further bytes of the step follow.
template <std::size_t after>
std::uint32_t word_part(std::uint32_t word) {
  return tables[after + 3][word & 0xff] ^ tables[after + 2][(word >> 8) & 0xff] ^
         tables[after + 1][(word >> 16) & 0xff] ^ tables[after][word >> 24];
}

}  // namespace

// Only the first word of a step is mixed with the register: what came before reaches the others
// through the tables alone.
std::uint32_t crc_register(std::uint32_t start, ByteView bytes) {
  std::uint32_t value = start;
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= slices; left -= slices, at += slices)
    value = word_part<12>(load_le<std::uint32_t>(at) ^ value) ^
            word_part<8>(load_le<std::uint32_t>(at + 4)) ^
            word_part<4>(load_le<std::uint32_t>(at + 8)) ^
            word_part<0>(load_le<std::uint32_t>(at + 12));
  for (; left >= 4; left -= 4, at += 4) value = word_part<0>(load_le<std::uint32_t>(at) ^ value);
  for (; left > 0; --left, ++at)
    value = (value >> 8) ^ tables[0][(value ^ static_cast<std::uint32_t>(*at)) & 0xff];
  return value;
}

// The usual inversions before and after, which the register itself knows nothing of.
std::uint32_t plain_sum(ByteView bytes) { return ~crc_register(~0u, bytes); }

std::uint32_t chained_sum_of_zeros(std::span<const std::size_t> sizes) {
  ChainedSum sum;
  for (const std::size_t size : sizes) sum.add(Bytes(size));
  return sum.value();
}

}  // namespace kiln::kdb
