#pragma once

#include <span>

#include "kiln/mesh/solve.hpp"

namespace kiln::mesh {

/// When the method of conjugate gradients ends, and why. `s` is (r D r, r r) of an iteration, D the
/// preconditioner, p its direction.
class StoppingRule {
 public:
  explicit StoppingRule(const SolveOptions& options) : options_(options) {}

  /// Of the right side's norm and the first residual's; throws bad_input where one is no number.
  /// What it gives is the norm that is good enough.
  double begin(double norm, double residual);
  /// Its square, as the device has it, whose type may be shorter.
  void set_goal_squared(double goal) { goal_squared_ = goal; }
  /// After an iteration: whether it was the last one.
  void apply(std::span<const double> s, double p_a_p, std::size_t iteration);

  bool is_done() const { return is_done_; }
  std::size_t iterations() const { return result_.iterations; }
  SolveResult result() const;

 private:
  const SolveOptions& options_;
  SolveResult result_;
  double residual_ = 0, goal_squared_ = 0, most_ = 0;
  bool is_done_ = false;
};

}  // namespace kiln::mesh
