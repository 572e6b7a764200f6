#include <algorithm>
#include <bit>

#include "format/kdb/form.hpp"

namespace kiln::kdb {

// By bits: a NaN must equal itself, or no damaged file would survive a comparison with itself.
bool Record::operator==(const Record& other) const {
  return levels == other.levels && granularity == other.granularity && sizes == other.sizes &&
         duplicate == other.duplicate && offsets == other.offsets &&
         std::bit_cast<std::uint64_t>(time) == std::bit_cast<std::uint64_t>(other.time);
}

bool Database::operator==(const Database& other) const {
  return layout == other.layout && functions == other.functions &&
         binary_start == other.binary_start && patterns == other.patterns &&
         as_text(binaries) == as_text(other.binaries);
}

// A model may come from anywhere, so that nothing is taken for granted about its numbers here,
// though parse has checked those of a file.
ByteView kernel(const Database& database, const Record& record, std::size_t slot) {
  const std::uint64_t start = database.binary_start, offset = record.offsets[slot];
  const std::uint64_t size = record.sizes[slot];
  if (size == 0 || start == 0 || offset < start) return {};
  if (offset - start > database.binaries.size()) return {};
  if (size > database.binaries.size() - (offset - start)) return {};
  return database.binaries.subspan(static_cast<std::size_t>(offset - start),
                                   static_cast<std::size_t>(size));
}

// In the order of the records, so that placing them again gives the order of the file.
std::vector<KernelSlot> kernels(const Database& database) {
  std::vector<KernelSlot> slots;
  for (std::size_t p = 0; p < database.patterns.size(); ++p)
    for (std::size_t s = 0; s < database.patterns[p].settings.size(); ++s) {
      const auto& records = database.patterns[p].settings[s].records;
      for (std::size_t r = 0; r < records.size(); ++r)
        for (std::size_t slot = 0; slot < 3; ++slot)
          if (const ByteView content = kernel(database, records[r], slot); !content.empty())
            slots.push_back({p, s, r, slot, content});
    }
  return slots;
}

Expected<void> place_kernels(Database& database, const std::vector<KernelSlot>& slots) {
  const Form& form = form_of(database.layout);
  if (!form.holds_binaries && !slots.empty())
    return fail(Errc::unsupported, "version 3 holds no kernel binaries");
  // The contents may lie in this database's own storage: it is replaced last.
  for (Pattern& pattern : database.patterns)
    for (Setting& setting : pattern.settings)
      for (Record& record : setting.records) record.sizes = {}, record.offsets = {};
  auto storage = std::make_shared<Bytes>();
  const std::uint64_t start = size_without_binaries(database);
  for (const KernelSlot& slot : slots) {
    Record& record = database.patterns[slot.pattern].settings[slot.setting].records[slot.record];
    // Offsets count from the start of the file, of which the header, the patterns and their records
    // come first; their size does not depend on what is placed.
    const std::uint64_t offset = start + storage->size();
    if (offset > form.most_offset || slot.content.size() > 0xffffffff)
      return fail(Errc::unsupported, "kernel binaries beyond 4 GiB do not fit into layout v1");
    record.offsets[slot.slot] = offset;
    record.sizes[slot.slot] = static_cast<std::uint32_t>(slot.content.size());
    append(*storage, slot.content);
  }
  database.binary_start = slots.empty() ? 0 : start;
  database.binaries = *storage;
  database.storage = std::move(storage);
  return {};
}

}  // namespace kiln::kdb
