#include <fmt/format.h>

#include <algorithm>

#include "format/kdb/catalogue.hpp"
#include "format/kdb/crc.hpp"
#include "format/kdb/place.hpp"

namespace kiln::kdb {
namespace {

bool has_doubles(const Database& database) {
  bool any = false;
  for (const Pattern& pattern : database.patterns)
    for (const Setting& setting : pattern.settings) {
      if (setting.type == 1 || setting.type == 3) return true;
      any = true;
    }
  return !any;
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
  const auto found = std::find_if(into.settings.begin(), into.settings.end(), [&](const auto& s) {
    return s.type == from.type && s.flags == from.flags;
  });
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
  const bool with = doubles == Doubles::detect ? has_doubles(database) : doubles == Doubles::yes;
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
