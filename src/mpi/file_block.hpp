#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kiln/mpi/file.hpp"
#include "mesh/io/mesh_file.hpp"

namespace kiln::mpi {

/// The rows of a set that a rank gets: N r / P to N (r + 1) / P.
SetBlock block_of(std::string name, std::int64_t size, int rank, int ranks);

/// Throws bad_input for an entry that is none of the set that the map leads to.
void check_entries(const MapBlock& map, const SetBlock& from, const SetBlock& to);

/// Holds the parts of a block against one another: names, sets, lengths. Throws bad_input.
void check_block(const MeshFileBlock& block);

/// MeshFileBlock::of() of any rank.
MeshFileBlock rows_of(const mesh::MeshFile& file, int rank, int ranks);

}  // namespace kiln::mpi
