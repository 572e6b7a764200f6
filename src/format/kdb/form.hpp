#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "base/data/bytes.hpp"
#include "kiln/formats/kdb.hpp"

/// The bytes of kernel databases, as far as the layouts differ in them: check sums, sizes, records.
namespace kiln::kdb {

// Check sums. Both use the ordinary reflected CRC-32 polynomial (0xEDB88320); they differ in how
// the register starts and ends.

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

inline constexpr std::size_t header_bytes = 23, setting_bytes = 16, sum_bytes = 4;
/// A pattern's header without its name.
inline constexpr std::size_t pattern_bytes = 12;
inline std::size_t header_bytes_of(const Pattern& pattern) {
  return pattern_bytes + pattern.name.size() + (pattern.terminated ? 1 : 0);
}
/// clBLAS has room for this many: 50 functions of 8 patterns. It bounds what tiny patterns, which
/// take more memory than file, can cost.
inline constexpr std::size_t most_patterns = 400;

/// What differs between the layouts. Reader and writer ask this table and never compare layouts
/// themselves.
struct Form {
  Layout layout;
  std::uint32_t version;
  std::size_t record_bytes;             ///< its sum included
  std::uint32_t first_type;             ///< the file's number of float
  bool holds_binaries;                  ///< from binary_data_start on
  bool terminated_names;                ///< a name must have its NUL
  std::uint64_t most, most_offset;      ///< largest size in a level, largest kernel offset
  Record (*read)(const std::byte* at);  ///< record_bytes are there
  void (*write)(const Record& record, std::byte* at);  ///< all but the sum
  // The sums over the bytes of a part without its sum field.
  std::uint32_t (*header_sum)(ByteView bytes);
  std::uint32_t (*pattern_sum)(ByteView bytes);
  std::uint32_t (*setting_sum)(ByteView bytes);
  std::uint32_t (*record_sum)(ByteView bytes);
};

const Form& form_of(Layout layout);

/// The kernel binaries of records that still have the offsets of the database that they are from,
/// which `source` names.
std::vector<KernelSlot> kernels(const Database& database,
                                const std::function<const Database&(const KernelSlot&)>& source);

/// Calls visit(place, record) for each pattern, setting and record in the order of the file; the
/// record is null at patterns and settings.
template <class Visit>
void walk(const Database& database, Visit visit) {
  const Form& form = form_of(database.layout);
  Place place;
  std::uint64_t at = header_bytes;
  const Record* const none = nullptr;
  for (const Pattern& pattern : database.patterns) {
    place = {at, place.pattern + 1, -1, -1};
    visit(std::as_const(place), none);
    at += header_bytes_of(pattern);
    for (const Setting& setting : pattern.settings) {
      place = {at, place.pattern, place.setting + 1, -1};
      visit(std::as_const(place), none);
      at += setting_bytes;
      for (const Record& record : setting.records) {
        place.offset = at;
        ++place.record;
        visit(std::as_const(place), &record);
        at += form.record_bytes;
      }
    }
  }
}

}  // namespace kiln::kdb
