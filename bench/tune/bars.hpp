#pragma once

#include "frame/bar.hpp"

namespace kiln::bench {

/// The bars of the tuner; all but the last need no device.
std::vector<Bar> tune_bars();

std::vector<Bar> hub_bars();    ///< tune/median-…, p90-, ratio-, random-, transfer-, run-, score-
std::vector<Bar> space_bars();  ///< tune/space-time, tune/space-memory
std::vector<Bar> noise_bars();  ///< tune/noise-…
std::vector<Bar> class_bars();  ///< tune/classes-…

}  // namespace kiln::bench
