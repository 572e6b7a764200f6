// The same records elsewhere: in another layout, in the fixed order that clBLAS demands, or saved
// out of a damaged file.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "format/kdb/catalogue.hpp"
#include "format/kdb/form.hpp"

namespace kiln::kdb {
namespace {

/// The bit that means UNIT_DIAGONAL in version 3 and SEPARATE_TAILS in version 1.
constexpr std::uint32_t two_meanings = 0x80;

/// What a conversion drops, counted where it would be a line a record.
struct Counts {
  std::size_t limits = 0, limits_made = 0, spawned = 0, duplicates = 0, kernels = 0, bare_sizes = 0;
  std::size_t items = 0, kernel_bytes = 0;
};

/// From version 3 to 1, or back.
class Conversion {
 public:
  Conversion(const Database& from, Layout to) : from_(from), to_(to) {}

  Converted run() {
    Converted converted;
    converted.database.layout = to_;
    converted.database.functions = from_.functions;
    for (const Pattern& pattern : from_.patterns) {
      ++place_.pattern;
      converted.database.patterns.push_back(convert(pattern));
    }
    tell();
    converted.losses = std::move(losses_);
    return converted;
  }

 private:
  Pattern convert(const Pattern& pattern) {
    Pattern converted{.name = pattern.name, .terminated = pattern.terminated || to_ == Layout::v3};
    std::size_t dropped = 0, dropped_tuned = 0;
    place_.setting = -1;
    for (const Setting& setting : pattern.settings) {
      ++place_.setting;
      if ((setting.flags & two_meanings) != 0) {
        ++dropped;
        for (const Record& record : setting.records) dropped_tuned += record.tuned();
        continue;
      }
      auto& made = converted.settings.emplace_back(Setting{setting.type, setting.flags, {}});
      made.records.reserve(setting.records.size());
      place_.record = -1;
      for (const Record& record : setting.records) {
        ++place_.record;
        made.records.push_back(convert(record));
      }
    }
    if (dropped > 0)
      losses_.push_back(fmt::format(
          "{}: {} settings ({} tuned records) with the flag 0x80, which is UNIT_DIAGONAL in "
          "version 3 and SEPARATE_TAILS in version 1",
          shown_name(pattern), dropped, dropped_tuned));
    return converted;
  }

  Record convert(Record record) {
    for (std::size_t slot = 0; slot < 3; ++slot) {
      const std::size_t bytes = kernel(from_, record, slot).size();
      counts_.kernels += bytes > 0;
      counts_.kernel_bytes += bytes;
      counts_.bare_sizes += bytes == 0 && record.sizes[slot] != 0;
    }
    if (record.duplicate != record.sizes && to_ != Layout::v3) ++counts_.duplicates;
    record.sizes = record.duplicate = {};
    record.offsets = {};
    return to_ == Layout::v3 ? to_v3(record) : to_v1(record);
  }

  // Whatever is cleared here is counted, or it would be lost without a word.
  Record to_v1(Record record) {
    counts_.limits += record.granularity.max_work_group != 0;
    counts_.spawned += record.granularity.spawned != std::array<std::uint32_t, 2>{};
    record.granularity.max_work_group = 0;
    record.granularity.spawned = {};
    for (Dimensions& level : record.levels)
      for (auto* item : {&level.item_x, &level.item_y}) {
        if (*item < unused_v3) continue;
        counts_.items += *item != unused_v3;
        *item = unused_v1;
      }
    return record;
  }

  Record to_v3(Record record) {
    for (Dimensions& level : record.levels) {
      for (auto* item : {&level.item_x, &level.item_y}) {
        if (*item == unused_v1) {
          *item = unused_v3;
        } else if (*item >= unused_v3) {
          return untuned(record, *item, "an item size that version 3 reads as unused");
        }
      }
      for (const auto size : {level.x, level.y, level.bwidth})
        if (size > 0xffffffff) return untuned(record, size, "a size above 2^32-1");
    }
    if (record.tuned()) {
      // The field has no counterpart. What the record itself launches is all that is known.
      Granularity& group = record.granularity;
      const std::uint64_t items =
          std::uint64_t{group.work_group[0]} * (group.dimensions == 2 ? group.work_group[1] : 1);
      group.max_work_group = static_cast<std::uint32_t>(std::min<std::uint64_t>(items, 0xffffffff));
      ++counts_.limits_made;
    }
    return record;
  }

  // A record that would mean something else is worse than none: clBLAS has defaults for none.
  Record untuned(const Record& record, std::uint64_t value, std::string_view why) {
    if (record.tuned())
      losses_.push_back(
          fmt::format("{}: becomes untuned: {} is {}", describe(from_, place_), value, why));
    return {};
  }

  // Counts stand for lines: a whole database would have thousands that say the same.
  void tell() {
    const auto count = [&](std::size_t number, std::string_view what) {
      if (number > 0) losses_.push_back(fmt::format("{}: {}", what, number));
    };
    count(counts_.limits, "records whose maxWorkGroupSize is dropped");
    count(counts_.limits_made,
          "records whose maxWorkGroupSize is not known and set to their own work-group's size");
    count(counts_.spawned, "records whose numWGSpawned is dropped");
    count(counts_.duplicates,
          "records whose duplicate of the kernel sizes differed and is dropped");
    count(counts_.items, "item sizes above 10000, which become unused");
    count(counts_.bare_sizes, "kernel sizes without a kernel binary, which are dropped");
    if (counts_.kernels > 0)
      losses_.push_back(
          fmt::format("kernel binaries: {} of {} bytes, which version 3 does not hold",
                      counts_.kernels, counts_.kernel_bytes));
    if (from_.layout == Layout::v3 && from_.binary_start != 0)
      losses_.push_back("the binary data start of the header");
  }

