// Two databases and more: what differs between them, and their union.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "format/kdb/catalogue.hpp"
#include "format/kdb/form.hpp"

namespace kiln::kdb {
namespace {

/// The n-th element that is like `like`, or null: broken files have one twice.
template <class List, class Like>
const typename List::value_type* find_nth(const List& list, std::size_t n, Like like) {
  for (const auto& element : list)
    if (like(element) && n-- == 0) return &element;
  return nullptr;
}
template <class List, class Like>
std::size_t rank_of(const List& list, const typename List::value_type& of, Like like) {
  std::size_t rank = 0;
  for (const auto& element : list) {
    if (&element == &of) break;
    rank += like(element);
  }
  return rank;
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
    const auto like = [&](const Pattern& p) { return p.name == pattern.name; };
    return find_nth(other.patterns, rank_of(in.patterns, pattern, like), like);
  }
  static const Setting* match(const Setting& setting, const Pattern& in, const Pattern& other) {
    const auto like = [&](const Setting& s) {
      return s.type == setting.type && s.flags == setting.flags;
    };
    return find_nth(other.settings, rank_of(in.settings, setting, like), like);
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
    if (a == b) return;
    // Where kernels lie says nothing as long as they are the same.
    const Record first = without_offsets(a, first_), second = without_offsets(b, second_);
    if (first == second) return;
    say(place, to_line(first, first_.layout), to_line(second, first_.layout));
  }

  static Record without_offsets(Record record, const Database& of) {
    for (std::size_t slot = 0; slot < 3; ++slot)
      if (of.layout != Layout::v3) record.offsets[slot] = 0;
    return record;
  }

