// `kiln mesh naca0012`: the definition.
#include "cli/file_options.hpp"
#include "cli/mesh/commands.hpp"
#include "cli/mesh/options.hpp"

namespace kiln::cli {
namespace {

constexpr Option mesh_naca0012_options[] = {
    {.name = "cells-along",
     .kind = Kind::integer,
     .value_name = "I",
     .help = "Cells along the profile's surface, and along each of the wake's two branches.",
     .fallback = "400",
     .least = 2,
     .letter = 'I'},
    {.name = "cells-out",
     .kind = Kind::integer,
     .value_name = "J",
     .help = "Cells from the profile outwards.",
     .fallback = "600",
     .least = 1,
     .letter = 'J'},
    {.name = "aero",
     .help =
         "Makes the finite-element mesh of OP2's aero in place of airfoil's: no edges, boundary "
         "nodes, one row of nodes in the wake."},
    {.name = "text", .help = "Writes text, whatever the file's name ends in."},
    options::output,
    options::json,
};

constexpr Example mesh_naca0012_examples[] = {
    {"kiln mesh naca0012 -o new_grid.h5", "The reference mesh of OP2's airfoil: 720,000 cells."},
    {"kiln mesh naca0012 -I 100 -J 150 --aero -o FE_grid.dat",
     "A mesh of 45,000 cells for aero, as text."},
};

}  // namespace

constinit const Command mesh_naca0012_command{
    .name = "mesh naca0012",
    .summary = "make the mesh round a NACA 0012 profile",
    .description =
        "Writes the C-grid that OP2's applications airfoil and aero run on, of 3IJ quadrilaterals, "
        "as HDF5 (.h5, .hdf5) or text (.dat). Coordinates have 6 decimals in both.",
    .options = mesh_naca0012_options,
    .examples = mesh_naca0012_examples,
};

}  // namespace kiln::cli