  const Database& from_;
  Layout to_;
  Place place_;
  Counts counts_;
  std::vector<std::string> losses_;
};

}  // namespace

Expected<Converted> convert(const Database& database, Layout to) {
  if (database.layout != to && (database.layout == Layout::v3 || to == Layout::v3))
    return Conversion(database, to).run();
  // Between the two readings of version 1 only offsets change: nothing is lost, nothing renumbered.
  Converted converted{database, {}};
  converted.database.layout = to;
  if (database.layout != to)
    if (auto placed = place_kernels(converted.database, kernels(database)); !placed)
      return tl::unexpected(placed.error());
  return converted;
}

namespace {

/// Whether a database of which nothing else is known is to have settings of double types.
bool wants_doubles(const Database& database) {
  return has_doubles(database) ||
         std::all_of(database.patterns.begin(), database.patterns.end(),
                     [](const Pattern& pattern) { return pattern.settings.empty(); });
}

/// What clBLAS writes where nothing is tuned.
Pattern empty_pattern(const KnownPattern& known, bool doubles) {
  Pattern pattern{.name = std::string(known.name)};
  const auto keys = settings_of(*known.function, doubles);
  pattern.settings.reserve(keys.size());
  for (const SettingKey& key : keys)
    pattern.settings.push_back({key.type, key.flags, std::vector<Record>(records_per_setting)});
  return pattern;
}

// What clBLAS's tuner writes on a new device, to the byte: a database is little more than its
// catalogue.
Database empty_database(bool doubles) {
  Database database;
  database.functions = function_count;
  for (const KnownPattern& known : known_patterns())
    database.patterns.push_back(empty_pattern(known, doubles));
  return database;
}

/// Copies a setting's records into the one of its key; the rest of it has no place.
void fill(Pattern& into, const Setting& from, std::vector<bool>& filled,
          std::vector<std::string>& losses) {
  const auto found = std::find_if(into.settings.begin(), into.settings.end(),
                                  [&](const auto& s) { return key_of(s) == key_of(from); });
  const auto index = static_cast<std::size_t>(found - into.settings.begin());
  const auto name = fmt::format("{}, {}", shown_name(into), describe(from, Layout::v3));
  if (found == into.settings.end()) {
    losses.push_back(name + ": no setting of clBLAS 2.12's");
    return;
  }
  if (filled[index]) {
    losses.push_back(name + ": there twice, the first is taken");
    return;
  }
  filled[index] = true;
  const std::size_t count = std::min<std::size_t>(from.records.size(), records_per_setting);
  std::copy_n(from.records.begin(), count, found->records.begin());
  if (from.records.size() > count)
    losses.push_back(fmt::format("{}: {} records, 6 are kept", name, from.records.size()));
}

// Headers are not looked at: what they say is known, and a damaged one must not cost its records.
// A sum of 32 bits lets damage through once in four thousand million records.
/// Every record of the database at its fixed place, if its sum fits there.
Salvaged salvage_as(ByteView bytes, bool doubles) {
  const Form& form = form_of(Layout::v3);
  Salvaged salvaged{.database = empty_database(doubles)};
  std::uint64_t at = header_bytes;
  for (Pattern& pattern : salvaged.database.patterns) {
    at += header_bytes_of(pattern);
    for (Setting& setting : pattern.settings) {
      at += setting_bytes;
      for (Record& record : setting.records) {
        const auto start = static_cast<std::size_t>(at);
        at += form.record_bytes;
        bool fits = at <= bytes.size();
        if (fits) {
          const ByteView field = bytes.subspan(start, form.record_bytes);
          fits = form.record_sum(field.first(form.record_bytes - sum_bytes)) ==
                 load_le<std::uint32_t>(field.data() + form.record_bytes - sum_bytes);
          if (fits) record = form.read(field.data());
        }
        ++(fits ? salvaged.saved : salvaged.lost);
      }
    }
  }
  return salvaged;
}

}  // namespace

Converted complete(const Database& database, Doubles doubles) {
  const bool with = doubles == Doubles::detect ? wants_doubles(database) : doubles == Doubles::yes;
  Converted completed{empty_database(with), {}};
  completed.database.functions = database.functions;
  completed.database.binary_start = database.binary_start;
  auto& patterns = completed.database.patterns;
  // The first of two equal settings counts, as it does where clBLAS looks one up.
  std::vector<std::vector<bool>> filled;
  for (const Pattern& pattern : patterns) filled.emplace_back(pattern.settings.size());
  for (const Pattern& pattern : database.patterns) {
    const KnownPattern* known = find_pattern(pattern.name);
    if (known == nullptr) {
      patterns.push_back(pattern);
      continue;
    }
    const auto index = static_cast<std::size_t>(known - known_patterns().data());
    for (const Setting& setting : pattern.settings)
      fill(patterns[index], setting, filled[index], completed.losses);
  }
  return completed;
}

Salvaged salvage(ByteView bytes) {
  // Without double types everything stands elsewhere, so that the right guess saves the more.
  Salvaged with = salvage_as(bytes, true), without = salvage_as(bytes, false);
  return without.saved > with.saved ? std::move(without) : std::move(with);
}

}  // namespace kiln::kdb
