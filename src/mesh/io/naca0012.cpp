// The mesh around a NACA 0012 profile, and the spline that goes through the profile.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <numbers>

#include "mesh/io/mesh_io.hpp"

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

namespace {

// The recipe's own numbers.
constexpr int samples = 100;        // points of the upper surface
constexpr double origin = 0.0077;   // of the square root: just inside the leading edge
constexpr double plane_extent = 3;  // of the unwrapped plane, to both sides and outwards
constexpr std::int32_t wall = 1, far_field = 2;

/// Half the profile's thickness at s, as the recipe's polynomial has it; the trailing edge is
/// closed by its caller.
double thickness(double s) {
  return 0.594689181 * (0.298222773 * std::sqrt(s) - 0.127125232 * s - 0.357907906 * s * s +
                        0.291984971 * s * s * s - 0.105174696 * s * s * s * s);
}

/// The profile in the unwrapped plane: height over position, the lower side left, the upper right.
NotAKnotSpline unwrapped_profile() {
  std::vector<double> at, height;
  std::vector<std::complex<double>> upper;
  for (int k = 0; k < samples; ++k) {
    const double sine = std::sin(k * std::numbers::pi / (2 * (samples - 1)));
    const double s = sine * sine;
    upper.push_back(std::sqrt(std::complex(s - origin, k == samples - 1 ? 0.0 : thickness(s))));
  }
  for (int k = samples - 1; k > 0; --k) {
    at.push_back(-upper[static_cast<std::size_t>(k)].real());
    height.push_back(upper[static_cast<std::size_t>(k)].imag());
  }
  for (const auto& w : upper) {
    at.push_back(w.real());
    height.push_back(w.imag());
  }
  return {std::move(at), std::move(height)};
}

/// Everything of one mesh: c counts columns, 0 to 3I, and r rows, 0 to J.
class Maker {
 public:
  explicit Maker(const Naca0012& mesh)
      : along_(static_cast<std::int32_t>(mesh.along)),
        out_(static_cast<std::int32_t>(mesh.out)),
        columns_(3 * along_),
        aero_(mesh.variant == Naca0012::Variant::aero) {}

  MeshFile make() {
    MeshFile mesh;
    const std::int64_t nodes = std::int64_t{columns_ + 1} * (out_ + 1) - (aero_ ? along_ + 1 : 0);
    const std::int64_t cells = std::int64_t{columns_} * out_;
    const std::int64_t edges =
        std::int64_t{columns_ - 1} * out_ + std::int64_t{columns_} * (out_ - 1) + along_;
    mesh.sets.push_back({parts::nodes, nodes});
    if (!aero_) mesh.sets.push_back({parts::edges, edges});
    mesh.sets.push_back({parts::bedges, aero_ ? columns_ + 2 * out_ : 4 * along_ + 2 * out_});
    mesh.sets.push_back({parts::cells, cells});
    add_cells(mesh, static_cast<std::size_t>(cells));
    if (aero_) {
      add_boundary_nodes(mesh);
    } else {
      add_edges(mesh, static_cast<std::size_t>(edges));
      add_boundary_edges(mesh);
    }
    add_coordinates(mesh, static_cast<std::size_t>(nodes));
    return mesh;
  }

 private:
  std::int32_t node(std::int32_t c, std::int32_t r) const {
    if (!aero_) return c + (columns_ + 1) * r;
    // The lower branch of the wake has the nodes of the upper one.
    const std::int32_t column = r == 0 && c <= along_ ? columns_ - c : c;
    return column + (columns_ + 1) * r - (along_ + 1);
  }
  std::int32_t cell(std::int32_t c, std::int32_t r) const { return c + columns_ * r; }

  void add_coordinates(MeshFile& mesh, std::size_t nodes) const {
    const NotAKnotSpline profile = unwrapped_profile();
    FileDat& dat =
        mesh.dats.emplace_back(FileDat{parts::coordinates, parts::nodes, 2, ScalarType::f64,
                                       Bytes(nodes * 2 * sizeof(double)), "double"});
    auto* xy = reinterpret_cast<double*>(dat.bytes.data());
    std::vector<double> floor(static_cast<std::size_t>(columns_) + 1);
    for (std::int32_t c = along_ + 1; c < 2 * along_; ++c)
      floor[static_cast<std::size_t>(c)] = profile(column_at(c));
    for (std::int32_t r = 0; r <= out_; ++r) {
      for (std::int32_t c = aero_ && r == 0 ? along_ + 1 : 0; c <= columns_; ++c) {
        const double bottom = floor[static_cast<std::size_t>(c)];
        const double across = column_at(c);
        const double up = r == out_ ? plane_extent : bottom + (plane_extent - bottom) * r / out_;
        *xy++ = rounded_to_decimals(across * across - up * up);
        *xy++ = rounded_to_decimals(2 * across * up);
      }
    }
  }
  double column_at(std::int32_t c) const { return -plane_extent + 2.0 * c / along_; }

