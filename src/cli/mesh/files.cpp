// The definitions of the sub-commands about mesh files: `kiln mesh naca0012`, `info`, `convert` and
// `check`. Their bodies are in src/cli/mesh_program/files.cpp.
#include "cli/command/options.hpp"
#include "cli/mesh/commands.hpp"

namespace kiln::cli {
namespace {

/// The argument of the sub-commands that read one mesh file.
constexpr Positional one_mesh{
    .value_name = "FILE",
    .help = "A mesh file: HDF5 in OP2's layout, new_grid.dat or FE_grid.dat; - is standard input.",
    .least = 1,
    .most = 1,
    .kind = Kind::file};

// What an HDF5 file may not say about its own parts.
constexpr Option map_sets{
    .name = "map",
    .kind = Kind::assignment,
    .value_name = "NAME=FROM:TO",
    .help =
        "The sets that the map NAME of an HDF5 file joins, where the file has no attributes "
        "that say so.",
    .repeat = Repeat::yes};
constexpr Option dat_set{.name = "on",
                         .kind = Kind::assignment,
                         .value_name = "NAME=SET",
                         .help = "The set that the data NAME of an HDF5 file are on, likewise.",
                         .repeat = Repeat::yes};

// Of `kiln mesh info` and `kiln mesh check`.
constexpr Option mesh_look_options[] = {map_sets, dat_set, options::json};

// `kiln mesh naca0012`.

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

// `kiln mesh info`.

constexpr Example mesh_info_examples[] = {
    {"kiln mesh info new_grid.h5", "Which sets, maps and data are in the file?"},
    {"kiln mesh info mesh.h5 --map cell2node=cells:nodes",
     "A file of another program's, whose map says nothing of its sets."},
};

// `kiln mesh convert`.

// In the order of mesh::CellShape.
constexpr std::string_view shapes[] = {"vertex", "line",    "triangle", "quad",
                                       "tetra",  "pyramid", "wedge",    "hexahedron"};

constexpr Option mesh_convert_options[] = {
    {.name = "dat",
     .kind = Kind::text,
     .value_name = "NAME",
     .help = "For .vtu: data to show, on the points or on the cells.",
     .repeat = Repeat::yes},
    {.name = "coordinates",
     .kind = Kind::text,
     .value_name = "NAME",
     .help = "For .vtu: the data that the points' coordinates are. Default: p_x, else the only "
             "data that could be."},
    {.name = "cells",
     .kind = Kind::text,
     .value_name = "MAP",
     .help = "For .vtu: the map whose elements are drawn. Default: pcell, else the map of most "
             "nodes."},
    {.name = "shape",
     .kind = Kind::choice,
     .value_name = "SHAPE",
     .help = "For .vtu: what the cells are. Default: by the number of their nodes vertices, lines, "
             "triangles and quadrilaterals, with coordinates in space pyramids (5), wedges (6) and "
             "hexahedra (8), too; 4 nodes in space must be named.",
     .choices = shapes},
    map_sets,
    dat_set,
};

constexpr Example mesh_convert_examples[] = {
    {"kiln mesh convert new_grid.dat new_grid.h5", "Text to HDF5."},
    {"kiln mesh convert flow.h5 flow.vtu --dat p_q", "A picture of the flow for ParaView."},
    {"kiln mesh convert mesh.h5 mesh.vtu --map tets=cells:nodes --shape tetra",
     "Tetrahedra of another program's file."},
    {"kiln mesh convert new_grid.h5 wall.vtu --cells pbedge --dat p_bound",
     "The boundary alone, coloured by its kind."},
};

// `kiln mesh check`.

constexpr Example mesh_check_examples[] = {
    {"kiln mesh check new_grid.h5", "Is anything odd about this mesh?"},
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

constinit const Command mesh_info_command{
    .name = "mesh info",
    .summary = "say what a mesh file holds",
    .description =
        "Prints the sets of a mesh file with their sizes, the maps with the sets that they join, "
        "and the data and constants with their types; of numbers the least and the greatest. Names "
        "in an HDF5 file that Kiln did not write, and that neither OP2's applications nor their "
        "shape explain, are listed with the reason.",
    .options = mesh_look_options,
    .positional = one_mesh,
    .examples = mesh_info_examples,
};

constinit const Command mesh_convert_command{
    .name = "mesh convert",
    .summary = "write a mesh file in another format",
    .description =
        "Reads a mesh file (HDF5 or text, told by its content) and writes it as the second name's "
        "extension says: .h5 and .hdf5 are HDF5, .dat is text, .vtu is VTK's format, which is only "
        "written. What the new format has no place for is named in a note.",
    .options = mesh_convert_options,
    .positional = {.value_name = "FILE",
                   .help = "The file to read (- is standard input), then the file to write.",
                   .least = 2,
                   .most = 2,
                   .kind = Kind::file,
                   .access_rest = Access::write},
    .examples = mesh_convert_examples,
};

constinit const Command mesh_check_command{
    .name = "mesh check",
    .summary = "look for what is wrong with a mesh file",
    .description =
        "Reads the file, which is refused where an entry of a map lies outside of its set or where "
        "sizes do not fit (exit code 2), and prints a line for each of these (exit code 1): "
        "elements that name one target twice, elements that no map leads to, numbers that are not "
        "finite, and all that was left out because nothing says what it is. The order of a cell's "
        "nodes does not matter.",
    .options = mesh_look_options,
    .positional = one_mesh,
    .examples = mesh_check_examples,
};

}  // namespace kiln::cli
