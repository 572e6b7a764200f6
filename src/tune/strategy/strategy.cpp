#include "tune/strategy/strategy.hpp"

namespace kiln::tune {

std::optional<ConfigurationId> Strategy::ask() {
  if (history_.all_asked()) return std::nullopt;
  auto id = propose();
  if (!id) return std::nullopt;
  if (history_.was_asked(*id)) id = history_.any_new(random_);
  history_.ask(*id);
  return id;
}

void Strategy::tell(ConfigurationId id, const Outcome& outcome) { history_.tell(id, outcome); }

}  // namespace kiln::tune
