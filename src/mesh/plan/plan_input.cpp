// Columns and conflicts of a plan's input, for its making and its names, and checks of an input.
#include "mesh/plan/plan_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "mesh/model/basics.hpp"

namespace kiln::mesh {

Columns columns_of(std::span<const PlanPair> pairs) {
  Columns columns;
  for (const auto& pair : pairs)
    for (const auto component : pair.components) columns.push_back({pair.map, component});
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

bool within(const Columns& part, const Columns& whole) {
  return std::ranges::includes(whole, part);
}

std::span<const std::int32_t> whole_rows(const PlanInput& input, const Columns& columns,
                                         std::size_t first, std::size_t count) {
  if (input.subset || columns.empty() || columns.front().map != columns.back().map) return {};
  const auto& map = input.maps[columns.front().map];
  if (columns.size() != map.arity) return {};
  return map.values.subspan((input.begin + first) * map.arity, count * map.arity);
}

std::vector<Columns> conflicts_of(const PlanInput& input) {
  std::vector<Columns> all, needed;
  for (const auto& conflict : input.conflicts) all.push_back(columns_of(conflict.through));
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool implied = all[i].empty();
    for (std::size_t other = 0; other < all.size() && !implied; ++other)
      implied = other != i && within(all[i], all[other]) && (all[i] != all[other] || other < i);
    if (!implied) needed.push_back(all[i]);
  }
  return needed;
}

namespace {

constexpr std::size_t most_elements = std::numeric_limits<std::int32_t>::max();

template <class... Arguments>
void expect_input(bool holds, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  if (!holds) refuse("mesh plan: {}", fmt::format(text, std::forward<Arguments>(arguments)...));
}

std::string name_of(const PlanInput& input, std::size_t map) {
  const auto name = input.maps[map].name;
  return name.empty() ? fmt::format("map {}", map) : fmt::format("map '{}'", name);
}

void check_pair(const PlanInput& input, const PlanPair& pair) {
  expect_input(pair.map < input.maps.size(), "a pair names map {} of {}", pair.map,
               input.maps.size());
  const auto& map = input.maps[pair.map];
  for (const auto component : pair.components)
    expect_input(component < map.arity, "{} has {} components, expected more than {}",
                 name_of(input, pair.map), map.arity, component);
}

/// One past the last element that the part has.
std::size_t elements_end(const PlanInput& input) {
  if (!input.subset) return input.begin + input.size;
  std::size_t end = 0;
  for (std::size_t i = 0; i < input.size; ++i) {
    const auto element = (*input.subset)[input.begin + i];
    expect_input(element >= 0 && static_cast<std::size_t>(element) < input.set_size,
                 "subset entry {} is {}, expected 0 … {}", input.begin + i, element,
                 static_cast<std::int64_t>(input.set_size) - 1);
    end = std::max(end, static_cast<std::size_t>(element) + 1);
  }
  return end;
}

}  // namespace

void check_input(const PlanInput& input) {
  expect_input(input.block_size > 0, "block size 0, expected at least 1");
  const std::size_t whole = input.subset ? input.subset->size() : input.set_size;
  expect_input(input.begin <= whole && input.size <= whole - input.begin,
               "a part of {} elements from {} on, expected it within {}", input.size, input.begin,
               whole);
  expect_input(input.first_late <= input.size, "late elements from {} on, expected at most {}",
               input.first_late, input.size);
  expect_input(input.first_late == 0 || input.scheme == Scheme::permuted,
               "late elements in blocks, expected them by colour");
  for (const auto& pair : input.pairs) check_pair(input, pair);
  for (const auto& conflict : input.conflicts)
    for (const auto& pair : conflict.through) {
      check_pair(input, pair);
      expect_input(input.maps[pair.map].targets == input.maps[conflict.through[0].map].targets,
                   "{} and {} conflict, expected one target set", name_of(input, pair.map),
                   name_of(input, conflict.through[0].map));
    }
  const std::size_t end = elements_end(input);
  for (std::size_t m = 0; m < input.maps.size(); ++m) {
    const auto& map = input.maps[m];
    expect_input(map.arity == 0 || map.values.size() / map.arity >= end,
                 "{} has {} rows, expected at least {}", name_of(input, m),
                 map.arity == 0 ? 0 : map.values.size() / map.arity, end);
    if (map.targets > most_elements || end > most_elements)
      throw Error(Errc::unsupported,
                  fmt::format("mesh plan: {} joins sets of {} and {} elements, expected at most {}",
                              name_of(input, m), end, map.targets, most_elements));
  }
  if (whole > most_elements)
    throw Error(
        Errc::unsupported,
        fmt::format("mesh plan: a set of {} elements, expected at most {}", whole, most_elements));
}

namespace {

/// Collects over values whether any leaves 0 … last: a sign that v or last - v has then, and no
/// other value. No branches and no comparisons, so that compilers work on several at once.
struct Outside {
  std::uint32_t last, bits = 0;
  void add(std::int32_t value) {
    const auto v = static_cast<std::uint32_t>(value);
    bits |= v | (last - v);
  }
  bool any() const { return bits >> 31 != 0; }
};

bool leaves(std::span<const std::int32_t> values, std::uint32_t last) {
  Outside outside{last};
  for (const auto value : values) outside.add(value);
  return outside.any();
}

template <class Elements>
bool leaves(const ColumnValues& values, Elements elements, std::size_t first, std::size_t end,
            std::uint32_t last) {
  Outside outside{last};
  for (std::size_t i = first; i < end; ++i) outside.add(values.at(elements(i)));
  return outside.any();
}

}  // namespace

void check_targets(const PlanInput& input, const Columns& columns, std::size_t first,
                   std::size_t count) {
  if (count == 0) return;
  const auto last_of = [&](const Column& column) {
    return static_cast<std::uint32_t>(input.maps[column.map].targets) - 1;
  };
  if (const auto rows = whole_rows(input, columns, first, count);
      !rows.empty() && last_of(columns[0]) + 1 != 0 && !leaves(rows, last_of(columns[0])))
    return;
  with_elements(input, [&](auto elements) {
    for (const auto& column : columns) {
      const ColumnValues values(input, column);
      const std::size_t targets = input.maps[column.map].targets;
      if (targets != 0 && !leaves(values, elements, first, first + count, last_of(column)))
        continue;
      for (std::size_t i = first; i < first + count; ++i) {
        const auto value = values.at(elements(i));
        expect_input(
            value >= 0 && static_cast<std::size_t>(value) < targets,
            "{}, row {}, component {} is {}, expected {}", name_of(input, column.map), elements(i),
            column.component, value,
            targets == 0 ? "nothing: its set is empty" : fmt::format("0 … {}", targets - 1));
      }
    }
  });
}

}  // namespace kiln::mesh
