#include "tune/space/search_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/data/text.hpp"
#include "base/expected.hpp"
#include "kernel/request/parameters.hpp"

namespace kiln::tune {
namespace {

[[noreturn]] void refuse_space(std::string why) { throw Error(Errc::bad_input, std::move(why)); }

void check(std::span<const Parameter> parameters) {
  if (parameters.empty()) refuse_space("the space has no parameter");
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string name = one_line(parameters[i].name);
    if (!is_parameter_name(parameters[i].name))
      refuse_space(fmt::format("'{}' cannot name a parameter", name));
    const std::size_t count = parameters[i].values.size();
    if (count == 0) refuse_space(fmt::format("parameter {} has no value", name));
    if (count > kMostValues)
      refuse_space(fmt::format("parameter {} has {} values; at most {} are taken", name, count,
                               kMostValues));
    for (std::size_t j = 0; j < i; ++j)
      if (parameters[j].name == parameters[i].name)
        refuse_space(fmt::format("two parameters named {}", name));
  }
}

}  // namespace

SearchSpace::SearchSpace(std::vector<Parameter> parameters) : parameters_(std::move(parameters)) {
  check(parameters_);
  places_.resize(parameters_.size());
}

Expected<SearchSpace> SearchSpace::build(std::vector<Parameter> parameters,
                                         const std::vector<Constraint>& constraints,
                                         const SpaceBounds& bounds) {
  return expected_from([&] {
    SearchSpace space(std::move(parameters));
    for (const auto& group : independent_groups(space.parameters_, constraints))
      space.add(value_or_throw(enumerate(group, space.parameters_, constraints, bounds)));
    return space;
  });
}

Expected<SearchSpace> SearchSpace::of_rows(std::vector<Parameter> parameters,
                                           std::span<const Positions> rows) {
  return expected_from([&] {
    SearchSpace space(std::move(parameters));
    if (rows.empty()) refuse_space("the space has no configuration");
    std::vector<std::size_t> all(space.parameters_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    // Whatever joins the parameters of a list is not known, so they are one table.
    Component component(std::move(all));
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const bool fits = std::equal(
          rows[row].begin(), rows[row].end(), space.parameters_.begin(), space.parameters_.end(),
          [](auto position, const auto& parameter) { return position < parameter.values.size(); });
      if (!fits) refuse_space(fmt::format("configuration {} does not fit", row));
      component.add(rows[row]);
    }
    if (!component.index()) refuse_space("a configuration stands twice");
    space.add(std::move(component));
    return space;
  });
}

void SearchSpace::add(Component component) {
  strides_.push_back(size_);
  if (__builtin_mul_overflow(size_, component.rows(), &size_))
    refuse_space("the space has more than 2^64 valid configurations");
  const auto parameters = component.parameters();
  for (std::size_t column = 0; column < parameters.size(); ++column)
    places_[parameters[column]] = {components_.size(), column};
  components_.push_back(std::move(component));
}

double SearchSpace::raw_size() const {
  double product = 1;
  for (const auto& parameter : parameters_) product *= static_cast<double>(parameter.values.size());
  return product;
}

std::uint16_t SearchSpace::position(ConfigurationId id, std::size_t parameter) const {
  const Place place = places_[parameter];
  return components_[place.component].position(row(id, place.component), place.column);
}

const expr::Value& SearchSpace::value(ConfigurationId id, std::size_t parameter) const {
  return parameters_[parameter].values[position(id, parameter)];
}

Positions SearchSpace::positions(ConfigurationId id) const {
  Positions positions(parameters_.size());
  for (std::size_t p = 0; p < positions.size(); ++p) positions[p] = position(id, p);
  return positions;
}

std::optional<ConfigurationId> SearchSpace::find(std::span<const std::uint16_t> positions) const {
  // A number of mixed radix: each component's row times the product of the sizes before it.
  ConfigurationId id = 0;
  for (std::size_t i = 0; i < components_.size(); ++i) {
    const auto row = components_[i].find(positions);
    if (!row) return std::nullopt;
    id += *row * strides_[i];
  }
  return id;
}

std::string SearchSpace::text(ConfigurationId id) const {
  std::string text;
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    text += fmt::format("{}{}={}", p == 0 ? "" : " ", parameters_[p].name, value(id, p).text());
  return text;
}

std::vector<ConfigurationId> SearchSpace::neighbours(ConfigurationId id) const {
  std::vector<ConfigurationId> found;
  Positions positions = this->positions(id);
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const std::size_t c = places_[p].component;
    const std::uint16_t own = positions[p];
    for (std::size_t value = 0; value < parameters_[p].values.size(); ++value) {
      if (value == own) continue;
      positions[p] = static_cast<std::uint16_t>(value);
      // Only one table's row changes; the others' part of the number stays.
      if (const auto other = components_[c].find(positions))
        found.push_back(id - row(id, c) * strides_[c] + *other * strides_[c]);
    }
    positions[p] = own;
  }
  return found;
}

std::optional<ConfigurationId> configuration_of(const SearchSpace& space,
                                                const kiln::Parameters& values) {
  constexpr auto none = std::numeric_limits<std::int64_t>::min();
  Positions positions;
  for (const auto& parameter : space.parameters()) {
    const std::int64_t value = values.get(parameter.name, none);
    const auto at = value == none ? parameter.values.size() : position_of(parameter, value);
    if (at == parameter.values.size()) return std::nullopt;
    positions.push_back(static_cast<std::uint16_t>(at));
  }
  return space.find(positions);
}

kiln::Parameters parameters_of(const SearchSpace& space, ConfigurationId id) {
  kiln::Parameters parameters;
  const auto& names = space.parameters();
  for (std::size_t i = 0; i < names.size(); ++i)
    parameters.set(names[i].name, *space.value(id, i).to_integer());
  return parameters;
}

std::vector<Positions> accepted_rows(const std::vector<Parameter>& parameters,
                                     const std::function<bool(const kiln::Parameters&)>& accepts) {
  const auto all = value_or_throw(SearchSpace::build(parameters, {}));
  std::vector<Positions> rows;
  for (ConfigurationId id = 0; id < all.size(); ++id)
    if (accepts(parameters_of(all, id))) rows.push_back(all.positions(id));
  return rows;
}

std::optional<ConfigurationId> best_on_record(const SearchSpace& space, const TuningRecord& record,
                                              std::int64_t size) {
  const auto* best = record.best(size, [&](const kiln::Measurement& one) {
    return one.of == kiln::Measurement::Of::kiln && one.size == size &&
           configuration_of(space, one.parameters).has_value();
  });
  return best == nullptr ? std::nullopt : configuration_of(space, best->parameters);
}

}  // namespace kiln::tune
