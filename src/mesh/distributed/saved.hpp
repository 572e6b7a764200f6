#pragma once

#include <filesystem>

#include "mesh/distributed/blocks.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh {

/// Of each element of this part's block: who owns it. All parts call it; the set is partitioned.
std::vector<std::int32_t> owners_in_blocks(const SetState& set);

/// Writes the file of Mesh::save_partition (saved.cpp has its grammar). All parts call it, and all
/// throw what the first has to say: io.
void save_partition(const SetState& set, const std::filesystem::path& path);

}  // namespace kiln::mesh
