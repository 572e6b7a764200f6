// Two databases and more: what differs between them, and their union.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "format/kdb/catalogue.hpp"
#include "format/kdb/form.hpp"

namespace kiln::kdb {
namespace {

/// The element of `others` that answers to one of `list`: the one with an equal key. Broken files
/// have a key twice: the second of one list answers to the second of the other. Null where there is
/// none.
template <class Element, class KeyOf>
const Element* counterpart(const Element& of, const std::vector<Element>& list,
                           const std::vector<Element>& others, KeyOf key) {
  const auto alike = [&](const Element& other) { return key(other) == key(of); };
  auto rank = std::count_if(list.data(), &of, alike);
  for (const Element& element : others)
    if (alike(element) && rank-- == 0) return &element;
  return nullptr;
}

/// Where kernels lie says nothing as long as they are the same.
Record without_offsets(Record record, const Database& of) {
  if (of.layout != Layout::v3) record.offsets = {};
  return record;
}

bool same_kernel(const Database& first, const Record& a, const Database& second, const Record& b,
                 std::size_t slot) {
  return as_text(kernel(first, a, slot)) == as_text(kernel(second, b, slot));
}

// Quadratic in the settings of a pattern, of which a real one has at most 256.
class Differ {
 public:
  Differ(const Database& first, const Database& second) : first_(first), second_(second) {}

  std::vector<Difference> run() {
    header("number of functions", first_.functions, second_.functions);
    for (const Pattern& pattern : first_.patterns)
      compare(pattern, match(pattern, first_, second_));
    for (const Pattern& pattern : second_.patterns)
      if (match(pattern, second_, first_) == nullptr)
        say(shown_name(pattern), "", fmt::format("{} settings", pattern.settings.size()));
    return std::move(differences_);
  }

 private:
  void say(std::string place, std::string first, std::string second) {
    differences_.push_back({std::move(place), std::move(first), std::move(second)});
  }
  void header(std::string_view what, std::uint64_t first, std::uint64_t second) {
    if (first != second)
      say("header", fmt::format("{} {}", what, first), fmt::format("{} {}", what, second));
  }

  static const Pattern* match(const Pattern& pattern, const Database& in, const Database& other) {
    return counterpart(pattern, in.patterns, other.patterns,
                       [](const Pattern& p) -> const std::string& { return p.name; });
  }
  static const Setting* match(const Setting& setting, const Pattern& in, const Pattern& other) {
    return counterpart(setting, in.settings, other.settings, key_of);
  }

  void compare(const Pattern& pattern, const Pattern* other) {
    if (other == nullptr)
      return say(shown_name(pattern), fmt::format("{} settings", pattern.settings.size()), "");
    if (pattern.terminated != other->terminated)
      say(shown_name(pattern), pattern.terminated ? "name with NUL" : "name without NUL",
          other->terminated ? "name with NUL" : "name without NUL");
    for (const Setting& setting : pattern.settings)
      compare(place_of(pattern, setting), setting, match(setting, pattern, *other));
    for (const Setting& setting : other->settings)
      if (match(setting, *other, pattern) == nullptr)
        say(place_of(*other, setting), "", fmt::format("{} records", setting.records.size()));
  }

  std::string place_of(const Pattern& pattern, const Setting& setting) const {
    return fmt::format("{}, {}", shown_name(pattern), describe(setting, first_.layout));
  }

  void compare(const std::string& place, const Setting& setting, const Setting* other) {
    if (other == nullptr) return say(place, fmt::format("{} records", setting.records.size()), "");
    const std::size_t count = std::max(setting.records.size(), other->records.size());
    for (std::size_t i = 0; i < count; ++i) {
      const Record* a = i < setting.records.size() ? &setting.records[i] : nullptr;
      const Record* b = i < other->records.size() ? &other->records[i] : nullptr;
      const std::string here = fmt::format("{}, record {}", place, i);
      if (a == nullptr || b == nullptr) {
        say(here, a ? to_line(*a, first_.layout) : "", b ? to_line(*b, first_.layout) : "");
        continue;
      }
      compare(here, *a, *b);
      compare_kernels(here, *a, *b);
    }
  }

