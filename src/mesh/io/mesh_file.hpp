#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/bytes.hpp"
#include "base/data/text.hpp"
#include "kiln/mesh/file.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {

/// A name or a word of a file as messages quote it: short, in one line, between apostrophes.
inline std::string quote(std::string_view text) {
  constexpr std::size_t longest = 60;
  const bool cut = text.size() > longest;
  return "'" + one_line(text.substr(0, longest)) + (cut ? "…'" : "'");
}

/// What OP2's airfoil and aero call the sets, maps and dats of their meshes (OP2-Common,
/// apps/c/airfoil and apps/c/aero).
namespace parts {

inline constexpr const char* nodes = "nodes";
inline constexpr const char* edges = "edges";
inline constexpr const char* bedges = "bedges";  ///< aero: boundary nodes
inline constexpr const char* cells = "cells";

inline constexpr const char* edge_nodes = "pedge";
inline constexpr const char* edge_cells = "pecell";
inline constexpr const char* bedge_nodes = "pbedge";
inline constexpr const char* bedge_cells = "pbecell";
inline constexpr const char* cell_nodes = "pcell";

inline constexpr const char* coordinates = "p_x";
inline constexpr const char* bound = "p_bound";

}  // namespace parts

/// Holds a file's parts against one another: names unique and not empty, sets of maps and dats
/// there, every list of the length that its set says, every entry of a map within its target set.
/// Readers end with it and writers begin with it. Errors (bad_input) name the part, the element,
/// what was found and what was expected.
Expected<void> check(const MeshFile& mesh);

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
