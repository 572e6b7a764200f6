#pragma once

#include <string>
#include <vector>

#include "mesh/file/mesh_file.hpp"

namespace kiln::mesh {

/// What of a mesh a VTK file shows.
struct VtuChoice {
  std::string coordinates = {};  ///< the dat of the points; empty: p_x, else the only fitting one
  std::string cells = {};        ///< the map of the cells; empty: pcell, else the one of most nodes
  std::vector<std::string> dats;  ///< on the points' or the cells' set
};

/// Writes an unstructured grid (.vtu) that ParaView and VTK open: XML with the numbers appended in
/// base64, little-endian, with 64-bit lengths. Points are of 1 to 3 floats or doubles; cells are
/// vertices, lines, triangles or quadrilaterals by the map's arity. Quadrilaterals may have their
/// nodes once round or row by row, as aero's have. Pure. Errors (bad_input): what is missing or
/// does not fit.
Expected<Bytes> write_vtu(const MeshFile& mesh, const VtuChoice& choice = {});

}  // namespace kiln::mesh
