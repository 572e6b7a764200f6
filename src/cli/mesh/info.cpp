// `kiln mesh info`: the definition.
#include "cli/mesh/commands.hpp"
#include "cli/mesh/options.hpp"

namespace kiln::cli {
namespace {

constexpr Option mesh_info_options[] = {options::map_sets, options::dat_set, options::json};

constexpr Example mesh_info_examples[] = {
    {"kiln mesh info new_grid.h5", "Which sets, maps and data are in the file?"},
    {"kiln mesh info mesh.h5 --map cell2node=cells:nodes",
     "A file of another program's, whose map says nothing of its sets."},
};

}  // namespace

constinit const Command mesh_info_command{
    .name = "mesh info",
    .summary = "say what a mesh file holds",
    .description =
        "Prints the sets of a mesh file with their sizes, the maps with the sets that they join, "
        "and the data and constants with their types; of numbers the least and the greatest. Names "
        "in an HDF5 file that Kiln did not write, and that neither OP2's applications nor their "
        "shape explain, are listed with the reason.",
    .options = mesh_info_options,
    .positional = one_mesh,
    .examples = mesh_info_examples,
};

}  // namespace kiln::cli
