// kiln-mesh: the bodies of `kiln mesh …`. Started by kiln with the words that it got.
#include "cli/command/command.hpp"
#include "cli/mesh_program/ranks.hpp"
#include "mesh/io/hdf5_library.hpp"

namespace kiln::cli {

Ranks* ranks() { return nullptr; }

}  // namespace kiln::cli

int main(int count, char** words) {
  kiln::mesh::hdf5::skip_cleanup_at_exit();
  return kiln::cli::run(count, words);
}
