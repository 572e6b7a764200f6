#pragma once

#include <vector>

namespace kiln::mesh {

/// The cubic spline through points of rising abscissa with not-a-knot ends: its third derivative is
/// continuous at the second and at the last but one point, so that the first two pieces are one
/// cubic, and the last two. Outside of the points the end pieces go on. (De Boor, A Practical Guide
/// to Splines, ch. IV.) Immutable.
class NotAKnotSpline {
 public:
  /// As many ordinates as abscissae, at least 4.
  NotAKnotSpline(std::vector<double> x, std::vector<double> y);
  double operator()(double x) const;

 private:
  std::vector<double> x_, y_;
  std::vector<double> curvature_;  ///< second derivatives at the points
};

}  // namespace kiln::mesh
