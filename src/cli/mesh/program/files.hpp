#pragma once

#include <string>

#include "mesh/file/mesh_io.hpp"

namespace kiln::cli {

class Context;

/// Reads a mesh; `-` is standard input. Throws Error, also for a file that the HDF5 library dies
/// of: it is tried in a process apart.
mesh::MeshFile read_mesh_input(const std::string& path,
                               const mesh::FileLayout& layout = mesh::known_names());

/// The same of a command's first word, with what its --map and --on say of the file's parts. Throws
/// bad_input where the file has no such part, or says otherwise itself.
mesh::MeshFile read_mesh_argument(const Context& context);

/// "new_grid.h5: 721801 nodes, 1438600 edges, …", or the same as JSON, on standard output.
void print_written(const std::string& path, const mesh::MeshFile& mesh, bool json);

}  // namespace kiln::cli
