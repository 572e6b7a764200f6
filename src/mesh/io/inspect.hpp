#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mesh/io/mesh_file.hpp"

namespace kiln::mesh {

/// The least and the greatest of a list; none where it is empty or, for numbers with a fraction,
/// where none is finite.
template <class T>
struct Range {
  T least, greatest;
};
std::optional<Range<std::int32_t>> range_of(const FileMap& map);
/// Over all components; integers as doubles.
std::optional<Range<double>> range_of(const FileDat& dat);

/// What is odd about a mesh whose parts fit one another (check).
struct Finding {
  std::string part;        ///< "map 'pcell'", "set 'nodes'", "dat 'p_x'", "left out"
  std::string what;        ///< "elements that name a target twice"; "NAME: why it is left out"
  std::int64_t count = 0;  ///< elements; 0: it is not about elements
  std::int64_t first = 0;  ///< the first of them
};

/// Looks for elements that name one target twice, elements of a map's target set that no map leads
/// to, numbers that are not finite, and what the reader left out. Nothing depends on the order of a
/// cell's nodes. Empty: none.
std::vector<Finding> inspect(const MeshFile& mesh);

}  // namespace kiln::mesh
