// Walks a database and names what could make clBLAS crash, hang or compute wrong results. The rules
// for a single record are in rules.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "format/kdb/catalogue.hpp"
#include "format/kdb/form.hpp"
#include "format/kdb/rules.hpp"

namespace kiln::kdb {
namespace {

using Severity = Finding::Severity;

SettingKey key_of(const Setting& setting) { return {setting.type, setting.flags}; }

std::string text_of(const SettingKey& key, Layout layout) {
  return describe(Setting{key.type, key.flags}, layout);
}

class Verifier {
 public:
  Verifier(const Database& database, const DeviceLimits& device)
      : database_(database),
        form_(form_of(database.layout)),
        fixed_(database.layout == Layout::v3),
        doubles_(has_doubles(database)),
        device_(device) {}

  std::vector<Finding> verify() {
    header();
    patterns();
    std::uint64_t at = header_bytes;
    for (const Pattern& pattern : database_.patterns) {
      place_ = {at, place_.pattern + 1, -1, -1};
      at += header_bytes_of(pattern);
      known_ = find_pattern(pattern.name);
      settings(pattern, at);
      place_.setting = -1;
      for (const Setting& setting : pattern.settings) {
        place_ = {at, place_.pattern, place_.setting + 1, -1};
        at += setting_bytes;
        records(setting, at);
        at += setting.records.size() * form_.record_bytes;
      }
    }
    std::stable_sort(findings_.begin(), findings_.end(), [](const Finding& a, const Finding& b) {
      return a.place.offset < b.place.offset;
    });
    return std::move(findings_);
  }

 private:
  static bool has_doubles(const Database& database) {
    for (const Pattern& pattern : database.patterns)
      for (const Setting& setting : pattern.settings)
        if (setting.type == 1 || setting.type == 3) return true;
    return false;
  }

  void say(Severity severity, std::string_view rule, const Place& place, std::string text) {
    findings_.push_back({severity, rule, place, std::move(text)});
  }

  // clBLAS writes these and never reads them: wrong ones do no harm.
  void header() {
    if (fixed_ && database_.functions != function_count)
      say(Severity::warning, "header", {},
          fmt::format("{} functions, clBLAS 2.12 writes {}", database_.functions, function_count));
    if (fixed_ && database_.binary_start != 0)
      say(Severity::warning, "header", {},
          fmt::format("the binary data start is {}, clBLAS 2.12 writes 0", database_.binary_start));
  }

  /// clBLAS expects every pattern at its offset, and dies of one that it does not know.
  void patterns() {
    std::vector<bool> seen(known_patterns().size());
    std::size_t last = 0;
    Place place{header_bytes, 0, -1, -1};
    for (const Pattern& pattern : database_.patterns) {
      const KnownPattern* known = find_pattern(pattern.name);
      if (known == nullptr) {
        say(Severity::error, "pattern-unknown", place,
            fmt::format("clBLAS 2.12 has no pattern '{}' and ends with a fault where it meets one",
                        shown_name(pattern)));
      } else {
        const auto rank = static_cast<std::size_t>(known - known_patterns().data());
        if (seen[rank]) {
          say(Severity::error, "pattern-twice", place, "the pattern is there before");
        } else if (fixed_ && rank < last) {
          say(Severity::error, "pattern-order", place,
              fmt::format("it stands behind '{}', expected before it",
                          known_patterns()[last].name));
        }
        seen[rank] = true;
        last = std::max(last, rank);
      }
      ++place.pattern;
      place.offset += header_bytes_of(pattern);
      for (const Setting& setting : pattern.settings)
        place.offset += setting_bytes + setting.records.size() * form_.record_bytes;
    }
    if (!fixed_) return;
    for (std::size_t rank = 0; rank < seen.size(); ++rank)
      if (!seen[rank])
        say(Severity::error, "pattern-missing", {},
            fmt::format("'{}' is missing, and what should follow it stands at another offset",
                        known_patterns()[rank].name));
  }

  // Almost always all is as it should be, which one comparison tells; who is where is only asked
  // where something is not.
  void settings(const Pattern& pattern, std::uint64_t at) {
    if (known_ == nullptr) return;
    const auto expected = settings_of(*known_->function, doubles_);
    if (same_keys(pattern, expected)) return;
    std::vector<SettingKey> seen;
    std::size_t last = 0;
    Place place{at, place_.pattern, 0, -1};
    for (const Setting& setting : pattern.settings) {
      const SettingKey key = key_of(setting);
      const auto found = std::find(expected.begin(), expected.end(), key);
      const auto rank = static_cast<std::size_t>(found - expected.begin());
      if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
        say(Severity::error, "setting-twice", place, "the setting is there before");
      } else if (found == expected.end()) {
        foreign(key, place);
      } else if (fixed_ && rank < last) {
        say(Severity::error, "setting-order", place,
            fmt::format("it stands behind '{}', expected before it",
                        text_of(expected[last], database_.layout)));
      }
      seen.push_back(key);
      if (found != expected.end()) last = std::max(last, rank);
      ++place.setting;
      place.offset += setting_bytes + setting.records.size() * form_.record_bytes;
    }
    if (fixed_) missing(expected, seen);
  }

