#pragma once

#include <string>

#include "mesh/file/mesh_io.hpp"

namespace kiln::cli {

/// Reads a mesh; `-` is standard input. What the reader left out is printed as notes. Throws Error.
mesh::MeshFile read_mesh_input(const std::string& path);

/// "new_grid.h5: 721801 nodes, 1438600 edges, …", or the same as JSON, on standard output.
void print_written(const std::string& path, const mesh::MeshFile& mesh, bool json);

}  // namespace kiln::cli
