#pragma once

#include "mesh/file/mesh_file.hpp"

namespace kiln::mesh {

/// MeshFile::make. The profile (99 intervals, dense at both ends) is unwrapped by a
/// square root about x = 0.0077, a spline goes through it, rows of points lie between the spline
/// and a parabola far out, and squaring brings all back. Coordinates are rounded to 6 decimals, as
/// all figures published for these meshes belong to the rounded ones. From I = 519 on the columns
/// next to the trailing edge lie past the profile's last point, where the spline is continued.
/// Pure and thread-safe. Errors (bad_input): I below 2, J below 1, or more edges than 32-bit maps
/// hold.
Expected<MeshFile> make_naca0012(const Naca0012& mesh);

}  // namespace kiln::mesh
