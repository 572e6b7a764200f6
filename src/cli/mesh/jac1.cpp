// `kiln mesh jac1`: the definition.
#include "cli/mesh/application_options.hpp"
#include "cli/mesh/commands.hpp"

namespace kiln::cli {
namespace {

constexpr Option mesh_jac1_options[] = {
    options::application_intervals,
    options::application_report,
    options::application_check,
    options::application_tune,
    options::trace,
    options::gantt,
    options::application_device,
    options::store,
    options::json,
};

constexpr Example mesh_jac1_examples[] = {
    {"kiln mesh jac1", "OP2's grid of 25 nodes."},
    {"kiln mesh jac1 -G 1000 --report", "A million nodes, and what each loop took."},
};

}  // namespace

constinit const Command mesh_jac1_command{
    .name = "mesh jac1",
    .summary = "run OP2's jac1: two Jacobi sweeps in double precision",
    .description =
        "Solves Laplace's equation on a square, as a mesh of nodes and edges, by two "
        "sweeps of Jacobi's method, and prints the largest value and the root mean "
        "square after each. Everything is in double precision.\n\n"
        "All values are exact in binary, so every node is held against what it must be; "
        "one that differs is exit code 1.",
    .options = mesh_jac1_options,
    .examples = mesh_jac1_examples,
};

}  // namespace kiln::cli
