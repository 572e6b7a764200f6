#pragma once

#include <vector>

#include "mesh/io/mesh_file.hpp"

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

/// MeshFile::make. The profile (99 intervals, dense at both ends) is unwrapped by a
/// square root about x = 0.0077, a spline goes through it, rows of points lie between the spline
/// and a parabola far out, and squaring brings all back. Coordinates are rounded to 6 decimals, as
/// all figures published for these meshes belong to the rounded ones. From I = 519 on the columns
/// next to the trailing edge lie past the profile's last point, where the spline is continued.
/// Pure and thread-safe. Errors (bad_input): I below 2, J below 1, or more edges than 32-bit maps
/// hold.
Expected<MeshFile> make_naca0012(const Naca0012& mesh);

}  // namespace kiln::mesh