  static bool same_keys(const Pattern& pattern, const std::vector<SettingKey>& keys) {
    return std::equal(
        pattern.settings.begin(), pattern.settings.end(), keys.begin(), keys.end(),
        [](const Setting& setting, const SettingKey& key) { return key_of(setting) == key; });
  }

  /// A setting that clBLAS does not store for this pattern.
  // Told apart, since the repair differs: a wrong type is damage, a flag most often another
  // version's.
  void foreign(const SettingKey& key, const Place& place) {
    if (key.type > 3) {
      say(Severity::error, "data-type", place,
          fmt::format("found data type {}, expected 0 to 3", key.type));
    } else if ((key.flags & ~known_->function->stored) != 0) {
      say(Severity::error, "flags", place,
          fmt::format("the flags {:#x} are not of {}, which stores {:#x}",
                      key.flags & ~known_->function->stored, known_->function->name,
                      known_->function->stored));
    } else {
      say(Severity::error, "flags", place,
          "a conjugate without a transposition, or of a real type, is not stored");
    }
  }

  // One line for all: half a pattern may be missing, and every line would say the same.
  void missing(const std::vector<SettingKey>& expected, const std::vector<SettingKey>& seen) {
    std::size_t count = 0;
    const SettingKey* first = nullptr;
    for (const SettingKey& key : expected)
      if (std::find(seen.begin(), seen.end(), key) == seen.end()) {
        if (count++ == 0) first = &key;
      }
    if (count > 0)
      say(Severity::error, "setting-missing", place_,
          fmt::format("{} of {} settings are missing, the first is '{}'", count, expected.size(),
                      text_of(*first, database_.layout)));
  }

  // Untuned records are never used, so that their numbers may be anything.
  void records(const Setting& setting, std::uint64_t at) {
    if (fixed_ && setting.records.size() != records_per_setting)
      say(Severity::error, "record-count", place_,
          fmt::format("found {} records, expected {}", setting.records.size(),
                      records_per_setting));
    bool untuned = false, any = false;
    for (const Record& record : setting.records) {
      place_.offset = at;
      ++place_.record;
      at += form_.record_bytes;
      if (record.tuned()) {
        any = true;
        tuned(record, key_of(setting), untuned);
      } else {
        untuned = true;
      }
      if (fixed_) extras(record);
    }
    if (!any || known_ == nullptr) return;
    if (const auto dead = setting.flags & ~known_->function->looked_up; dead != 0)
      say(Severity::warning, "never-used", {place_.offset, place_.pattern, place_.setting, -1},
          fmt::format("clBLAS 2.12 looks up no setting with the flags {:#x}", dead));
  }

  // The list is kept between records: most have nothing to say, and none shall allocate for that.
  void tuned(const Record& record, const SettingKey& setting, bool untuned_before) {
    breaches_.clear();
    if (known_ != nullptr && setting.type <= 3) {
      check_record(record, *known_, setting, database_.layout, device_, breaches_);
    } else {
      check_unknown_record(record, database_.layout, device_, breaches_);
    }
    for (Breach& breach : breaches_)
      say(breach.severity, breach.rule, place_, std::move(breach.text));
    if (fixed_ && untuned_before)
      say(Severity::warning, "hidden", place_,
          "clBLAS 2.12 does not see it behind an untuned record of its setting");
  }

  /// Fields that clBLAS writes and never uses.
  void extras(const Record& record) {
    if (record.duplicate != record.sizes)
      say(Severity::warning, "duplicate", place_,
          fmt::format("the kernel sizes are {}, their duplicate says {}",
                      fmt::join(record.sizes, " "), fmt::join(record.duplicate, " ")));
    if (record.offsets != std::array<std::uint64_t, 3>{})
      say(Severity::warning, "kernel-offset", place_,
          fmt::format("the kernel offsets are {}, clBLAS 2.12 writes 0",
                      fmt::join(record.offsets, " ")));
  }

  const Database& database_;
  const Form& form_;
  bool fixed_;  ///< whether clBLAS's fixed layout is demanded
  bool doubles_;
  const DeviceLimits& device_;
  const KnownPattern* known_ = nullptr;
  Place place_;
  std::vector<Breach> breaches_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> verify(const Database& database, const DeviceLimits& device) {
  return Verifier(database, device).verify();
}

std::size_t Report::count(Finding::Severity severity) const {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [=](const Finding& finding) { return finding.severity == severity; }));
}

Report check(ByteView bytes, const DeviceLimits& device) {
  Report report;
  auto database = parse(bytes, report.findings);
  if (!database) {
    report.unreadable = database.error().message();
    return report;
  }
  report.database = std::move(*database);
  for (auto& finding : verify(report.database, device))
    report.findings.push_back(std::move(finding));
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const auto& a, const auto& b) { return a.place.offset < b.place.offset; });
  return report;
}

}  // namespace kiln::kdb
