#pragma once

#include <string>

#include "mesh/io/mesh_io.hpp"

namespace kiln::cli {

/// Reads a mesh; `-` is standard input. Throws Error, also for a file on which the HDF5 library
/// crashes: an HDF5 file is read in another process first (trial.hpp).
mesh::MeshFile read_mesh_input(const std::string& path,
                               const mesh::FileLayout& layout = mesh::known_names());

}  // namespace kiln::cli
