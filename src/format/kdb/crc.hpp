#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "base/bytes.hpp"

/// The check sums of kernel databases. Both use the ordinary reflected CRC-32 polynomial
/// (0xEDB88320); they differ in how the register starts and ends.
namespace kiln::kdb {

/// The CRC register after the bytes, with nothing inverted before or after: a table walk of sixteen
/// bytes a step.
std::uint32_t crc_register(std::uint32_t start, ByteView bytes);

/// Standard CRC-32 (zlib's), which the published page names.
std::uint32_t plain_sum(ByteView bytes);

/// What clBLAS really computes: the register starts at zero and is inverted after every piece that
/// the program wrote in one call, without being inverted back before the next. So the borders of
/// the pieces matter: in zlib's terms `h = crc32(piece, h ^ 0xFFFFFFFF)`.
class ChainedSum {
 public:
  void add(ByteView piece) { value_ = ~crc_register(value_, piece); }
  std::uint32_t value() const { return value_; }

 private:
  std::uint32_t value_ = 0;
};

/// The chained sum of pieces of these sizes, all zero.
std::uint32_t chained_sum_of_zeros(std::span<const std::size_t> sizes);

/// The chained sum of bytes that were written in pieces whose chained_sum_of_zeros is `zeros`.
/// Inverting flips the same bits whatever the register holds, and a CRC is linear, so all
/// inversions together are one constant: the bytes are walked once, without their borders.
inline std::uint32_t chained_sum(ByteView bytes, std::uint32_t zeros) {
  return crc_register(0, bytes) ^ zeros;
}

}  // namespace kiln::kdb