  // Sizes are part of the record; here the contents speak.
  void compare_kernels(const std::string& place, const Record& a, const Record& b) {
    for (std::size_t slot = 0; slot < 3; ++slot) {
      const ByteView first = kernel(first_, a, slot), second = kernel(second_, b, slot);
      if (as_text(first) != as_text(second))
        say(fmt::format("{}, kernel {}", place, slot), fmt::format("{} bytes", first.size()),
            fmt::format("{} other bytes", second.size()));
    }
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

/// Which record stands in a place of the result, and in which database it was.
struct Choice {
  const Record* record = nullptr;
  std::size_t from = 0;
};
struct SettingChoices {
  std::vector<Choice> records;
};
struct PatternChoices {
  std::vector<SettingChoices> settings;
};

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
  const auto found = std::find(keys.begin(), keys.end(), SettingKey{setting.type, setting.flags});
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

  // Choices are pointers into the inputs until all are made: a record is copied once, and its
  // kernels are found in the file that it came from.
  Expected<Merged> run() {
    merged_.database = databases_.front();
    merged_.database.patterns.clear();
    for (from_ = 0; from_ < databases_.size(); ++from_)
      for (const Pattern& pattern : databases_[from_].patterns) add(pattern);
    fill();
    if (merged_.database.patterns == databases_.front().patterns) {
      // Nothing came from the others, so nothing of the first moves.
    } else if (merged_.database.layout != Layout::v3) {
      if (auto placed = place_kernels(merged_.database, kernels_chosen()); !placed)
        return tl::unexpected(placed.error());
    }
    return std::move(merged_);
  }

 private:
  Database& result() { return merged_.database; }

  /// The element of this kind, made at its place in clBLAS's order where it is absent. Only what a
  /// later database adds is put in order; the first one's order stays.
  template <class Element, class Parallel, class Like, class Rank>
  std::size_t slot_for(std::vector<Element>& list, std::vector<Parallel>& parallel, Element made,
                       Like like, Rank rank) {
    const auto found = std::find_if(list.begin(), list.end(), like);
    if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
    auto before = list.end();
    if (const std::size_t own = rank(made); from_ > 0 && own != last_rank)
      before = std::find_if(list.begin(), list.end(), [&](const auto& e) { return rank(e) > own; });
    const auto index = before - list.begin();
    list.insert(before, std::move(made));
    parallel.insert(parallel.begin() + index, Parallel{});
    return static_cast<std::size_t>(index);
  }

  void add(const Pattern& pattern) {
    const std::size_t p = slot_for(
        result().patterns, choices_, Pattern{pattern.name, pattern.terminated},
        [&](const Pattern& other) { return other.name == pattern.name; },
        [](const Pattern& other) { return rank_of(other); });
    auto& settings = result().patterns[p].settings;
    for (const Setting& setting : pattern.settings) {
      const std::size_t s = slot_for(
          settings, choices_[p].settings, Setting{setting.type, setting.flags},
          [&](const Setting& o) { return o.type == setting.type && o.flags == setting.flags; },
          [&](const Setting& other) { return rank_of(pattern, other); });
      auto& records = choices_[p].settings[s].records;
      if (records.size() < setting.records.size()) records.resize(setting.records.size());
      for (std::size_t r = 0; r < setting.records.size(); ++r)
        choose(records[r], setting.records[r], [&] {
          return fmt::format("{}, {}, record {}", shown_name(pattern),
                             describe(setting, result().layout), r);
        });
    }
  }

  // The place is a function, since it is text that only a conflict needs.
  template <class Where>
  void choose(Choice& choice, const Record& record, Where where) {
    if (choice.record == nullptr) {
      choice = {&record, from_};
      return;
    }
    const Choice before = choice;
    if (equal(*before.record, before.from, record)) return;
    if (!record.tuned() && !before.record->tuned()) return;
    const bool takes = better(record, *before.record);
    if (takes) choice = {&record, from_};
    if (!record.tuned() || !before.record->tuned()) return;  // no conflict: one knows nothing
    merged_.notes.push_back(fmt::format("{}: file {} has '{}', file {} has '{}'; taken: file {}",
                                        where(), before.from + 1,
                                        to_line(*before.record, result().layout), from_ + 1,
                                        to_line(record, result().layout), choice.from + 1));
  }

  /// Whether a record is to replace the one chosen so far.
  bool better(const Record& record, const Record& before) const {
    if (measured(record) != measured(before)) return measured(record);
    if (!measured(record)) return !before.tuned();
    if (prefer_ == Prefer::faster) return record.time < before.time;
    return prefer_ == Prefer::last;
  }

  /// Equal but for where their kernels lie.
  bool equal(const Record& a, std::size_t a_from, const Record& b) const {
    if (a == b && result_is_v3()) return true;
    Record first = a, second = b;
    if (!result_is_v3()) first.offsets = second.offsets = {};
    if (!(first == second)) return false;
    for (std::size_t slot = 0; slot < 3; ++slot)
      if (as_text(kernel(databases_[a_from], a, slot)) !=
          as_text(kernel(databases_[from_], b, slot)))
        return false;
    return true;
  }
  bool result_is_v3() const { return merged_.database.layout == Layout::v3; }

  // Records were chosen in structures parallel to the result's; here they get their place.
  void fill() {
    for (std::size_t p = 0; p < choices_.size(); ++p)
      for (std::size_t s = 0; s < choices_[p].settings.size(); ++s)
        for (const Choice& choice : choices_[p].settings[s].records)
          result().patterns[p].settings[s].records.push_back(*choice.record);
  }

  std::vector<KernelSlot> kernels_chosen() const {
    std::vector<KernelSlot> slots;
    for (std::size_t p = 0; p < choices_.size(); ++p)
      for (std::size_t s = 0; s < choices_[p].settings.size(); ++s) {
        const auto& records = choices_[p].settings[s].records;
        for (std::size_t r = 0; r < records.size(); ++r)
          for (std::size_t slot = 0; slot < 3; ++slot) {
            const Choice& choice = records[r];
            const ByteView content = kernel(databases_[choice.from], *choice.record, slot);
            if (!content.empty()) slots.push_back({p, s, r, slot, content});
          }
      }
    return slots;
  }

  std::span<const Database> databases_;
  Prefer prefer_;
  std::size_t from_ = 0;
  Merged merged_;
  std::vector<PatternChoices> choices_;  ///< parallel to the result's patterns
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
