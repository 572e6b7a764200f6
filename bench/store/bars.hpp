#pragma once

#include "frame/bar.hpp"

namespace kiln::bench {

/// The bars of the store.
std::vector<Bar> store_bars();

std::vector<Bar> warm_start_bars();  ///< store/process-floor, -source-warm, -source-cold, large-…
std::vector<Bar> big_store_bars();   ///< store/look-up, -p99, store/open
std::vector<Bar> herd_bars();        ///< store/herd-compiles, store/herd-time
std::vector<Bar> shared_hit_bars();  ///< store/memory-hit-scales, -locks

}  // namespace kiln::bench
