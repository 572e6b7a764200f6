#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rival/problem.hpp"

// Kiln and other libraries, measured on one problem in turn.
namespace kiln::rival {

/// One side of a comparison.
struct Contender {
  std::string name;
  std::string absent;              ///< why it is not measured; empty where it is
  std::function<double()> sample;  ///< milliseconds of one call among its like
  std::vector<double> samples;     ///< what was measured
  /// Its threads go on spinning after its work, on the cores that the others are measured on: those
  /// begin when they sleep.
  bool spins = false;
};

/// The sides that there are, on a problem that outlives them; `absent` says what is not installed.
/// OpenBLAS is asked whether it is there, not whether it can reach the problem's memory.
Contender kiln_side(Problem& problem);
Contender openblas_side(Problem& problem);
Contender clblast_side(Problem& problem);
/// Another one: a call that returns when its work is done.
Contender side_of(std::string name, std::function<void()> call);

/// Kiln, OpenBLAS (on devices that work in the host's memory) and CLBlast on one problem, which
/// outlives them. What is not installed, or lacks the routine, says so in `absent`: it was asked by
/// one call each. Asks no further ones once `stop` says so.
std::vector<Contender> contenders_of(Problem& problem, const std::function<bool()>& stop);

/// Waits until no other thread of this process runs, a second at most; milliseconds of the wait.
/// OpenBLAS's threads spin after their work: 0.3.26's for tens of milliseconds, 0.3.29's for longer
/// than 80 ms.
double wait_for_sleeping_threads();

/// Measures all sides in turn, another one first each time, so that what a machine does meanwhile
/// falls on all; a first round does not count. `rounds` 0: as many as take about two seconds, 3
/// to 30. Stops early where `stop` says so, with what was measured. Throws Error where a side
/// fails.
void measure(
    std::vector<Contender>& sides, int rounds,
    const std::function<bool()>& stop = [] { return false; });

}  // namespace kiln::rival
