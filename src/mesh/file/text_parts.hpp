#pragma once

/// What OP2's airfoil and aero call the sets, maps and dats of their meshes (OP2-Common,
/// apps/c/airfoil and apps/c/aero).
namespace kiln::mesh::parts {

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

}  // namespace kiln::mesh::parts
