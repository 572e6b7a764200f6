#include "reduction/reduction.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/context.hpp"
#include "cli/json_line.hpp"
#include "cli/mesh/program/application.hpp"
#include "cli/mesh/program/loop_report.hpp"
#include "cli/mesh/program/verbs.hpp"
#include "cli/output.hpp"

namespace kiln::cli {
namespace {

/// Whether a loop's count is right.
bool print_count(const Context& context, const char* set, std::size_t size, std::int32_t counted) {
  if (context.flag("json"))
    print_json({{"set", set}, {"size", size}, {"counted", counted}});
  else
    print(fmt::format("{}: {} of {} counted\n", set, counted, size));
  return static_cast<std::size_t>(counted) == size;
}

}  // namespace

int mesh_reduction(Context& context) {
  const mesh::Mesh::Options options = mesh_options_of(context);
  const mesh::MeshFile file = application_mesh(context, mesh::Naca0012::Variant::airfoil);
  const ApplicationFile parts(context, file, "the mesh of airfoil (kiln mesh naca0012)");
  const std::size_t edges = parts.set("edges"), cells = parts.set("cells");
  mesh::Mesh mesh(options);
  const auto counts = reduction::count(mesh, cells, parts.map("pecell", "edges", "cells", 2),
                                       [&] { tune_loops(context, mesh); });
  const bool edges_right = print_count(context, "edges", edges, counts.edges);
  const bool cells_right = print_count(context, "cells", cells, counts.cells);
  if (context.flag("report")) print_loops(mesh, context.flag("json"));
  write_timeline(context, mesh);
  return print_wrong(context, (edges_right ? 0U : 1U) + (cells_right ? 0U : 1U), 2, "counts");
}

}  // namespace kiln::cli
