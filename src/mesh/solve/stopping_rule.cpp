// The end of conjugate gradients.
#include "mesh/solve/stopping_rule.hpp"

#include <algorithm>
#include <cmath>

#include "mesh/model/basics.hpp"

namespace kiln::mesh {

double StoppingRule::begin(double norm, double residual) {
  residual_ = residual;
  if (!std::isfinite(norm) || !std::isfinite(residual_))
    refuse("solve: b, x or the matrix has an element that is not finite, or whose square is not");
  most_ = options_.divergence * std::max(norm, residual_);
  return std::max(options_.relative * norm, options_.absolute);
}

void StoppingRule::apply(std::span<const double> s, double p_a_p, std::size_t iteration) {
  using End = SolveResult::End;
  result_.iterations = iteration;
  residual_ = std::sqrt(s[1]);
  if (std::isnan(s[0]) || std::isnan(s[1]) || std::isnan(p_a_p))
    refuse("solve: iteration {} produced a NaN", iteration);
  is_done_ = true;
  if (s[1] <= goal_squared_)
    result_.end = End::converged;
  else if (p_a_p <= 0 || s[0] <= 0)
    result_.end = End::indefinite;
  else if (residual_ > most_)
    result_.end = End::diverged;
  else
    is_done_ = iteration >= options_.most_iterations;
}

SolveResult StoppingRule::result() const {
  SolveResult result = result_;
  result.residual = residual_;
  result.converged = result.end == SolveResult::End::converged;
  return result;
}

}  // namespace kiln::mesh
