#pragma once

#include "mesh/file/mesh_file.hpp"

namespace kiln::mesh {

/// The bytes of an unstructured grid (.vtu) that ParaView and VTK open: XML with the numbers
/// appended in base64, little-endian, with 64-bit lengths (docs/formats/vtu.md). Points are of 1 to
/// 3 floats or doubles; cells are what VtuChoice::shape says, or go by the map's arity.
/// Quadrilaterals, and the two of a hexahedron, may have their nodes once round or row by row, as
/// aero's have. Pure. Errors (bad_input): what is missing or does not fit.
Expected<Bytes> write_vtu(const MeshFile& mesh, const VtuChoice& choice = {});

}  // namespace kiln::mesh
