#include "aero/aero.hpp"

#include <fmt/format.h>

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

aero::Grid grid_of(const ApplicationFile& file) {
  aero::Grid grid;
  grid.nodes = file.set("nodes");
  grid.cells = file.set("cells");
  grid.cell_nodes = file.map("pcell", "cells", "nodes", 4);
  grid.bound_nodes = file.map("pbedge", "bedges", "nodes", 1);
  grid.x = file.dat<double>("p_x", "nodes", 2);
  return grid;
}

void print_step(const Context& context, std::int64_t number, const aero::Step& step) {
  if (context.flag("json"))
    print_json({{"step", number}, {"cg_steps", step.cg_steps}, {"rms", step.rms}});
  else
    print(fmt::format("{:4}  {:4}  {:.15e}\n", number, step.cg_steps, step.rms));
}

std::optional<Deviation> deviation_of(const Context& context, std::size_t cells, double rms) {
  constexpr double allowed = 0.02;
  if (context.has("reference")) return deviation_from(context.number("reference"), rms, allowed);
  const auto verdict =
      aero::verdict(cells, static_cast<std::size_t>(context.integer("steps")), rms);
  if (!verdict.applies) return std::nullopt;
  return Deviation{verdict.passed, verdict.deviation_percent, allowed};
}

}  // namespace

int mesh_aero(Context& context) {
  check_reference(context);
  const mesh::Mesh::Options options = mesh_options_of(context);
  const mesh::MeshFile file = application_mesh(context, mesh::Naca0012::Variant::aero);
  const aero::Grid grid = grid_of({context, file, "the mesh of aero (kiln mesh naca0012 --aero)"});
  mesh::Mesh mesh(options);
  aero::Aero flow(mesh, grid);
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
      print_step(context, number, last);
    }
  }
  if (context.has("vtu"))
    write_potential(context.text("vtu"), {grid.x, grid.cell_nodes, grid.nodes, grid.cells},
                    flow.potential().read<double>());
  if (context.flag("report")) print_loops(mesh, context.flag("json"));
  write_timeline(context, mesh);
  return print_deviation(context, deviation_of(context, grid.cells, last.rms));
}

}  // namespace kiln::cli
