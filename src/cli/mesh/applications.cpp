// The definitions of the sub-commands that run an application of OP2's on a mesh: `kiln mesh
// airfoil`, `aero`, `jac1`, `jac2` and `reduction`. Their bodies are in
// src/cli/mesh_program/applications.cpp.
#include <algorithm>
#include <array>

#include "cli/command/options.hpp"
#include "cli/mesh/commands.hpp"

namespace kiln::cli {
namespace {

// Options that all of them have.
constexpr Option run_options[] = {
    {.name = "report",
     .help =
         "Prints of each loop how often it ran, its time, the time of its plans and programs, the "
         "bytes that it moves, and which share of the device's copy bandwidth that is."},
    {.name = "check", .help = "Holds every plan against its definition before it is used."},
    {.name = "tune",
     .kind = Kind::number,
     .value_name = "SECONDS",
     .help =
         "After the first step, searches for the fastest form of each loop for at most so long; "
         "what is found goes on record in the store, for all later runs.",
     .least = 0.1},
    options::trace,
    options::gantt,
    {.name = "device",
     .kind = Kind::text,
     .value_name = "DEVICE",
     .help = "The device: gpu, cpu, an index, or ~ and a part of a name. Default: the first one."},
    options::store,
    options::json,
};

/// An application's own options, then those of all.
template <std::size_t count>
constexpr auto with_run_options(const Option (&own)[count]) {
  std::array<Option, count + std::size(run_options)> all{};
  std::ranges::copy(run_options, std::ranges::copy(own, all.begin()).out);
  return all;
}

// Options that several of them have.

constexpr Option application_grid{
    .name = "grid",
    .kind = Kind::file,
    .value_name = "FILE",
    .help = "The mesh, as `kiln mesh naca0012` makes it. Default: the one with -I 400 -J 600.",
    .letter = 'g'};
constexpr Option application_reference{
    .name = "reference",
    .kind = Kind::number,
    .value_name = "RMS",
    .help = "Holds the last result against this number, in place of OP2's for the large mesh."};

// `kiln mesh airfoil`.

constexpr std::string_view precisions[] = {"d", "s"};

constexpr auto mesh_airfoil_options = with_run_options({
    application_grid,
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
    application_reference,
});

constexpr Example mesh_airfoil_examples[] = {
    {"kiln mesh airfoil -n 100 --report", "100 time steps, and what each loop took."},
    {"kiln mesh airfoil --grid grid.h5 --precision s --json",
     "One line every 100 time steps: {\"iteration\": …, \"rms\": …}."},
    {"kiln mesh airfoil --grid grid.h5 --vtu flow.vtu", "A picture of the flow."},
};

// `kiln mesh aero`.

constexpr auto mesh_aero_options = with_run_options({
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
    application_reference,
});

constexpr Example mesh_aero_examples[] = {
    {"kiln mesh aero --grid FE_grid.h5", "Each step's iterations and change."},
    {"kiln mesh aero -n 2 --report", "2 steps on the large mesh, and what each loop took."},
};

// `kiln mesh jac1` and `kiln mesh jac2`, which have the same options.

constexpr auto mesh_jac_options =
    with_run_options({{.name = "intervals",
                       .kind = Kind::integer,
                       .value_name = "G",
                       .help = "Intervals along each side of the square: (G - 1)² inner nodes.",
                       .fallback = "6",
                       .least = 5,
                       .letter = 'G'}});

constexpr Example mesh_jac1_examples[] = {
    {"kiln mesh jac1", "OP2's grid of 25 nodes."},
    {"kiln mesh jac1 -G 1000 --report", "A million nodes, and what each loop took."},
};

constexpr Example mesh_jac2_examples[] = {
    {"kiln mesh jac2", "OP2's grid of 25 nodes."},
    {"kiln mesh jac2 -G 1000 --report", "A million nodes, and what each loop took."},
};

// `kiln mesh reduction`.

constexpr auto mesh_reduction_options = with_run_options({application_grid});

constexpr Example mesh_reduction_examples[] = {
    {"kiln mesh reduction --grid new_grid.h5", "Is each edge and each cell counted once?"},
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

constinit const Command mesh_jac1_command{
    .name = "mesh jac1",
    .summary = "run OP2's jac1: two Jacobi sweeps in double precision",
    .description =
        "Solves Laplace's equation on a square, as a mesh of nodes and edges, by two "
        "sweeps of Jacobi's method, and prints the largest value and the root mean "
        "square after each. Everything is in double precision.\n\n"
        "All values are exact in binary, so every node is held against what it must be; "
        "one that differs is exit code 1.",
    .options = mesh_jac_options,
    .examples = mesh_jac1_examples,
};

constinit const Command mesh_jac2_command{
    .name = "mesh jac2",
    .summary = "run OP2's jac2: two Jacobi sweeps in mixed precision",
    .description =
        "Solves Laplace's equation on a square, as a mesh of nodes and edges, by two "
        "sweeps of Jacobi's method, and prints the largest value and the root mean "
        "square after each. The matrix is in double precision, the rest in single; data have "
        "components of padding, which no kernel reads.\n\n"
        "All values are exact in binary, so every node is held against what it must be; "
        "one that differs is exit code 1.",
    .options = mesh_jac_options,
    .examples = mesh_jac2_examples,
};

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
