#pragma once

#include <optional>

#include "kernel/tuning_record.hpp"
#include "tune/space/search_space.hpp"

namespace kiln::tune {

/// The configuration that has these values; nothing where the space has none, or a parameter of
/// the space has no value. Values that the space does not know are left out.
std::optional<ConfigurationId> configuration_of(const SearchSpace& space,
                                                const kiln::Parameters& values);

/// The other way: the values of a space of whole numbers.
kiln::Parameters parameters_of(const SearchSpace& space, ConfigurationId id);

/// The configuration of the best of Kiln's own measurements of just this size.
std::optional<ConfigurationId> best_on_record(const SearchSpace& space, const TuningRecord& record,
                                              std::int64_t size);

}  // namespace kiln::tune
