#pragma once

#include <string>

#include "mesh/file/mesh_io.hpp"

namespace kiln::cli {

/// Reads a mesh; `-` is standard input. Throws Error, also for a file that the HDF5 library dies
/// of: it is tried in a process apart.
mesh::MeshFile read_mesh_input(const std::string& path);

/// "new_grid.h5: 721801 nodes, 1438600 edges, …", or the same as JSON, on standard output.
void print_written(const std::string& path, const mesh::MeshFile& mesh, bool json);

}  // namespace kiln::cli
