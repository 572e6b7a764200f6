#pragma once

#include <cstdint>

#include "mesh/file/mesh_file.hpp"

namespace kiln::mesh {

/// The C-grid round a NACA 0012 profile that OP2's airfoil and aero run on, for any size.
struct Naca0012 {
  std::int64_t along = 400;  ///< I: cells along the profile's surface, and along each wake branch
  std::int64_t out = 600;    ///< J: cells from the profile outwards

  /// Which application it is for.
  enum class Variant : std::uint8_t {
    airfoil,  ///< with edges and boundary edges; the two branches of the wake have nodes each
    aero,     ///< with boundary nodes; the branches share their nodes, and cells list theirs by row
  };
  Variant variant = Variant::airfoil;
};

/// Makes the mesh: sets, maps and the coordinates `p_x`, and `p_bound` for airfoil (1: the profile,
/// 2: far field). 3IJ cells. The profile (99 intervals, dense at both ends) is unwrapped by a
/// square root about x = 0.0077, a spline goes through it, rows of points lie between the spline
/// and a parabola far out, and squaring brings all back. Coordinates are rounded to 6 decimals, as
/// all figures published for these meshes belong to the rounded ones. From I = 519 on the columns
/// next to the trailing edge lie past the profile's last point, where the spline is continued.
/// Pure and thread-safe. Errors (bad_input): I below 2, J below 1, or more edges than 32-bit maps
/// hold.
Expected<MeshFile> make_naca0012(const Naca0012& mesh);

}  // namespace kiln::mesh
