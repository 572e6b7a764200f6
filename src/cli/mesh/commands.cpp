// The definitions of `kiln mesh …`: the sub-commands about mesh files, and those that run an
// application of OP2's on a mesh. Their bodies are in src/cli/mesh_program.
#include "cli/command/commands.hpp"

#include "cli/command/options.hpp"

namespace kiln::cli {
namespace {

/// The argument of the sub-commands that read one mesh file.
constexpr Positional one_mesh = Positional::file(
    "FILE", "A mesh file: HDF5 in OP2's layout, new_grid.dat or FE_grid.dat; - is standard input.");

// What an HDF5 file may not say about its own parts.
constexpr Option map_sets = Option::assignment("map", "NAME=FROM:TO",
                                               "The sets that the map NAME of an HDF5 file joins, "
                                               "where the file has no attributes that say so.")
                                .repeatable();
constexpr Option dat_set =
    Option::assignment("on", "NAME=SET",
                       "The set that the data NAME of an HDF5 file are on, likewise.")
        .repeatable();

// Of `kiln mesh info` and `kiln mesh check`.
const Options mesh_look_options = {map_sets, dat_set, options::json};

// In the order of mesh::CellShape.
constexpr std::string_view shapes[] = {"vertex", "line",    "triangle", "quad",
                                       "tetra",  "pyramid", "wedge",    "hexahedron"};

}  // namespace

const Command mesh_naca0012_command{
    .name = "mesh naca0012",
    .summary = "make the mesh round a NACA 0012 profile",
    .description =
        "Writes the C-grid that OP2's applications airfoil and aero run on, of 3IJ quadrilaterals, "
        "as HDF5 (.h5, .hdf5) or text (.dat). Coordinates have 6 decimals in both.",
    .options =
        {{Option::integer(
              "cells-along", "I",
              "Cells along the profile's surface, and along each of the wake's two branches.",
              "400")
              .at_least(2)
              .with_letter('I'),
          Option::integer("cells-out", "J", "Cells from the profile outwards.", "600")
              .at_least(1)
              .with_letter('J'),
          Option::flag("aero",
                       "Makes the finite-element mesh of OP2's aero in place of airfoil's: "
                       "no edges, boundary nodes, one row of nodes in the wake."),
          Option::flag("text", "Writes text, whatever the file's name ends in."), options::output,
          options::json}},
    .examples = {{"kiln mesh naca0012 -o new_grid.h5",
                  "The reference mesh of OP2's airfoil: 720,000 cells."},
                 {"kiln mesh naca0012 -I 100 -J 150 --aero -o FE_grid.dat",
                  "A mesh of 45,000 cells for aero, as text."}},
    .body = run_mesh_program,
};

const Command mesh_info_command{
    .name = "mesh info",
    .summary = "say what a mesh file holds",
    .description =
        "Prints the sets of a mesh file with their sizes, the maps with the sets that they join, "
        "and the data and constants with their types; of numbers the least and the greatest. Names "
        "in an HDF5 file that Kiln did not write, and that neither OP2's applications nor their "
        "shape explain, are listed with the reason.",
    .options = {mesh_look_options},
    .positional = one_mesh,
    .examples = {{"kiln mesh info new_grid.h5", "Which sets, maps and data are in the file?"},
                 {"kiln mesh info mesh.h5 --map cell2node=cells:nodes",
                  "A file of another program's, whose map says nothing of its sets."}},
    .body = run_mesh_program,
};

const Command mesh_convert_command{
    .name = "mesh convert",
    .summary = "write a mesh file in another format",
    .description =
        "Reads a mesh file (HDF5 or text, told by its content) and writes it as the second name's "
        "extension says: .h5 and .hdf5 are HDF5, .dat is text, .vtu is VTK's format, which is only "
        "written. What the new format has no place for is named in a note.",
    .options =
        {{Option::text("dat", "NAME", "For .vtu: data to show, on the points or on the cells.")
              .repeatable(),
          Option::text("coordinates", "NAME",
                       "For .vtu: the data that the points' coordinates are. Default: p_x, "
                       "else the only data that could be."),
          Option::text("cells", "MAP",
                       "For .vtu: the map whose elements are drawn. Default: pcell, else the "
                       "map of most nodes."),
          Option::choice(
              "shape", "SHAPE", shapes,
              "For .vtu: what the cells are. Default: by the number of their nodes vertices, "
              "lines, triangles and quadrilaterals, with coordinates in space pyramids (5), "
              "wedges (6) and hexahedra (8), too; 4 nodes in space must be named."),
          map_sets, dat_set}},
    .positional = {.value_name = "FILE",
                   .help = "The file to read (- is standard input), then the file to write.",
                   .least = 2,
                   .most = 2,
                   .kind = Kind::file,
                   .access_rest = Access::write},
    .examples = {{"kiln mesh convert new_grid.dat new_grid.h5", "Text to HDF5."},
                 {"kiln mesh convert flow.h5 flow.vtu --dat p_q",
                  "A picture of the flow for ParaView."},
                 {"kiln mesh convert mesh.h5 mesh.vtu --map tets=cells:nodes --shape tetra",
                  "Tetrahedra of another program's file."},
                 {"kiln mesh convert new_grid.h5 wall.vtu --cells pbedge --dat p_bound",
                  "The boundary alone, coloured by its kind."}},
    .body = run_mesh_program,
};

const Command mesh_check_command{
    .name = "mesh check",
    .summary = "look for what is wrong with a mesh file",
    .description =
        "Reads the file, which is refused where an entry of a map lies outside of its set or where "
        "sizes do not fit (exit code 2), and prints a line for each of these (exit code 1): "
        "elements that name one target twice, elements that no map leads to, numbers that are not "
        "finite, and all that was left out because nothing says what it is. The order of a cell's "
        "nodes does not matter.",
    .options = {mesh_look_options},
    .positional = one_mesh,
    .examples = {{"kiln mesh check new_grid.h5", "Is anything odd about this mesh?"}},
    .body = run_mesh_program,
};

namespace {

// Options that several of them have.

constexpr Option application_report = Option::flag(
    "report",
    "Prints of each loop how often it ran, its time, the time of its plans and programs, the bytes "
    "that it moves, and which share of the device's copy bandwidth that is. Under mpirun of all "
    "ranks, with what they sent and how the mesh is cut.");
constexpr Option application_check =
    Option::flag("check", "Holds every plan against its definition before it is used.");
constexpr Option application_tune =
    Option::number("tune", "SECONDS",
                   "After the first step, searches for the fastest form of each loop for at most "
                   "so long; what is found goes on record in the store, for all later runs.")
        .at_least(0.1);
constexpr Option application_balance = Option::flag(
    "balance",
    "Under mpirun: parts are as large as the ranks' devices are fast, which a small loop tells; "
    "those of airfoil then follow its own loops, every ten steps until they fit.");
constexpr Option application_device = Option::text(
    "device", "DEVICE",
    "The device: gpu, cpu, an index, or ~ and a part of a name. Default: the first one.");
constexpr Option application_reference = Option::number(
    "reference", "RMS",
    "Holds the last result against this number, in place of OP2's for the large mesh.");
constexpr Option application_intervals =
    Option::integer("intervals", "G",
                    "Intervals along each side of the square: (G - 1)² inner nodes.", "6")
        .at_least(5)
        .with_letter('G');

// `kiln mesh airfoil`.

constexpr std::string_view precisions[] = {"d", "s"};

// `kiln mesh jac1` and `kiln mesh jac2`, which have the same options.

const Options mesh_jac_options = {application_intervals, application_report, application_check,
                                  application_tune,      options::trace,     options::gantt,
                                  application_device,    options::store,     options::json};

}  // namespace

const Command mesh_airfoil_command{
    .name = "mesh airfoil",
    .summary = "run OP2's airfoil: inviscid flow round a profile",
    .description =
        "Solves the Euler equations on an unstructured mesh in 5 parallel loops and prints the "
        "root of the mean square change every 100 time steps and after the last.\n\n"
        "After 1000 steps on the mesh of 720,000 cells the result is held against OP2's reference "
        "(within 1e-5 % in double, 0.1 % in single precision); with --reference the last result is "
        "held against that on any mesh. A failure is exit code 1.",
    .options =
        {{Option::file(
              "grid", "FILE",
              "The mesh, as `kiln mesh naca0012` makes it. Default: the one with -I 400 -J 600.")
              .with_letter('g'),
          Option::integer("iterations", "N", "Time steps.", "1000").at_least(1).with_letter('n'),
          Option::choice("precision", "P", precisions,
                         "d (the default) computes in double precision, s in single."),
          Option::file("vtu", "FILE",
                       "Writes the flow for ParaView in the end: density, momentum, energy, "
                       "pressure and Mach number of each cell. Under mpirun FILE.vtu becomes a "
                       "piece of each rank, FILE_0.vtu and so on, and FILE.pvtu.",
                       Access::write),
          application_reference, application_report, application_check, application_tune,
          application_balance, options::trace, options::gantt, application_device, options::store,
          options::json}},
    .examples = {{"kiln mesh airfoil -n 100 --report", "100 time steps, and what each loop took."},
                 {"kiln mesh airfoil --grid grid.h5 --precision s --json",
                  "One line every 100 time steps: {\"iteration\": …, \"rms\": …}."},
                 {"kiln mesh airfoil --grid grid.h5 --vtu flow.vtu", "A picture of the flow."}},
    .body = run_mesh_program,
};

const Command mesh_aero_command{
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
    .options = {{Option::file("grid", "FILE",
                              "The mesh, as `kiln mesh naca0012 --aero` makes it. Default: the one "
                              "with -I 400 -J 600.")
                     .with_letter('g'),
                 Option::integer("steps", "N", "Steps of Newton's method.", "20")
                     .at_least(1)
                     .with_letter('n'),
                 Option::file("vtu", "FILE",
                              "Writes the potential at the nodes for ParaView in the end; in "
                              "pieces under mpirun, as airfoil.",
                              Access::write),
                 application_reference, application_report, application_check, application_tune,
                 application_balance, options::trace, options::gantt, application_device,
                 options::store, options::json}},
    .examples = {{"kiln mesh aero --grid FE_grid.h5", "Each step's iterations and change."},
                 {"kiln mesh aero -n 2 --report",
                  "2 steps on the large mesh, and what each loop took."}},
    .body = run_mesh_program,
};

const Command mesh_jac1_command{
    .name = "mesh jac1",
    .summary = "run OP2's jac1: two Jacobi sweeps in double precision",
    .description =
        "Solves Laplace's equation on a square, as a mesh of nodes and edges, by two sweeps of "
        "Jacobi's method, and prints the largest value and the root mean square after each. "
        "Everything is in double precision.\n\n"
        "All values are exact in binary, so every node is held against what it must be; one that "
        "differs is exit code 1.",
    .options = {mesh_jac_options},
    .examples = {{"kiln mesh jac1", "OP2's grid of 25 nodes."},
                 {"kiln mesh jac1 -G 1000 --report", "A million nodes, and what each loop took."}},
    .body = run_mesh_program,
};

const Command mesh_jac2_command{
    .name = "mesh jac2",
    .summary = "run OP2's jac2: two Jacobi sweeps in mixed precision",
    .description =
        "Solves Laplace's equation on a square, as a mesh of nodes and edges, by two sweeps of "
        "Jacobi's method, and prints the largest value and the root mean square after each. The "
        "matrix is in double precision, the rest in single; data have components of padding, which "
        "no loop reads.\n\n"
        "All values are exact in binary, so every node is held against what it must be; one that "
        "differs is exit code 1.",
    .options = {mesh_jac_options},
    .examples = {{"kiln mesh jac2", "OP2's grid of 25 nodes."},
                 {"kiln mesh jac2 -G 1000 --report", "A million nodes, and what each loop took."}},
    .body = run_mesh_program,
};

const Command mesh_reduction_command{
    .name = "mesh reduction",
    .summary = "run OP2's reduction test: loops that count their elements",
    .description =
        "Counts the edges of a mesh in a loop with data through a map, and its cells in one "
        "without. A count that is not the set's size is exit code 1.",
    .options =
        {{Option::file(
              "grid", "FILE",
              "The mesh, as `kiln mesh naca0012` makes it. Default: the one with -I 400 -J 600.")
              .with_letter('g'),
          application_report, application_check, application_tune, application_balance,
          options::trace, options::gantt, application_device, options::store, options::json}},
    .examples = {{"kiln mesh reduction --grid new_grid.h5",
                  "Is each edge and each cell counted once?"}},
    .body = run_mesh_program,
};

}  // namespace kiln::cli
