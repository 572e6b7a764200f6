#include "tune/strategy/simple.hpp"

namespace kiln::tune {

std::optional<ConfigurationId> Exhaustive::propose() {
  while (history().was_asked(next_)) ++next_;
  return next_;
}

void shuffle(std::vector<ConfigurationId>& ids, Random& random) {
  for (std::size_t i = ids.size(); i > 1; --i) std::swap(ids[i - 1], ids[random.below(i)]);
}

}  // namespace kiln::tune