  void add_cells(MeshFile& mesh, std::size_t cells) const {
    std::vector<std::int32_t> nodes;
    nodes.reserve(4 * cells);
    for (std::int32_t r = 0; r < out_; ++r) {
      for (std::int32_t c = 0; c < columns_; ++c) {
        const std::int32_t above[] = {node(c, r + 1), node(c + 1, r + 1)};
        nodes.insert(nodes.end(),
                     {node(c, r), node(c + 1, r), above[aero_ ? 0 : 1], above[aero_ ? 1 : 0]});
      }
    }
    mesh.maps.push_back({parts::cell_nodes, parts::cells, parts::nodes, 4, std::move(nodes)});
  }

  void add_edges(MeshFile& mesh, std::size_t edges) const {
    std::vector<std::int32_t> nodes, cells;
    nodes.reserve(2 * edges);
    cells.reserve(2 * edges);
    const auto add = [&](std::int32_t n1, std::int32_t n2, std::int32_t c1, std::int32_t c2) {
      nodes.insert(nodes.end(), {n1, n2});
      cells.insert(cells.end(), {c1, c2});
    };
    for (std::int32_t r = 0; r < out_; ++r) {
      for (std::int32_t c = 0; c < columns_; ++c) {
        if (r == 0 && c < along_)
          add(node(c, 0), node(c + 1, 0), cell(columns_ - 1 - c, 0), cell(c, 0));
        if (r < out_ - 1) add(node(c, r + 1), node(c + 1, r + 1), cell(c, r), cell(c, r + 1));
        if (c < columns_ - 1) add(node(c + 1, r), node(c + 1, r + 1), cell(c + 1, r), cell(c, r));
      }
    }
    mesh.maps.push_back({parts::edge_nodes, parts::edges, parts::nodes, 2, std::move(nodes)});
    mesh.maps.push_back({parts::edge_cells, parts::edges, parts::cells, 2, std::move(cells)});
  }

  void add_boundary_edges(MeshFile& mesh) const {
    std::vector<std::int32_t> nodes, cells, bound;
    const auto add = [&](std::int32_t n1, std::int32_t n2, std::int32_t c, std::int32_t kind) {
      nodes.insert(nodes.end(), {n1, n2});
      cells.push_back(c);
      bound.push_back(kind);
    };
    for (std::int32_t c = along_; c < 2 * along_; ++c)
      add(node(c + 1, 0), node(c, 0), cell(c, 0), wall);
    for (std::int32_t r = 0; r < out_; ++r)
      add(node(columns_, r + 1), node(columns_, r), cell(columns_ - 1, r), far_field);
    for (std::int32_t c = columns_ - 1; c >= 0; --c)
      add(node(c, out_), node(c + 1, out_), cell(c, out_ - 1), far_field);
    for (std::int32_t r = out_ - 1; r >= 0; --r)
      add(node(0, r), node(0, r + 1), cell(0, r), far_field);
    mesh.maps.push_back({parts::bedge_nodes, parts::bedges, parts::nodes, 2, std::move(nodes)});
    mesh.maps.push_back({parts::bedge_cells, parts::bedges, parts::cells, 1, std::move(cells)});
    mesh.dats.push_back({parts::bound, parts::bedges, 1, ScalarType::i32,
                         bytes_of_values(std::span<const std::int32_t>(bound)), "int"});
  }

  void add_boundary_nodes(MeshFile& mesh) const {
    std::vector<std::int32_t> nodes;
    for (std::int32_t r = 0; r <= out_; ++r)
      for (std::int32_t c = r == 0 ? 1 : 0; c <= columns_; ++c)
        if (c == 0 || c == columns_ || r == out_) nodes.push_back(node(c, r));
    mesh.maps.push_back({parts::bedge_nodes, parts::bedges, parts::nodes, 1, std::move(nodes)});
  }

  std::int32_t along_, out_, columns_;
  bool aero_;
};

}  // namespace

Expected<MeshFile> make_naca0012(const Naca0012& mesh) {
  return expected_from([&] {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    // With I = 1 the profile is one edge of no length.
    if (mesh.along < 2 || mesh.out < 1)
      refuse("found I = {} and J = {}, expected at least 2 and 1", mesh.along, mesh.out);
    // Edges are the most, about 6IJ.
    if (mesh.along > most / 6 || mesh.out > most / 6 || mesh.along * (mesh.out + 1) > most / 6)
      refuse(
          "found I = {} and J = {}: more than {} edges, which is all that maps of 32-bit numbers "
          "can count",
          mesh.along, mesh.out, most);
    return Maker(mesh).make();
  });
}

}  // namespace kiln::mesh
