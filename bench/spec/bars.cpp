#include "spec/bars.hpp"

namespace kiln::bench {

std::vector<Bar> spec_bars() { return {version_bar(), check_bar()}; }

}  // namespace kiln::bench
