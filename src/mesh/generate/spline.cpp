#include "mesh/generate/spline.hpp"

#include <algorithm>
#include <cstddef>

namespace kiln::mesh {
namespace {

/// One row of a tridiagonal system: below * m[i-1] + diagonal * m[i] + above * m[i+1] = right.
struct Row {
  double below, diagonal, above, right;
};

/// Gaussian elimination without pivoting (Thomas); the spline's systems are diagonally dominant
/// but for their first and last row, whose pivots stay positive.
void solve(std::vector<Row>& rows) {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double factor = rows[i].below / rows[i - 1].diagonal;
    rows[i].diagonal -= factor * rows[i - 1].above;
    rows[i].right -= factor * rows[i - 1].right;
  }
  rows.back().right /= rows.back().diagonal;
  for (std::size_t i = rows.size() - 1; i-- > 0;)
    rows[i].right = (rows[i].right - rows[i].above * rows[i + 1].right) / rows[i].diagonal;
}

}  // namespace

NotAKnotSpline::NotAKnotSpline(std::vector<double> x, std::vector<double> y)
    : x_(std::move(x)), y_(std::move(y)), curvature_(x_.size()) {
  const std::size_t last = x_.size() - 1;
  const auto width = [&](std::size_t i) { return x_[i + 1] - x_[i]; };
  const auto slope = [&](std::size_t i) { return (y_[i + 1] - y_[i]) / width(i); };
  // The first derivative is continuous at each inner point; row i - 1 says so for point i.
  std::vector<Row> rows;
  for (std::size_t i = 1; i < last; ++i)
    rows.push_back(
        {width(i - 1), 2 * (width(i - 1) + width(i)), width(i), 6 * (slope(i) - slope(i - 1))});
  // Not a knot: the curvature of the first point lies on the line through the next two, and takes
  // itself out of the first row so; the last likewise.
  const double first_ratio = width(0) / width(1), last_ratio = width(last - 1) / width(last - 2);
  rows.front().diagonal += width(0) * (1 + first_ratio);
  rows.front().above -= width(0) * first_ratio;
  rows.back().diagonal += width(last - 1) * (1 + last_ratio);
  rows.back().below -= width(last - 1) * last_ratio;
  solve(rows);
  for (std::size_t i = 1; i < last; ++i) curvature_[i] = rows[i - 1].right;
  curvature_[0] = curvature_[1] + first_ratio * (curvature_[1] - curvature_[2]);
  curvature_[last] =
      curvature_[last - 1] + last_ratio * (curvature_[last - 1] - curvature_[last - 2]);
}

double NotAKnotSpline::operator()(double x) const {
  const auto after = std::upper_bound(x_.begin() + 1, x_.end() - 1, x);
  const auto i = static_cast<std::size_t>(after - x_.begin()) - 1;
  const double width = x_[i + 1] - x_[i];
  const double left = (x_[i + 1] - x) / width, right = (x - x_[i]) / width;
  return left * y_[i] + right * y_[i + 1] +
         width * width / 6 *
             ((left * left * left - left) * curvature_[i] +
              (right * right * right - right) * curvature_[i + 1]);
}

}  // namespace kiln::mesh
