#pragma once

#include <cstdint>
#include <vector>

#include "kiln/mesh/distribution.hpp"
#include "kiln/mpi/environment.hpp"

namespace kiln::mpi {

struct CutOptions {
  /// How much larger than its share the largest part may be.
  double imbalance = 0.05;
  int seed = 1;
  /// PT-Scotch cuts the graph so often, with other seeds, and the best partition counts. 0: up to
  /// 6 times where the graph is small.
  int attempts = 0;
};

/// Cuts the primary set's graph into as many parts as there are ranks by PT-Scotch: all ranks work,
/// none has the whole graph. Two runs on as many ranks give the same parts (the same seed, one
/// thread, PT-Scotch's deterministic way); another number of ranks gives others.
///
/// What `cut` throws: unsupported where Kiln was built without PT-Scotch, or the graph has more
/// vertices or edges than its numbers hold; bad_input for a Transport that is none of transport().
KILN_API mesh::Partitioner scotch(const mesh::Set& primary, std::vector<mesh::Map> adjacency,
                                  const CutOptions& options = {});

/// The same by METIS' k-way partitioning, which works on one rank: the graph is gathered there. For
/// meshes that fit, and any Transport. Equal in each run, and for any number of ranks that give as
/// many parts.
///
/// What `cut` throws: unsupported where Kiln was built without METIS, or the graph has more
/// vertices or edges than its numbers hold (32 bits in Debian).
KILN_API mesh::Partitioner metis(const mesh::Set& primary, std::vector<mesh::Map> adjacency,
                                 const CutOptions& options = {});

/// What the two do with a graph that is no mesh's: the part of each of this rank's vertices.
/// Collective.
KILN_API std::vector<std::int32_t> cut_by_scotch(const mesh::PartitionInput& graph,
                                                 const CutOptions& options = {});
KILN_API std::vector<std::int32_t> cut_by_metis(const mesh::PartitionInput& graph,
                                                const CutOptions& options = {});

}  // namespace kiln::mpi
