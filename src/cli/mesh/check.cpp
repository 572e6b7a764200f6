// `kiln mesh check`: the definition.
#include "cli/mesh/commands.hpp"
#include "cli/mesh/options.hpp"

namespace kiln::cli {
namespace {

constexpr Option mesh_check_options[] = {options::map_sets, options::dat_set, options::json};

constexpr Example mesh_check_examples[] = {
    {"kiln mesh check new_grid.h5", "Is anything odd about this mesh?"},
};

}  // namespace

constinit const Command mesh_check_command{
    .name = "mesh check",
    .summary = "look for what is wrong with a mesh file",
    .description =
        "Reads the file, which is refused where an entry of a map lies outside of its set or where "
        "sizes do not fit (exit code 2), and prints a line for each of these (exit code 1): "
        "elements that name one target twice, elements that no map leads to, numbers that are not "
        "finite, and all that was left out because nothing says what it is. The order of a cell's "
        "nodes does not matter.",
    .options = mesh_check_options,
    .positional = one_mesh,
    .examples = mesh_check_examples,
};

}  // namespace kiln::cli
