// The bodies of `kiln mesh airfoil`, `aero`, `jac1`, `jac2` and `reduction`: OP2's applications,
// whose computations are in examples/mesh.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "aero/aero.hpp"
#include "airfoil/airfoil.hpp"
#include "cli/command/context.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/mesh_program/application_io.hpp"
#include "cli/mesh_program/program.hpp"
#include "cli/mesh_program/ranks.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "jac/jac1.hpp"
#include "jac/jac2.hpp"
#include "reduction/reduction.hpp"

namespace kiln::cli {
namespace {

Balance balance_of(const Context& context) {
  return context.flag("balance") ? Balance::by_speed : Balance::equal;
}

// airfoil: inviscid flow.

airfoil::Grid airfoil_grid(const ApplicationFile& file) {
  airfoil::Grid grid;
  grid.nodes = file.set("nodes");
  grid.cells = file.set("cells");
  grid.all_cells = of_all_ranks(grid.cells);
  file.set("edges");
  file.set("bedges");
  grid.cell_nodes = file.map("pcell", "cells", "nodes", 4);
  grid.edge_nodes = file.map("pedge", "edges", "nodes", 2);
  grid.edge_cells = file.map("pecell", "edges", "cells", 2);
  grid.bedge_nodes = file.map("pbedge", "bedges", "nodes", 2);
  grid.bedge_cells = file.map("pbecell", "bedges", "cells", 1);
  grid.bound = file.dat<std::int32_t>("p_bound", "bedges", 1);
  grid.x = file.dat<double>("p_x", "nodes", 2);
  return grid;
}

/// How far the result is from --reference, else from OP2's reference where that applies.
template <class Verdict>
std::optional<Deviation> deviation_of(const Context& context, double rms, double allowed,
                                      const Verdict& verdict) {
  if (context.has("reference")) return deviation_from(context.number("reference"), rms, allowed);
  if (!verdict.applies) return std::nullopt;
  return Deviation{verdict.passed, verdict.deviation_percent, allowed};
}

template <class Real>
int run_airfoil(const Context& context, mesh::Mesh& mesh, const airfoil::Grid& grid) {
  airfoil::Airfoil<Real> flow(mesh, grid);
  const Picture picture(context, mesh, {grid.x, grid.cell_nodes, grid.nodes, grid.cells},
                        flow.cell_nodes());
  partition_over_ranks(mesh, flow.cells(), flow.edge_cells(), balance_of(context));
  Rebalance rebalance(mesh, flow.cells(), flow.edge_cells(), balance_of(context));
  const std::int64_t iterations = context.integer("iterations");
  double rms = 0;
  {
    Progress progress("airfoil", static_cast<std::size_t>(iterations));
    for (std::int64_t iteration = 1; iteration <= iterations; ++iteration) {
      flow.step();
      if (iteration == 1) tune_loops(context, mesh);
      rebalance.after_step();
      stop_if_interrupted();
      progress.advance();
      const bool is_last = iteration == iterations;
      if (iteration % 100 != 0 && !is_last) continue;
      rms = flow.rms();
      progress.hide();
      if (!std::isfinite(rms))
        throw bad_input(
            "mesh airfoil: the rms of iteration {} is {}, expected a finite number: does the mesh "
            "have cells, and do all have an area?",
            iteration, rms);
      print_either(context.flag("json"), {{"iteration", iteration}, {"rms", rms}},
                   fmt::format("{:6}  {:.5e}\n", iteration, rms));
    }
  }
  picture.write_flow<Real>(flow.q());
  print_run(context, mesh);
  constexpr bool is_double = sizeof(Real) == 8;
  return print_deviation(
      context, deviation_of(context, rms, is_double ? 1e-5 : 0.1,
                            airfoil::verdict(grid.all_cells, static_cast<std::size_t>(iterations),
                                             rms, is_double)));
}

// aero: potential flow, by finite elements.

aero::Grid aero_grid(const ApplicationFile& file) {
  aero::Grid grid;
  grid.nodes = file.set("nodes");
  grid.cells = file.set("cells");
  grid.all_nodes = of_all_ranks(grid.nodes);
  grid.cell_nodes = file.map("pcell", "cells", "nodes", 4);
  grid.bound_nodes = file.map("pbedge", "bedges", "nodes", 1);
  grid.x = file.dat<double>("p_x", "nodes", 2);
  return grid;
}

// jac1 and jac2: Jacobi sweeps, whose results are known exactly.

/// The largest side whose values fit a terminal's line.
constexpr int largest_shown = 9;

void print_sweeps(const Context& context, const jac::Solution& solution) {
  int number = 0;
  for (const jac::Sweep& sweep : solution.sweeps) {
    ++number;
    print_either(
        context.flag("json"), {{"sweep", number}, {"u_max", sweep.u_max}, {"u_rms", sweep.u_rms}},
        fmt::format("sweep {}: u max {:.6f}, rms {:.6f}\n", number, sweep.u_max, sweep.u_rms));
  }
}

/// The grid as it is oriented: the top row first.
void print_values(const jac::Problem& problem, const std::vector<double>& u) {
  for (int j = problem.side - 1; j > 0; --j) {
    std::string line;
    for (int i = 1; i < problem.side; ++i)
      line += fmt::format("{}{:.4f}", i > 1 ? "  " : "", u[problem.number(i, j)]);
    print(line + "\n");
  }
}

using Solve = jac::Solution(mesh::Mesh&, const jac::Problem&, const jac::Interlude&);

int run_jac(const Context& context, Solve& solve) {
  // The numbers of nodes and edges must fit 32 bits.
  constexpr std::int64_t most = 20'000;
  const std::int64_t side = context.integer("intervals");
  if (side > most)
    throw bad_input("{}: --intervals: found {}, expected at most {}", context.command().name, side,
                    most);
  const jac::Problem problem(static_cast<int>(side));
  mesh::Mesh mesh(mesh_options_of(context));
  const jac::Solution solution = solve(mesh, problem, [&] { tune_loops(context, mesh); });
  print_sweeps(context, solution);
  if (!context.flag("json") && problem.side <= largest_shown) print_values(problem, solution.u);
  print_run(context, mesh);
  return print_wrong(context, jac::wrong_nodes(problem, solution.u), problem.nodes, "nodes");
}

// reduction: loops that count their elements.

/// Whether a loop's count is right.
bool print_count(const Context& context, const char* set, std::size_t size, std::int32_t counted) {
  print_either(context.flag("json"), {{"set", set}, {"size", size}, {"counted", counted}},
               fmt::format("{}: {} of {} counted\n", set, counted, size));
  return static_cast<std::size_t>(counted) == size;
}

}  // namespace

int mesh_airfoil(Context& context) {
  check_reference(context);
  const mesh::Mesh::Options options = mesh_options_of(context);
  const mesh::MeshFile file = application_mesh(context, mesh::Naca0012::Variant::airfoil);
  const airfoil::Grid grid =
      airfoil_grid({context, file, "the mesh of airfoil (kiln mesh naca0012)"});
  mesh::Mesh mesh = application_mesh_of(options);
  return context.text("precision") == "s" ? run_airfoil<float>(context, mesh, grid)
                                          : run_airfoil<double>(context, mesh, grid);
}

int mesh_aero(Context& context) {
  check_reference(context);
  const mesh::Mesh::Options options = mesh_options_of(context);
  const mesh::MeshFile file = application_mesh(context, mesh::Naca0012::Variant::aero);
  const aero::Grid grid =
      aero_grid({context, file, "the mesh of aero (kiln mesh naca0012 --aero)"});
  mesh::Mesh mesh = application_mesh_of(options);
  aero::Aero flow(mesh, grid);
  const Picture picture(context, mesh, {grid.x, grid.cell_nodes, grid.nodes, grid.cells},
                        flow.cell_nodes());
  partition_over_ranks(mesh, flow.cells(), flow.cell_nodes(), balance_of(context));
  const std::int64_t steps = context.integer("steps");
  aero::Step last;
  {
    Progress progress("aero", static_cast<std::size_t>(steps));
    for (std::int64_t number = 1; number <= steps; ++number) {
      last = flow.step();
      if (number == 1) tune_loops(context, mesh);
      stop_if_interrupted();
      progress.advance();
      progress.hide();
      print_either(context.flag("json"),
                   {{"step", number}, {"cg_steps", last.cg_steps}, {"rms", last.rms}},
                   fmt::format("{:4}  {:4}  {:.15e}\n", number, last.cg_steps, last.rms));
    }
  }
  picture.write_potential(flow.potential());
  print_run(context, mesh);
  return print_deviation(
      context, deviation_of(context, last.rms, 0.02,
                            aero::verdict(of_all_ranks(grid.cells), static_cast<std::size_t>(steps),
                                          last.rms)));
}

int mesh_jac1(Context& context) { return run_jac(context, jac::jac1); }
int mesh_jac2(Context& context) { return run_jac(context, jac::jac2); }

int mesh_reduction(Context& context) {
  const mesh::Mesh::Options options = mesh_options_of(context);
  const mesh::MeshFile file = application_mesh(context, mesh::Naca0012::Variant::airfoil);
  const ApplicationFile parts(context, file, "the mesh of airfoil (kiln mesh naca0012)");
  const std::size_t cells = parts.set("cells");
  const std::size_t all_edges = of_all_ranks(parts.set("edges")), all_cells = of_all_ranks(cells);
  mesh::Mesh mesh = application_mesh_of(options);
  const auto counts = reduction::count(
      mesh, cells, parts.map("pecell", "edges", "cells", 2), [&] { tune_loops(context, mesh); },
      [&](const mesh::Set& set, const mesh::Map& map) {
        partition_over_ranks(mesh, set, map, balance_of(context));
      });
  const bool edges_right = print_count(context, "edges", all_edges, counts.edges);
  const bool cells_right = print_count(context, "cells", all_cells, counts.cells);
  print_run(context, mesh);
  return print_wrong(context, (edges_right ? 0U : 1U) + (cells_right ? 0U : 1U), 2, "counts");
}

}  // namespace kiln::cli
