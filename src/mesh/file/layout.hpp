#pragma once

#include <string>
#include <vector>

#include "mesh/file/mesh_file.hpp"

namespace kiln::mesh {

/// Which sets the maps and dats of a file join. OP2's HDF5 files do not say it: the program that
/// reads one knows. Arities, dimensions and types are the file's own.
struct Layout {
  struct Map {
    std::string name, from, to;
  };
  struct Dat {
    std::string name, set;
  };
  std::vector<std::string> sets;
  std::vector<Map> maps;
  std::vector<Dat> dats;
};

/// The names that OP2's example applications use: airfoil's, aero's and PyOP2's demos'.
const Layout& known_names();

}  // namespace kiln::mesh
