#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "mesh/plan/map_digests.hpp"
#include "mesh/plan/plan_input.hpp"

namespace kiln::mesh {

/// The canonical bytes of a plan: PyOP2's caching specification,
///     (iteration_space_size, partition_size, [(map digest, [idx])], [[(map digest, [idx])]]),
/// and what it lacks: the set's size and the part's begin, the subset's entries, the scheme, the
/// bytes of an element (they decide nshared), the targets' number (it decides loc_map's width),
/// which pairs are staged, and which share a Map: Maps are numbered by first occurrence, so that
/// equal structure over equal values gives equal bytes, whatever the objects are.
/// Conflicts are in the form that decides the colours: as sets of columns, without implied ones.
Bytes plan_canonical(const PlanInput& input, MapDigests& digests, MapDigests::Kind kind);

/// The identity of an input within the process: a hash of all that decides its plan, with Maps and
/// subsets by identity and version; no values are read, nothing is allocated.
std::uint64_t identity_hash(const PlanInput& input) noexcept;
/// Whether two inputs are of one identity.
bool same_identity(const PlanInput& a, const PlanInput& b) noexcept;
/// An input that has the identity, but refers to nobody's memory.
PlanInput identity_of(const PlanInput& input);

}  // namespace kiln::mesh
