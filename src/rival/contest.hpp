#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rival/problem.hpp"

namespace kiln::rival {

/// One side of a comparison.
struct Contender {
  std::string name;
  std::string absent;              ///< why it is not measured; empty where it is
  std::function<double()> sample;  ///< milliseconds of one call among its like
  std::vector<double> samples;     ///< what was measured
};

/// Kiln, OpenBLAS (on devices that work in the host's memory) and CLBlast on one problem, which
/// outlives them. What is not installed, or lacks the routine, says so in `absent`: it was asked by
/// one call each. Asks no further ones once `stop` says so.
std::vector<Contender> contenders_of(Problem& problem, const std::function<bool()>& stop);

/// Measures all sides in turn, another one first each time, so that what a machine does meanwhile
/// falls on all. `rounds` 0: as many as take about two seconds, 3 to 30. Stops early where `stop`
/// says so, with what was measured. Throws Error where a side fails.
void measure(std::vector<Contender>& sides, int rounds, const std::function<bool()>& stop);

}  // namespace kiln::rival
