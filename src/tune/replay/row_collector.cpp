#include "tune/replay/row_collector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.hpp"

namespace kiln::tune {

std::size_t MeasuredSpace::failures() const {
  return static_cast<std::size_t>(
      std::count_if(outcomes.begin(), outcomes.end(), [](const Outcome& o) { return !o.ok(); }));
}

std::vector<Trial> MeasuredSpace::trials() const {
  std::vector<Trial> trials;
  for (std::size_t id = 0; id < outcomes.size(); ++id) trials.push_back({id, outcomes[id]});
  return trials;
}

void RowCollector::declare(std::vector<Parameter> parameters) {
  parameters_ = std::move(parameters);
}

void RowCollector::declare_names(const std::vector<std::string>& names) {
  for (const auto& name : names) parameters_.push_back({name, {}});
  grows_ = true;
}

Expected<void> RowCollector::add(std::span<const expr::Value> values, const Outcome& outcome) {
  Positions row;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const auto found = position(p, values[p]);
    if (!found) return tl::unexpected(found.error());
    row.push_back(*found);
  }
  rows_.push_back(std::move(row));
  outcomes_.push_back(outcome);
  return {};
}

Expected<std::uint16_t> RowCollector::position(std::size_t p, const expr::Value& value) {
  Parameter& parameter = parameters_[p];
  const std::size_t at = position_of(parameter, value);
  if (at == parameter.values.size()) {
    if (!grows_) {
      return fail(Errc::bad_input, fmt::format("{} is no value of {}", one_line(value.text()),
                                               one_line(parameter.name)));
    }
    if (at == kMostValues) {
      return fail(Errc::bad_input,
                  fmt::format("{} has more than {} values", one_line(parameter.name), kMostValues));
    }
    parameter.values.push_back(value);
  }
  return static_cast<std::uint16_t>(at);
}

/// Values came in the order of measuring; neighbours are to be alike.
void RowCollector::sort_values() {
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    auto& values = parameters_[p].values;
    const auto is_number = [](const expr::Value& value) { return value.is_number(); };
    if (!std::all_of(values.begin(), values.end(), is_number)) continue;
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return *values[a].to_double() < *values[b].to_double();
    });
    std::vector<expr::Value> sorted;
    std::vector<std::uint16_t> rank(values.size());
    for (const std::size_t at : order) {
      rank[at] = static_cast<std::uint16_t>(sorted.size());
      sorted.push_back(values[at]);
    }
    values = std::move(sorted);
    for (Positions& row : rows_) row[p] = rank[row[p]];
  }
}

Expected<MeasuredSpace> RowCollector::finish() {
  if (rows_.empty()) return fail(Errc::bad_input, "it holds no configuration");
  double fastest = 0;
  for (const Outcome& outcome : outcomes_) {
    if (outcome.ok() && (fastest == 0 || outcome.time < fastest)) fastest = outcome.time;
  }
  if (fastest == 0) return fail(Errc::bad_input, "none of its configurations has a time");
  if (grows_) sort_values();
  auto space = SearchSpace::of_rows(std::move(parameters_), rows_);
  if (!space) return tl::unexpected(space.error());
  return MeasuredSpace{{}, {}, *std::move(space), std::move(outcomes_), fastest};
}

}  // namespace kiln::tune
