// `kiln mesh airfoil`: the definition.
#include "cli/mesh/application_options.hpp"
#include "cli/mesh/commands.hpp"

namespace kiln::cli {
namespace {

constexpr std::string_view precisions[] = {"d", "s"};

constexpr Option mesh_airfoil_options[] = {
    {.name = "grid",
     .kind = Kind::file,
     .value_name = "FILE",
     .help = "The mesh, as `kiln mesh naca0012` makes it. Default: the one with -I 400 -J 600.",
     .letter = 'g'},
    {.name = "iterations",
     .kind = Kind::integer,
     .value_name = "N",
     .help = "Time steps.",
     .fallback = "1000",
     .least = 1,
     .letter = 'n'},
    {.name = "precision",
     .kind = Kind::choice,
     .value_name = "P",
     .help = "d (the default) computes in double precision, s in single.",
     .choices = precisions},
    {.name = "vtu",
     .kind = Kind::file,
     .access = Access::write,
     .value_name = "FILE",
     .help =
         "Writes the flow for ParaView in the end: density, momentum, energy, pressure and Mach "
         "number of each cell."},
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

constexpr Example mesh_airfoil_examples[] = {
    {"kiln mesh airfoil -n 100 --report", "100 time steps, and what each loop took."},
    {"kiln mesh airfoil --grid grid.h5 --precision s --json",
     "One line every 100 time steps: {\"iteration\": …, \"rms\": …}."},
    {"kiln mesh airfoil --grid grid.h5 --vtu flow.vtu", "A picture of the flow."},
};

}  // namespace

constinit const Command mesh_airfoil_command{
    .name = "mesh airfoil",
    .summary = "run OP2's airfoil: inviscid flow round a profile",
    .description =
        "Solves the Euler equations on an unstructured mesh in 5 parallel loops and prints the "
        "root of the mean square change every 100 time steps and after the last.\n\n"
        "After 1000 steps on the mesh of 720,000 cells the result is held against OP2's reference "
        "(within 1e-5 % in double, 0.1 % in single precision); with --reference the last result is "
        "held against that on any mesh. A failure is exit code 1.",
    .options = mesh_airfoil_options,
    .examples = mesh_airfoil_examples,
};

}  // namespace kiln::cli
