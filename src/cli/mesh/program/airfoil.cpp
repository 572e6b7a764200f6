#include "airfoil/airfoil.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/context.hpp"
#include "cli/interrupt.hpp"
#include "cli/json_line.hpp"
#include "cli/mesh/program/application.hpp"
#include "cli/mesh/program/loop_report.hpp"
#include "cli/mesh/program/picture.hpp"
#include "cli/mesh/program/verbs.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"

namespace kiln::cli {
namespace {

airfoil::Grid grid_of(const ApplicationFile& file) {
  airfoil::Grid grid;
  grid.nodes = file.set("nodes");
  grid.cells = file.set("cells");
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

void print_step(const Context& context, std::int64_t iteration, double rms) {
  if (context.flag("json"))
    print_json({{"iteration", iteration}, {"rms", rms}});
  else
    print(fmt::format("{:6}  {:.5e}\n", iteration, rms));
}

/// OP2's criterion where it applies, or the user's.
std::optional<Deviation> deviation_of(const Context& context, std::size_t cells, double rms,
                                      bool is_double) {
  const double allowed = is_double ? 1e-5 : 0.1;
  if (context.has("reference")) return deviation_from(context.number("reference"), rms, allowed);
  const auto verdict = airfoil::verdict(
      cells, static_cast<std::size_t>(context.integer("iterations")), rms, is_double);
  if (!verdict.applies) return std::nullopt;
  return Deviation{verdict.passed, verdict.deviation_percent, allowed};
}

template <class Real>
int run(const Context& context, mesh::Mesh& mesh, const airfoil::Grid& grid) {
  airfoil::Airfoil<Real> flow(mesh, grid);
  const std::int64_t iterations = context.integer("iterations");
  double rms = 0;
  {
    Progress progress("airfoil", static_cast<std::size_t>(iterations));
    for (std::int64_t iteration = 1; iteration <= iterations; ++iteration) {
      flow.step();
      if (iteration == 1) tune_loops(context, mesh);
      stop_if_interrupted();
      progress.advance();
      const bool is_last = iteration == iterations;
      if (iteration % 100 != 0 && !is_last) continue;
      rms = flow.rms();
      progress.hide();
      if (!std::isfinite(rms))
        throw Error(Errc::bad_input,
                    fmt::format("mesh airfoil: the rms of iteration {} is {}, expected a finite "
                                "number: does the mesh have cells, and do all have an area?",
                                iteration, rms));
      print_step(context, iteration, rms);
    }
  }
  if (context.has("vtu"))
    write_flow(context.text("vtu"), {grid.x, grid.cell_nodes, grid.nodes, grid.cells},
               flow.q().template read<Real>());
  if (context.flag("report")) print_loops(mesh, context.flag("json"));
  write_timeline(context, mesh);
  return print_deviation(context, deviation_of(context, grid.cells, rms, sizeof(Real) == 8));
}

}  // namespace

int mesh_airfoil(Context& context) {
  check_reference(context);
  const mesh::Mesh::Options options = mesh_options_of(context);
  const mesh::MeshFile file = application_mesh(context, mesh::Naca0012::Variant::airfoil);
  const airfoil::Grid grid = grid_of({context, file, "the mesh of airfoil (kiln mesh naca0012)"});
  mesh::Mesh mesh(options);
  return context.text("precision") == "s" ? run<float>(context, mesh, grid)
                                          : run<double>(context, mesh, grid);
}

}  // namespace kiln::cli
