#include "tune/space/configuration_of.hpp"

#include <limits>

namespace kiln::tune {

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

std::optional<ConfigurationId> best_on_record(const SearchSpace& space, const TuningRecord& record,
                                              std::int64_t size) {
  const auto* best = record.best(size, [&](const Measurement& one) {
    return one.of == Measurement::Of::kiln && one.size == size &&
           configuration_of(space, one.parameters).has_value();
  });
  return best == nullptr ? std::nullopt : configuration_of(space, best->parameters);
}

}  // namespace kiln::tune
