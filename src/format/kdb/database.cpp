// A database as a value: when two are equal, its kernel binaries, its text and its summary.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "format/kdb/catalogue.hpp"
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
std::vector<KernelSlot> kernels(const Database& database,
                                const std::function<const Database&(const KernelSlot&)>& source) {
  std::vector<KernelSlot> slots;
  walk(database, [&](const Place& place, const Record* record) {
    KernelSlot slot{static_cast<std::size_t>(place.pattern),
                    static_cast<std::size_t>(place.setting),
                    static_cast<std::size_t>(place.record)};
    for (; record != nullptr && slot.slot < 3; ++slot.slot) {
      slot.content = kernel(source(slot), *record, slot.slot);
      if (!slot.content.empty()) slots.push_back(slot);
    }
  });
  return slots;
}

std::vector<KernelSlot> kernels(const Database& database) {
  return kernels(database, [&](const KernelSlot&) -> const Database& { return database; });
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

namespace {

std::string size_text(std::uint64_t size, std::uint64_t unused) {
  return size == unused ? "unused" : fmt::format("{}", size);
}

std::string level_text(const Dimensions& level, Layout layout) {
  const std::uint64_t unused = layout == Layout::v3 ? unused_v3 : unused_v1;
  return fmt::format("{} x {} x {}, items {} x {}", level.x, level.y, level.bwidth,
                     size_text(level.item_x, unused), size_text(level.item_y, unused));
}

std::string time_text(double time) {
  if (std::bit_cast<std::uint64_t>(time) == std::bit_cast<std::uint64_t>(untuned_time))
    return "untuned";
  if (std::isnan(time)) return fmt::format("nan {:#x}", std::bit_cast<std::uint64_t>(time));
  return fmt::format("{} ms", time);
}

// A list that is not all zero.
template <class List>
bool any(const List& list) {
  return list != List{};
}

std::string group_text(const Granularity& group) {
  std::string text =
      fmt::format("work-group {} x {} in {}, wavefront {}, at most {}", group.work_group[0],
                  group.work_group[1], group.dimensions, group.wavefront, group.max_work_group);
  if (any(group.spawned)) text += fmt::format(", spawned {}", fmt::join(group.spawned, " "));
  return text;
}

/// Runs of untuned records in one line, since most are: "2-5: untuned".
void append_records(std::string& text, const Setting& setting, Layout layout, Shown shown) {
  const auto& records = setting.records;
  for (std::size_t first = 0, next = 1; first < records.size(); first = next++) {
    const std::string line = to_line(records[first], layout);
    if (line == "untuned") {
      while (next < records.size() && records[next] == Record{}) ++next;
      if (shown == Shown::only_tuned) continue;
    }
    const std::string last = next - first > 1 ? fmt::format("-{}", next - 1) : "";
    text += fmt::format("    {}{}: {}\n", first, last, line);
  }
}

bool has_tuned(const Setting& setting) {
  return std::any_of(setting.records.begin(), setting.records.end(),
                     [](const Record& record) { return record.tuned(); });
}

}  // namespace

// Everything that can differ is shown, since diff prints these lines side by side.
std::string to_line(const Record& record, Layout layout) {
  if (record == Record{}) return "untuned";
  std::string text = time_text(record.time);
  text += "; " + level_text(record.levels[0], layout);
  text += "; " + level_text(record.levels[1], layout);
  if (record.levels[2] != Dimensions{}) text += "; " + level_text(record.levels[2], layout);
  text += "; " + group_text(record.granularity);
  if (any(record.sizes)) text += fmt::format("; kernel sizes {}", fmt::join(record.sizes, " "));
  if (record.duplicate != record.sizes && (layout == Layout::v3 || any(record.duplicate)))
    text += fmt::format("; duplicate sizes {}", fmt::join(record.duplicate, " "));
  if (any(record.offsets))
    text += fmt::format("; kernel offsets {}", fmt::join(record.offsets, " "));
  return text;
}

std::string to_text(const Database& database, Shown shown) {
  std::string text = fmt::format("layout {}, {} functions, binary data start {}, {} binary bytes\n",
                                 name_of(database.layout), database.functions,
                                 database.binary_start, database.binaries.size());
  for (const Pattern& pattern : database.patterns) {
    const auto function = function_of(pattern.name);
    text += fmt::format("{} [{}]{}\n", shown_name(pattern), function ? *function : "unknown",
                        pattern.terminated ? "" : " (no NUL)");
    for (const Setting& setting : pattern.settings) {
      if (shown == Shown::only_tuned && !has_tuned(setting)) continue;
      text += fmt::format("  {}\n", describe(setting, database.layout));
      append_records(text, setting, database.layout, shown);
    }
  }
  return text;
}

std::vector<PatternSummary> summarize(const Database& database) {
  std::vector<PatternSummary> summaries;
  for (const Pattern& pattern : database.patterns) {
    PatternSummary summary{.name = pattern.name,
                           .function = function_of(pattern.name).value_or(""),
                           .settings = pattern.settings.size()};
    for (const Setting& setting : pattern.settings) {
      summary.records += setting.records.size();
      for (const Record& record : setting.records) {
        for (std::size_t slot = 0; slot < 3; ++slot)
          summary.kernels += !kernel(database, record, slot).empty();
        if (!record.tuned()) continue;
        ++summary.tuned;
        if (summary.tuned == 1) summary.fastest = summary.slowest = record.time;
        summary.fastest = std::min(summary.fastest, record.time);
        summary.slowest = std::max(summary.slowest, record.time);
      }
    }
    summaries.push_back(summary);
  }
  return summaries;
}

}  // namespace kiln::kdb
