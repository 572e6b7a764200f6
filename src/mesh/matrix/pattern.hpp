#pragma once

#include <span>
#include <vector>

#include "mesh/plan/plan_source.hpp"

namespace kiln::mesh {

/// Two Maps from one set through which loops reach a matrix: each element of the set reaches all
/// pairs of its targets. Views.
struct PatternPair {
  MapView rows, columns;
  std::size_t elements = 0;  ///< of the set, those that loops cover
  std::size_t layers = 1;    ///< cells of a column; 1: not extruded
  /// How far one layer up is, by component; where there are layers.
  std::span<const std::int32_t> row_offsets{}, column_offsets{};
};

/// All that the entries of a matrix depend on.
struct PatternInput {
  std::size_t rows = 0, columns = 0;  ///< of blocks
  bool diagonal = false;              ///< entries (i, i) are there in any case
  std::vector<PatternPair> pairs;
};

/// The canonical bytes of a pattern, by the digests of its Maps. The order of pairs and repeated
/// ones do not count.
Bytes pattern_canonical(const PatternInput& input, MapDigests& digests, MapDigests::Kind kind);

/// Compressed rows: "rowptr" (rows + 1 int32) and "colidx" (columns of a row rising, each once).
/// The same bytes on any number of threads (oneTBB). Throws Error (bad_input) where vertical
/// offsets lead out of a set, (unsupported) where 32-bit numbers do not suffice.
PlanPtr build_pattern(const PatternInput& input);

/// Version of the arrays' meaning.
inline constexpr std::uint32_t pattern_schema = 1;

/// Throws Error (corrupt) where a plan is no pattern of this many rows and columns.
void check_pattern(const Plan& plan, std::size_t rows, std::size_t columns);

}  // namespace kiln::mesh
