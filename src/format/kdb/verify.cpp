// Walks a database and names what could make clBLAS crash, hang or compute wrong results. The rules
// for a single record are in rules.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "format/kdb/catalogue.hpp"
#include "format/kdb/form.hpp"

namespace kiln::kdb {
namespace {

using Severity = Finding::Severity;

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
    std::uint64_t at = header_bytes;
    for (const Pattern& pattern : database_.patterns) {
      const Place place = place_ = {at, place_.pattern + 1, -1, -1};
      at += header_bytes_of(pattern);
      begin(pattern);
      for (const Setting& setting : pattern.settings) {
        place_ = {at, place_.pattern, place_.setting + 1, -1};
        at += setting_bytes;
        if (!as_expected_) check_key(key_of(setting));
        records(setting, at);
        at += setting.records.size() * form_.record_bytes;
      }
      if (fixed_ && !as_expected_) missing(place);
    }
    missing_patterns();
    std::stable_sort(findings_.begin(), findings_.end(), [](const Finding& a, const Finding& b) {
      return a.place.offset < b.place.offset;
    });
    return std::move(findings_);
  }

 private:
  void error(std::string_view rule, std::string text) { error(rule, std::move(text), place_); }
  void error(std::string_view rule, std::string text, const Place& place) {
    findings_.push_back({Severity::error, rule, place, std::move(text)});
  }
  void warn(std::string_view rule, std::string text) { warn(rule, std::move(text), place_); }
  void warn(std::string_view rule, std::string text, const Place& place) {
    findings_.push_back({Severity::warning, rule, place, std::move(text)});
  }

  // clBLAS writes these and never reads them: wrong ones do no harm.
  void header() {
    if (fixed_ && database_.functions != function_count)
      warn("header",
           fmt::format("{} functions, clBLAS 2.12 writes {}", database_.functions, function_count),
           Place());
    if (fixed_ && database_.binary_start != 0)
      warn("header",
           fmt::format("the binary data start is {}, clBLAS 2.12 writes 0", database_.binary_start),
           Place());
  }

  /// clBLAS expects every pattern at its offset, and dies of one that it does not know.
  void begin(const Pattern& pattern) {
    known_ = find_pattern(pattern.name);
    // Almost always the settings are as they should be, which one comparison shows. Only where they
    // are not is each one looked for.
    as_expected_ = true;
    if (known_ == nullptr)
      return error(
          "pattern-unknown",
          fmt::format("clBLAS 2.12 has no pattern '{}' and ends with a fault where it meets one",
                      shown_name(pattern)));
    const auto rank = static_cast<std::size_t>(known_ - known_patterns().data());
    if (seen_patterns_[rank])
      error("pattern-twice", "the pattern is there before");
    else if (fixed_ && rank < last_pattern_)
      error("pattern-order", fmt::format("it stands behind '{}', expected before it",
                                         known_patterns()[last_pattern_].name));
    seen_patterns_[rank] = true;
    last_pattern_ = std::max(last_pattern_, rank);
    expected_ = settings_of(*known_->function, doubles_);
    seen_.clear();
    last_ = 0;
    as_expected_ = std::equal(
        pattern.settings.begin(), pattern.settings.end(), expected_.begin(), expected_.end(),
        [](const Setting& setting, const SettingKey& key) { return key_of(setting) == key; });
  }

  void missing_patterns() {
    for (std::size_t rank = 0; fixed_ && rank < seen_patterns_.size(); ++rank)
      if (!seen_patterns_[rank])
        error("pattern-missing",
              fmt::format("'{}' is missing, and what should follow it stands at another offset",
                          known_patterns()[rank].name),
              Place());
  }

  void check_key(const SettingKey& key) {
    const auto found = std::find(expected_.begin(), expected_.end(), key);
    const auto rank = static_cast<std::size_t>(found - expected_.begin());
    if (was_seen(key))
      error("setting-twice", "the setting is there before");
    else if (found == expected_.end())
      foreign(key);
    else if (fixed_ && rank < last_)
      error("setting-order", fmt::format("it stands behind '{}', expected before it",
                                         text_of(expected_[last_], database_.layout)));
    seen_.push_back(key);
    if (found != expected_.end()) last_ = std::max(last_, rank);
  }
  bool was_seen(const SettingKey& key) const {
    return std::find(seen_.begin(), seen_.end(), key) != seen_.end();
  }

  /// A setting that clBLAS does not store for this pattern.
  // Told apart, since the repair differs: a wrong type is damage, a flag most often another
  // version's.
  void foreign(const SettingKey& key) {
    if (key.type > 3) {
      error("data-type", fmt::format("found data type {}, expected 0 to 3", key.type));
    } else if ((key.flags & ~known_->function->stored) != 0) {
      error("flags", fmt::format("the flags {:#x} are not of {}, which stores {:#x}",
                                 key.flags & ~known_->function->stored, known_->function->name,
                                 known_->function->stored));
    } else {
      error("flags", "a conjugate without a transposition, or of a real type, is not stored");
    }
  }

  // One line for all: half a pattern may be missing, and every line would say the same.
  void missing(const Place& place) {
    std::vector<SettingKey> absent;
    std::copy_if(expected_.begin(), expected_.end(), std::back_inserter(absent),
                 [&](const SettingKey& key) { return !was_seen(key); });
    if (!absent.empty())
      error("setting-missing",
            fmt::format("{} of {} settings are missing, the first is '{}'", absent.size(),
                        expected_.size(), text_of(absent.front(), database_.layout)),
            place);
  }

  // Untuned records are never used, so that their numbers may be anything.
  void records(const Setting& setting, std::uint64_t at) {
    if (fixed_ && setting.records.size() != records_per_setting)
      error("record-count", fmt::format("found {} records, expected {}", setting.records.size(),
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
      warn("never-used", fmt::format("clBLAS 2.12 looks up no setting with the flags {:#x}", dead),
           {place_.offset, place_.pattern, place_.setting, -1});
  }

  // The list is kept between records: most have nothing to say, and none shall allocate for that.
  void tuned(const Record& record, const SettingKey& setting, bool untuned_before) {
    breaches_.clear();
    check_record(record, known_, setting, database_.layout, device_, breaches_);
    for (Breach& breach : breaches_)
      findings_.push_back({breach.severity, breach.rule, place_, std::move(breach.text)});
    if (fixed_ && untuned_before)
      warn("hidden", "clBLAS 2.12 does not see it behind an untuned record of its setting");
  }

  /// Fields that clBLAS writes and never uses.
  void extras(const Record& record) {
    if (record.duplicate != record.sizes)
      warn("duplicate",
           fmt::format("the kernel sizes are {}, their duplicate says {}",
                       fmt::join(record.sizes, " "), fmt::join(record.duplicate, " ")));
    if (record.offsets != std::array<std::uint64_t, 3>{})
      warn("kernel-offset", fmt::format("the kernel offsets are {}, clBLAS 2.12 writes 0",
                                        fmt::join(record.offsets, " ")));
  }

  const Database& database_;
  const Form& form_;
  bool fixed_;  ///< whether clBLAS's fixed layout is demanded
  bool doubles_;
  const DeviceLimits& device_;
  Place place_;
  std::vector<bool> seen_patterns_ = std::vector<bool>(known_patterns().size());
  std::size_t last_pattern_ = 0;  ///< the last known one by rank so far
  // Of the present pattern:
  const KnownPattern* known_ = nullptr;
  bool as_expected_ = true;  ///< its settings are `expected_`, or it is not known
  std::vector<SettingKey> expected_, seen_;
  std::size_t last_ = 0;
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
