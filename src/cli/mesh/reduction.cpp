// `kiln mesh reduction`: the definition.
#include "cli/mesh/application_options.hpp"
#include "cli/mesh/commands.hpp"

namespace kiln::cli {
namespace {

constexpr Option mesh_reduction_options[] = {
    {.name = "grid",
     .kind = Kind::file,
     .value_name = "FILE",
     .help = "The mesh, as `kiln mesh naca0012` makes it. Default: the one with -I 400 -J 600.",
     .letter = 'g'},
    options::application_report,
    options::application_check,
    options::application_tune,
    options::trace,
    options::gantt,
    options::application_device,
    options::store,
    options::json,
};

constexpr Example mesh_reduction_examples[] = {
    {"kiln mesh reduction --grid new_grid.h5", "Is each edge and each cell counted once?"},
};

}  // namespace

constinit const Command mesh_reduction_command{
    .name = "mesh reduction",
    .summary = "run OP2's reduction test: loops that count their elements",
    .description =
        "Counts the edges of a mesh in a loop with data through a map, and its cells in "
        "one without. A count that is not the set's size is exit code 1.",
    .options = mesh_reduction_options,
    .examples = mesh_reduction_examples,
};

}  // namespace kiln::cli
