// `kiln mesh aero`: the definition.
#include "cli/mesh/application_options.hpp"
#include "cli/mesh/commands.hpp"

namespace kiln::cli {
namespace {

constexpr Option mesh_aero_options[] = {
    {.name = "grid",
     .kind = Kind::file,
     .value_name = "FILE",
     .help = "The mesh, as `kiln mesh naca0012 --aero` makes it. Default: the one with -I 400 "
             "-J 600.",
     .letter = 'g'},
    {.name = "steps",
     .kind = Kind::integer,
     .value_name = "N",
     .help = "Steps of Newton's method.",
     .fallback = "20",
     .least = 1,
     .letter = 'n'},
    {.name = "vtu",
     .kind = Kind::file,
     .access = Access::write,
     .value_name = "FILE",
     .help = "Writes the potential at the nodes for ParaView in the end."},
    options::application_reference,
    options::application_report,
    options::application_check,
    options::application_tune,
    options::trace,
    options::gantt,
    options::application_device,
    options::store,
    options::json,
};

constexpr Example mesh_aero_examples[] = {
    {"kiln mesh aero --grid FE_grid.h5", "Each step's iterations and change."},
    {"kiln mesh aero -n 2 --report", "2 steps on the large mesh, and what each loop took."},
};

}  // namespace

constinit const Command mesh_aero_command{
    .name = "mesh aero",
    .summary = "run OP2's aero: potential flow round a profile, by finite elements",
    .description =
        "Solves the full-potential equation by Newton's method in double precision. Each linear "
        "system goes to conjugate gradients that are parallel loops, too, until its residual is a "
        "tenth, or for 200 iterations. Prints each step, its iterations and the root of the mean "
        "square change.\n\n"
        "After 20 steps on the mesh of 720,000 cells the result is held against OP2's reference "
        "(within 0.02 %); with --reference the last result is held against that on any mesh. A "
        "failure is exit code 1. On small meshes the change is down to rounding after a dozen "
        "steps: hold an earlier one against its reference.",
    .options = mesh_aero_options,
    .examples = mesh_aero_examples,
};

}  // namespace kiln::cli
