#include "mesh/file/mesh_file.hpp"
#include "mesh/file/text_parts.hpp"

namespace kiln::mesh {

const FileLayout& known_names() {
  using namespace parts;
  static const FileLayout layout{{{edge_nodes, edges, nodes},
                                  {edge_cells, edges, cells},
                                  {bedge_nodes, bedges, nodes},
                                  {bedge_cells, bedges, cells},
                                  {cell_nodes, cells, nodes}},
                                 {{coordinates, nodes},
                                  {bound, bedges},
                                  // airfoil's flow
                                  {"p_q", cells},
                                  {"p_qold", cells},
                                  {"p_adt", cells},
                                  {"p_res", cells},
                                  // aero's potential and its solver
                                  {"p_phim", nodes},
                                  {"p_resm", nodes},
                                  {"p_K", cells},
                                  {"p_V", nodes},
                                  {"p_P", nodes},
                                  {"p_U", nodes}}};
  return layout;
}

}  // namespace kiln::mesh
