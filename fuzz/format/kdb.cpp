#include "kiln/formats/kdb.hpp"

#include <cstdlib>

#include "base/data/bytes.hpp"
#include "format/kdb/form.hpp"

using namespace kiln;
using namespace kiln::kdb;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

/// Sets the four bytes at `at` to the sum of what is between.
void repair(std::byte* data, std::size_t from, std::size_t at, std::uint32_t (*sum)(ByteView)) {
  const std::uint32_t value = sum({data + from, at - from});
  std::memcpy(data + at, &value, sizeof value);
}

/// Walks a file as far as its lengths lead and makes every sum right, so that changes reach what
/// lies behind the sums.
void repair_sums(std::byte* data, std::size_t size) {
  const auto number = [&](std::size_t at) { return load_le<std::uint32_t>(data + at); };
  if (size < header_bytes) return;
  // One of two layouts: the second reading of version 1 keeps the sums that it has.
  const Form& form = form_of(number(3) == 1 ? Layout::v1 : Layout::v3);
  repair(data, 0, header_bytes - sum_bytes, form.header_sum);
  std::size_t at = header_bytes;
  while (size - at >= pattern_bytes) {
    const std::size_t length = number(at);
    if (length > size - at - pattern_bytes) return;
    const std::size_t settings = number(at + 4 + length);
    repair(data, at, at + 8 + length, form.pattern_sum);
    at += pattern_bytes + length;
    for (std::size_t s = 0; s < settings && size - at >= setting_bytes; ++s) {
      const std::size_t records = number(at + 8);
      repair(data, at, at + setting_bytes - sum_bytes, form.setting_sum);
      at += setting_bytes;
      for (std::size_t r = 0; r < records && size - at >= form.record_bytes; ++r) {
        repair(data, at, at + form.record_bytes - sum_bytes, form.record_sum);
        at += form.record_bytes;
      }
    }
  }
}

/// Whatever is done with an accepted database gives one that can be written.
void exercise(const Database& database) {
  for (const Finding& finding : verify(database, {256})) {
    require(!finding.text.empty());
    require(!describe(database, finding.place).empty());
  }
  require(!to_text(database).empty());
  (void)summarize(database);
  for (const KernelSlot& slot : kernels(database)) require(!slot.content.empty());
  for (const Layout to : {Layout::v3, Layout::v1, Layout::v1_wide}) {
    const auto converted = convert(database, to);
    require(converted.has_value());
    require(write(converted->database).has_value());
  }
  require(diff(database, database).empty());
  const Database twice[] = {database, database};
  const auto merged = merge(twice, Prefer::faster);
  require(merged.has_value());
  require(write(merged->database).has_value());
}

}  // namespace

// Whatever the bytes are, they are refused or written back as they were, directly and through JSON.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  std::vector<Finding> sums;
  const auto damaged = parse(bytes, sums);
  if (damaged) exercise(*damaged);
  if (size % 128 == 0) (void)salvage(bytes);  // it makes a whole database: slow
  (void)from_json(as_text(bytes));
  const auto database = parse(bytes);
  if (!database) {
    require(!database.error().message().empty());
    return 0;
  }
  const auto written = write(*database);
  require(written.has_value() && as_text(*written) == as_text(bytes));
  const auto read = from_json(to_json(*database));
  require(read.has_value() && as_text(*write(*read)) == as_text(bytes));
  return 0;
}

// Only libFuzzer has it; the program that replays the corpus never mutates.
extern "C" [[gnu::weak]] std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                                      std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, most);
  // Some inputs keep their wrong sums, to test those too.
  if (seed % 8 != 0) repair_sums(reinterpret_cast<std::byte*>(data), size);
  return size;
}