  void compare(const std::string& place, const Record& a, const Record& b) {
    const Record first = without_offsets(a, first_), second = without_offsets(b, second_);
    if (first != second) say(place, to_line(first, first_.layout), to_line(second, first_.layout));
  }

  // Sizes are part of the record; here the contents speak.
  void compare_kernels(const std::string& place, const Record& a, const Record& b) {
    for (std::size_t slot = 0; slot < 3; ++slot)
      if (!same_kernel(first_, a, second_, b, slot))
        say(fmt::format("{}, kernel {}", place, slot),
            fmt::format("{} bytes", kernel(first_, a, slot).size()),
            fmt::format("{} other bytes", kernel(second_, b, slot).size()));
  }

  const Database &first_, &second_;
  std::vector<Difference> differences_;
};

}  // namespace

std::vector<Difference> diff(const Database& first, const Database& second) {
  if (first.layout == second.layout) return Differ(first, second).run();
  // Across versions what both can say is compared: in the layout of the one that can say less.
  const Layout common = first.layout == Layout::v3 ? second.layout : first.layout;
  std::vector<Difference> differences{
      {"layout", std::string(name_of(first.layout)), std::string(name_of(second.layout))}};
  const auto a = convert(first, common), b = convert(second, common);
  if (!a || !b) {
    differences.push_back({"layout", a ? "" : a.error().message(), b ? "" : b.error().message()});
    return differences;
  }
  for (auto& difference : Differ(a->database, b->database).run())
    differences.push_back(std::move(difference));
  return differences;
}

namespace {

constexpr std::size_t last_rank = ~std::size_t{0};

// Where an element stands in clBLAS's own order; what it does not know comes last.
std::size_t rank_of(const Pattern& pattern) {
  const KnownPattern* known = find_pattern(pattern.name);
  return known == nullptr ? last_rank : static_cast<std::size_t>(known - known_patterns().data());
}

std::size_t rank_of(const Pattern& pattern, const Setting& setting) {
  const KnownPattern* known = find_pattern(pattern.name);
  if (known == nullptr) return last_rank;
  const auto keys = settings_of(*known->function, true);
  const auto found = std::find(keys.begin(), keys.end(), key_of(setting));
  return found == keys.end() ? last_rank : static_cast<std::size_t>(found - keys.begin());
}

/// Whether a time can be compared: it was measured.
bool measured(const Record& record) {
  return record.tuned() && std::isfinite(record.time) && record.time > 0;
}

class Merge {
 public:
  Merge(std::span<const Database> databases, Prefer prefer)
      : databases_(databases), prefer_(prefer) {}

  Expected<Merged> run() {
    merged_.database = databases_.front();
    merged_.database.patterns.clear();
    for (from_ = 0; from_ < databases_.size(); ++from_)
      for (const Pattern& pattern : databases_[from_].patterns) add(pattern);
    if (merged_.database.patterns == databases_.front().patterns) {
      // Nothing came from the others, so nothing of the first moves.
    } else if (merged_.database.layout != Layout::v3) {
      // The records have the offsets of the files that they came from until their kernels are
      // placed.
      const auto taken = kernels(result(), [this](const KernelSlot& slot) -> const Database& {
        const Pattern& pattern = result().patterns[slot.pattern];
        const Setting& setting = pattern.settings[slot.setting];
        return databases_[sources_.at({pattern.name, setting.type, setting.flags, slot.record})];
      });
      if (auto placed = place_kernels(result(), taken); !placed)
        return tl::unexpected(placed.error());
    }
    return std::move(merged_);
  }

 private:
  Database& result() { return merged_.database; }

