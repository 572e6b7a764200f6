#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "kernel/plan.hpp"

namespace kiln::mesh {

/// A Map as plans see it. Views; the values stay where they are.
struct MapView {
  std::span<const std::int32_t> values;  ///< rows x arity, row-major
  std::size_t arity = 1;
  std::size_t targets = 0;     ///< elements of the set that it points to; every value is below
  std::uint64_t identity = 0;  ///< differs between Maps of one process
  std::uint64_t version = 0;   ///< grows when the values change
  std::string_view name;       ///< for messages only
};

/// A (Dat, Map) pair in the order of first appearance, with the components that the loop uses, in
/// the order of its arguments, each once.
struct PlanPair {
  std::size_t map = 0;  ///< position in PlanInput::maps
  std::vector<std::uint32_t> components;
  std::size_t element_bytes = 8;  ///< itemsize * cdim: what staging one element takes
  bool staged = true;             ///< false: only there for conflicts
};

/// Elements that may not run at once if they reach the same target through any of these (one Dat
/// that is written through Maps; the row Map of a matrix).
struct PlanConflict {
  std::vector<PlanPair> through;  ///< `components` and `map` count
};

/// How conflicts are kept apart.
enum class Scheme : std::uint8_t {
  blocks,    ///< blocks of consecutive elements; blocks of a colour share no target
  staged,    ///< blocks, colours of elements within a block, and staging maps
  permuted,  ///< elements sorted by colour, no blocks: those of a colour share no target
};

/// All that a plan depends on.
struct PlanInput {
  std::size_t set_size = 0;         ///< of the whole set, for the identity of subsets and parts
  std::size_t begin = 0, size = 0;  ///< the part: elements begin … begin + size - 1
  std::optional<std::span<const std::int32_t>> subset;  ///< elements are subset[begin …]
  std::uint64_t subset_identity = 0, subset_version = 0;
  std::uint32_t block_size = 256;
  Scheme scheme = Scheme::blocks;
  std::vector<MapView> maps;  ///< each Map once, by first appearance
  std::vector<PlanPair> pairs;
  std::vector<PlanConflict> conflicts;
};

}  // namespace kiln::mesh
