#pragma once

#include <string>
#include <vector>

#include "mesh/file/mesh_file.hpp"

namespace kiln::mesh {

/// The text files of OP2's example applications (docs/formats/mesh-text.md): `new_grid.dat` of
/// airfoil, whose header has four numbers, and `FE_grid.dat` of aero, whose header has three.
/// The names of sets, maps and dats are those that the applications give them.

/// Reads either. Strict: a record is a line, nothing is missing and nothing too much, every number
/// of a node or cell is one. Errors (bad_input): "line 7: found 'x', expected …". Pure.
Expected<MeshFile> read_text(ByteView text);

/// Writes the file whose parts the mesh has: airfoil's where it has edges, else aero's.
/// Coordinates have 6 decimals, rounded as printf does. Errors (bad_input): a part is missing or
/// has another shape, with what was expected. Pure.
Expected<Bytes> write_text(const MeshFile& mesh);

/// The maps, dats and constants that such a file has no place for.
std::vector<std::string> lost_in_text(const MeshFile& mesh);

}  // namespace kiln::mesh
