#include <fmt/format.h>

#include "format/kdb/place.hpp"
#include "format/kdb/text.hpp"

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

}  // namespace kiln::kdb
