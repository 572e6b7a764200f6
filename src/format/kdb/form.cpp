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

// The fields of a record, named once for both ways: a Source sets them from bytes, a Sink writes
// them. Fields are unaligned and the machine little-endian (checked in base), so that a copy is a
// load; the caller has checked the length.

struct Source {
  const std::byte* at;
  template <class Stored, class... Values>
  void as(Values&... values) {
    ((values = take<Stored>()), ...);
  }
  template <class Stored>
  Stored take() {
    Stored value;
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }
};
struct Sink {
  std::byte* at;
  template <class Stored, class... Values>
  void as(const Values&... values) {
    (put(static_cast<Stored>(values)), ...);
  }
  template <class Stored>
  void put(const Stored& value) {
    std::memcpy(at, &value, sizeof value);
    at += sizeof value;
  }
};

using Words = std::array<std::uint32_t, 3>;

struct FieldsV3 {
  template <class Fields, class AnyRecord>
  static void pass(Fields fields, AnyRecord& record) {
    for (auto& level : record.levels)
      fields.template as<std::uint32_t>(level.x, level.y, level.item_x, level.item_y, level.bwidth);
    fields.template as<Granularity>(record.granularity);
    for (auto& offset : record.offsets) fields.template as<std::uint32_t>(offset);
    fields.template as<Words>(record.duplicate, record.sizes);
    fields.template as<double>(record.time);
  }
};
static_assert(sizeof(Granularity) == 28, "read and written as one piece");

// The page's order: bwidth before the items, as in the structure that it names. Version 3 has them
// behind the items, since its writer puts the fields out one by one.
template <class Offset>
struct FieldsV1 {
  template <class Fields, class AnyRecord>
  static void pass(Fields fields, AnyRecord& record) {
    for (auto& level : record.levels)
      fields.template as<std::uint64_t>(level.x, level.y, level.bwidth, level.item_x, level.item_y);
    auto& group = record.granularity;
    fields.template as<std::uint32_t>(group.work_group[0], group.work_group[1], group.dimensions,
                                      group.wavefront);
    for (auto& offset : record.offsets) fields.template as<Offset>(offset);
    fields.template as<Words>(record.sizes);
    fields.template as<double>(record.time);
  }
};

template <class Fields>
Record read(const std::byte* at) {
  Record record;
  Fields::pass(Source{at}, record);
  return record;
}
template <class Fields>
void write(const Record& record, std::byte* at) {
  Fields::pass(Sink{at}, record);
}

// The pieces that clBLAS writes in one call each.
constexpr std::size_t header_pieces[] = {3, 4, 4, 8}, setting_pieces[] = {4, 4, 4};
constexpr std::size_t record_pieces[] = {4, 4, 4, 4, 4, 4,  4,  4,  4, 4,
                                         4, 4, 4, 4, 4, 28, 24, 12, 8};

// A static local: the constant is computed once, at the first file, and needs no table in the
// source that a reader would have to trust.
template <const auto& pieces>
std::uint32_t chain(ByteView bytes) {
  static const std::uint32_t zeros = chained_sum_of_zeros(pieces);
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

constexpr std::uint64_t most_32 = 0xffffffff, most_64 = ~std::uint64_t{0};
constexpr Form forms[] = {
    {Layout::v3, 3, 136, 0, false, true, most_32, most_32, read<FieldsV3>, write<FieldsV3>,
     chain<header_pieces>, pattern_chain, chain<setting_pieces>, chain<record_pieces>},
    {Layout::v1, 1, 172, 1, true, false, most_64, most_32, read<FieldsV1<std::uint32_t>>,
     write<FieldsV1<std::uint32_t>>, plain_sum, plain_sum, plain_sum, plain_sum},
    {Layout::v1_wide, 1, 184, 1, true, false, most_64, most_64, read<FieldsV1<std::uint64_t>>,
     write<FieldsV1<std::uint64_t>>, plain_sum, plain_sum, plain_sum, plain_sum},
};

}  // namespace

const Form& form_of(Layout layout) { return forms[static_cast<std::size_t>(layout)]; }

}  // namespace kiln::kdb
