// Parts that wait for each other say what they are at.
#include "mesh/halo/agreement.hpp"

#include <algorithm>
#include <cstring>

#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

/// What every part gives first, whatever it is at, so that all give as much.
struct Record {
  std::uint64_t digest = 0;
  std::uint64_t bytes = 0;
  char what[80] = {};          ///< cut off where it is longer
  std::byte payload[32] = {};  ///< all of it, where there is not more

  bool agrees(const Record& other) const { return digest == other.digest && bytes == other.bytes; }
  std::string text() const { return {what, strnlen(what, sizeof what)}; }
};

std::uint64_t digest_of(const std::string& text) {
  // FNV-1a: it is compared with that of another part, and kept nowhere.
  std::uint64_t digest = 0xcbf29ce484222325u;
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return digest;
}

void check(std::span<const Record> all) {
  const auto other = std::ranges::find_if_not(
      all, [&](const Record& record) { return record.agrees(all.front()); });
  if (other == all.end()) return;
  const auto rank = other - all.begin();
  const std::string first = all.front().text(), second = other->text();
  if (first == second)
    refuse(
        "parts of a mesh differ: rank 0 and rank {} are at {}, with different arguments, "
        "expected the same calls in the same order",
        rank, first);
  refuse(
      "parts of a mesh differ: rank 0 is at {}, rank {} at {}, expected the same calls in the "
      "same order",
      first, rank, second);
}

}  // namespace

std::vector<std::byte> Agreement::gather(const std::string& what, const std::string& details,
                                         std::span<const std::byte> mine) {
  Record record;
  record.digest = digest_of(what + '\n' + details);
  record.bytes = mine.size();
  what.copy(record.what, sizeof record.what);
  const bool fits = mine.size() <= sizeof record.payload;
  if (fits) std::ranges::copy(mine, record.payload);
  const auto parts = static_cast<std::size_t>(transport_.size());
  std::vector<Record> records(parts);
  transport_.gather(std::as_bytes(std::span(&record, 1)),
                    std::as_writable_bytes(std::span(records)), what);
  check(records);
  std::vector<std::byte> all(parts * mine.size());
  if (!fits) {
    transport_.gather(mine, all, what);
    return all;
  }
  for (std::size_t part = 0; part < parts; ++part)
    std::copy_n(records[part].payload, mine.size(),
                all.begin() + static_cast<std::ptrdiff_t>(part * mine.size()));
  return all;
}

}  // namespace kiln::mesh
