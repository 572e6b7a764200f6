#pragma once

#include <vector>

/// How much of a mesh ranks are to have so that all take as long.
namespace kiln::mpi {

/// Shares that sum up to 1 from speeds, of which those that are not known are 0. Those that are
/// below a hundredth of the largest become that.
std::vector<double> shares_from(std::vector<double> speeds);

/// What a rank did in some steps.
struct Work {
  double elements = 0;
  double seconds = 0;  ///< without what it waited for others
};

/// What a rank takes for as many steps with n elements: fixed + each n. each 0: not known.
struct Cost {
  double fixed = 0, each = 0;
};

/// By least squares, with both from 0 on. What parts of one size took says nothing of `fixed`.
Cost cost_of(const std::vector<Work>& all);

struct EvenShares {
  std::vector<double> shares;
  double seconds = 0;  ///< that all ranks take with them which have any
};

/// The parts of `elements` with which all take as long. Ranks that would take longer for nothing
/// get none.
EvenShares even_shares(std::vector<Cost> costs, double elements);

}  // namespace kiln::mpi
