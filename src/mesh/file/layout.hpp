#pragma once

#include <string>
#include <vector>

#include "mesh/file/mesh_file.hpp"

namespace kiln::mesh {

/// Which sets the maps and dats of a file join. OP2's HDF5 files do not say it: the program that
/// reads one knows. What a name stands for may depend on what else the file holds (`pbedge` goes
/// from bedges to two nodes in airfoil, to one in aero), so the sizes are held against it.
struct Layout {
  struct Map {
    std::string name, from, to;
  };
  struct Dat {
    std::string name, set;
  };
  std::vector<std::string> sets;
  std::vector<Map> maps;  ///< several of one name: those whose sizes fit
  std::vector<Dat> dats;
};

/// The names that OP2's example applications use: airfoil's, aero's and PyOP2's demos'.
const Layout& known_names();

}  // namespace kiln::mesh
