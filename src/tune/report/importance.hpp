#pragma once

#include <optional>
#include <vector>

#include "tune/report/run.hpp"

namespace kiln::tune {

/// How much the parameters of a search matter, as far as its measurements tell.
///
/// Functional analysis of variance (Hutter, Hoos, Leyton-Brown: An efficient approach for assessing
/// hyperparameter importance, ICML 2014): a forest is fitted to the logarithms of the times, and
/// the variance of what it says, over the product of the values that were measured, is split
/// among the parameters. Estimated by sampling (Saltelli et al., Computer Physics Communications
/// 181, 2010). The share of a parameter alone, and with all its interactions; the former sum up to
/// 1 at most, the latter to 1 at least.
struct Importance {
  struct Share {
    std::size_t parameter;
    double alone = 0, with_others = 0;
  };
  std::vector<Share> shares;  ///< the largest with_others first
  std::size_t measured = 0;   ///< times that it was fitted to
  /// Of the variance of logarithms of times that a forest has not seen (five-fold), the part that
  /// it explains: 1 all, 0 or less nothing. What is said of parameters is worth no more than this.
  double explained = 0;
};

/// Fewer times than this say nothing.
inline constexpr std::size_t kLeastForImportance = 20;

/// Nothing where fewer than kLeastForImportance configurations have a time, or all have the same.
/// The same run gives the same answer.
std::optional<Importance> importance_of(const TuningRun& run);

}  // namespace kiln::tune
