#pragma once

#include "frame/bar.hpp"

namespace kiln::bench {

/// The bars of the tuner.
std::vector<Bar> tune_bars();

// These need no device.
std::vector<Bar> hub_bars();  ///< tune/median-…, p90-, simple-, random-, transfer-, run-, score-
std::vector<Bar> own_space_bars();  ///< tune/random-…, score-…
std::vector<Bar> space_bars();      ///< tune/space-time, tune/space-memory
std::vector<Bar> noise_bars();      ///< tune/noise-…
// These search on the first device.
std::vector<Bar> search_bars();  ///< tune/overhead, tune/ten-minutes
std::vector<Bar> class_bars();   ///< tune/classes-…
// On the first CPU.
std::vector<Bar> shipped_bars();  ///< tune/shipped, tune/shipped-start

}  // namespace kiln::bench