  /// The element of this kind, made at its place in clBLAS's order where it is absent. Only what a
  /// later database adds is put in order; the first one's order stays.
  template <class Element, class Like, class Rank>
  Element& element_for(std::vector<Element>& list, Element made, Like like, Rank rank) {
    const auto found = std::find_if(list.begin(), list.end(), like);
    if (found != list.end()) return *found;
    auto before = list.end();
    if (const std::size_t own = rank(made); from_ > 0 && own != last_rank)
      before = std::find_if(list.begin(), list.end(), [&](const auto& e) { return rank(e) > own; });
    return *list.insert(before, std::move(made));
  }

  void add(const Pattern& pattern) {
    Pattern& merged = element_for(
        result().patterns, Pattern{pattern.name, pattern.terminated},
        [&](const Pattern& other) { return other.name == pattern.name; },
        [](const Pattern& other) { return rank_of(other); });
    for (const Setting& setting : pattern.settings) {
      auto& records = element_for(
                          merged.settings, Setting{setting.type, setting.flags},
                          [&](const Setting& o) { return key_of(o) == key_of(setting); },
                          [&](const Setting& other) { return rank_of(pattern, other); })
                          .records;
      for (std::size_t r = 0; r < setting.records.size(); ++r) {
        std::size_t& source = sources_[{pattern.name, setting.type, setting.flags, r}];
        if (r < records.size()) {
          choose(records[r], source, setting.records[r], [&] {
            return fmt::format("{}, {}, record {}", shown_name(pattern),
                               describe(setting, result().layout), r);
          });
        } else {
          records.push_back(setting.records[r]);
          source = from_;
        }
      }
    }
  }

  // The place is a function, since it is text that only a conflict needs.
  template <class Where>
  void choose(Record& chosen, std::size_t& source, const Record& record, Where where) {
    if (equal(chosen, source, record)) return;
    const bool conflict = record.tuned() && chosen.tuned();  // else one knows nothing
    if (!record.tuned() && !chosen.tuned()) return;
    const std::string before = conflict ? to_line(chosen, result().layout) : "";
    const std::size_t from_before = source;
    if (better(record, chosen)) {
      chosen = record;
      source = from_;
    }
    if (conflict)
      merged_.notes.push_back(fmt::format("{}: file {} has '{}', file {} has '{}'; taken: file {}",
                                          where(), from_before + 1, before, from_ + 1,
                                          to_line(record, result().layout), source + 1));
  }

  /// Whether a record is to replace the one chosen so far.
  bool better(const Record& record, const Record& before) const {
    if (measured(record) != measured(before)) return measured(record);
    if (!measured(record)) return !before.tuned();
    if (prefer_ == Prefer::faster) return record.time < before.time;
    return prefer_ == Prefer::last;
  }

  /// Equal but for where their kernels lie.
  bool equal(const Record& chosen, std::size_t source, const Record& record) const {
    const Database &first = databases_[source], &second = databases_[from_];
    if (without_offsets(chosen, first) != without_offsets(record, second)) return false;
    for (std::size_t slot = 0; slot < 3; ++slot)
      if (!same_kernel(first, chosen, second, record, slot)) return false;
    return true;
  }

  std::span<const Database> databases_;
  Prefer prefer_;
  std::size_t from_ = 0;
  Merged merged_;
  /// The database that a record of the result is from: by pattern, type, flags and index.
  std::map<std::tuple<std::string_view, std::uint32_t, std::uint32_t, std::size_t>, std::size_t>
      sources_;
};

}  // namespace

Expected<Merged> merge(std::span<const Database> databases, Prefer prefer) {
  if (databases.empty()) return fail(Errc::bad_input, "no database to merge");
  std::vector<Database> same;
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < databases.size(); ++i) {
    auto converted = convert(databases[i], databases.front().layout);
    if (!converted) return tl::unexpected(converted.error());
    for (const std::string& loss : converted->losses)
      notes.push_back(fmt::format("file {}: lost: {}", i + 1, loss));
    same.push_back(std::move(converted->database));
  }
  auto merged = Merge(same, prefer).run();
  if (!merged) return merged;
  merged->notes.insert(merged->notes.begin(), notes.begin(), notes.end());
  return merged;
}

}  // namespace kiln::kdb
