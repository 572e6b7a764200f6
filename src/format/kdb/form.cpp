#include "format/kdb/form.hpp"

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

namespace {

/// Loads and stores fields one after another; the caller has checked the length.
// Fields are unaligned and the machine little-endian (checked in base), so that a copy is a load.
struct Source {
  const std::byte* at;
  template <class T>
  T next() {
    T value;
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }
};
struct Sink {
  std::byte* at;
  template <class T>
  void next(T value) {
    std::memcpy(at, &value, sizeof value);
    at += sizeof value;
  }
};

// Statements, not braced initializers of calls, fix the order of the fields.

Record read_v3(const std::byte* at) {
  Source from{at};
  Record record;
  for (Dimensions& level : record.levels) {
    level.x = from.next<std::uint32_t>();
    level.y = from.next<std::uint32_t>();
    level.item_x = from.next<std::uint32_t>();
    level.item_y = from.next<std::uint32_t>();
    level.bwidth = from.next<std::uint32_t>();
  }
  record.granularity = from.next<Granularity>();
  for (auto& offset : record.offsets) offset = from.next<std::uint32_t>();
  record.duplicate = from.next<std::array<std::uint32_t, 3>>();
  record.sizes = from.next<std::array<std::uint32_t, 3>>();
  record.time = from.next<double>();
  return record;
}
static_assert(sizeof(Granularity) == 28, "read and written as one piece");

void write_v3(const Record& record, std::byte* at) {
  Sink to{at};
  for (const Dimensions& level : record.levels)
    for (const auto size : {level.x, level.y, level.item_x, level.item_y, level.bwidth})
      to.next(static_cast<std::uint32_t>(size));
  to.next(record.granularity);
  for (const auto offset : record.offsets) to.next(static_cast<std::uint32_t>(offset));
  to.next(record.duplicate);
  to.next(record.sizes);
  to.next(record.time);
}

// The page's order: bwidth before the items, as in the structure that it names. Version 3 has them
// behind the items, since its writer puts the fields out one by one.
template <class Offset>
Record read_v1(const std::byte* at) {
  Source from{at};
  Record record;
  for (Dimensions& level : record.levels) {
    level.x = from.next<std::uint64_t>();
    level.y = from.next<std::uint64_t>();
    level.bwidth = from.next<std::uint64_t>();
    level.item_x = from.next<std::uint64_t>();
    level.item_y = from.next<std::uint64_t>();
  }
  record.granularity.work_group = from.next<std::array<std::uint32_t, 2>>();
  record.granularity.dimensions = from.next<std::uint32_t>();
  record.granularity.wavefront = from.next<std::uint32_t>();
  for (auto& offset : record.offsets) offset = from.next<Offset>();
  record.sizes = from.next<std::array<std::uint32_t, 3>>();
  record.time = from.next<double>();
  return record;
}

template <class Offset>
void write_v1(const Record& record, std::byte* at) {
  Sink to{at};
  for (const Dimensions& level : record.levels)
    for (const auto size : {level.x, level.y, level.bwidth, level.item_x, level.item_y})
      to.next(size);
  to.next(record.granularity.work_group);
  to.next(record.granularity.dimensions);
  to.next(record.granularity.wavefront);
  for (const auto offset : record.offsets) to.next(static_cast<Offset>(offset));
  to.next(record.sizes);
  to.next(record.time);
}

// The pieces that clBLAS writes in one call each.
constexpr std::size_t header_pieces[] = {3, 4, 4, 8}, setting_pieces[] = {4, 4, 4};
constexpr std::size_t record_pieces[] = {4, 4, 4, 4, 4, 4,  4,  4,  4, 4,
                                         4, 4, 4, 4, 4, 28, 24, 12, 8};

// Static locals: the constants are computed once, at the first file, and need no table in the
// source that a reader would have to trust.
std::uint32_t header_chain(ByteView bytes) {
  static const std::uint32_t zeros = chained_sum_of_zeros(header_pieces);
  return chained_sum(bytes, zeros);
}
// The name's length decides the pieces, so that there is no constant to prepare.
std::uint32_t pattern_chain(ByteView bytes) {
  ChainedSum sum;
  sum.add(bytes.first(4));
  sum.add(bytes.subspan(4, bytes.size() - 8));
  sum.add(bytes.last(4));
  return sum.value();
}
std::uint32_t setting_chain(ByteView bytes) {
  static const std::uint32_t zeros = chained_sum_of_zeros(setting_pieces);
  return chained_sum(bytes, zeros);
}
std::uint32_t record_chain(ByteView bytes) {
  static const std::uint32_t zeros = chained_sum_of_zeros(record_pieces);
  return chained_sum(bytes, zeros);
}

constexpr std::uint64_t most_32 = 0xffffffff, most_64 = ~std::uint64_t{0};
constexpr Form forms[] = {
    {Layout::v3, 3, 136, 0, false, true, most_32, most_32, read_v3, write_v3, header_chain,
     pattern_chain, setting_chain, record_chain},
    {Layout::v1, 1, 172, 1, true, false, most_64, most_32, read_v1<std::uint32_t>,
     write_v1<std::uint32_t>, plain_sum, plain_sum, plain_sum, plain_sum},
    {Layout::v1_wide, 1, 184, 1, true, false, most_64, most_64, read_v1<std::uint64_t>,
     write_v1<std::uint64_t>, plain_sum, plain_sum, plain_sum, plain_sum},
};

}  // namespace

const Form& form_of(Layout layout) { return forms[static_cast<std::size_t>(layout)]; }

}  // namespace kiln::kdb
