#include "airfoil.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/context.hpp"
#include "cli/interrupt.hpp"
#include "cli/json_line.hpp"
#include "cli/mesh/program/files.hpp"
#include "cli/mesh/program/loop_report.hpp"
#include "cli/mesh/program/verbs.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "mesh/generate/naca0012.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The parts of a mesh file that airfoil needs. Throws bad_input for what is absent or of another
/// shape.
class AirfoilFile {
 public:
  AirfoilFile(std::string path, const mesh::MeshFile& file) : path_(std::move(path)), file_(file) {}

  airfoil::Grid grid() const {
    airfoil::Grid grid;
    grid.nodes = set("nodes");
    grid.cells = set("cells");
    set("edges");
    set("bedges");
    grid.cell_nodes = map("pcell", "cells", "nodes", 4);
    grid.edge_nodes = map("pedge", "edges", "nodes", 2);
    grid.edge_cells = map("pecell", "edges", "cells", 2);
    grid.bedge_nodes = map("pbedge", "bedges", "nodes", 2);
    grid.bedge_cells = map("pbecell", "bedges", "cells", 1);
    grid.bound = dat<std::int32_t>("p_bound", "bedges", 1);
    grid.x = dat<double>("p_x", "nodes", 2);
    return grid;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(
        Errc::bad_input,
        fmt::format("{}: {}, expected the mesh of airfoil (kiln mesh naca0012)", path_, what));
  }
  std::size_t set(const char* name) const {
    const auto* found = file_.find_set(name);
    if (found == nullptr) fail(fmt::format("no set {}", name));
    return static_cast<std::size_t>(found->size);
  }
  std::span<const std::int32_t> map(const char* name, const char* from, const char* to,
                                    int arity) const {
    const auto* found = file_.find_map(name);
    if (found == nullptr) fail(fmt::format("no map {}", name));
    if (found->from != from || found->to != to || found->arity != arity)
      fail(fmt::format("map {} leads from {} to {} of {} each", name, found->to, found->from,
                       found->arity));
    return found->values;
  }
  template <class T>
  std::span<const T> dat(const char* name, const char* on, int dim) const {
    const auto* found = file_.find_dat(name);
    if (found == nullptr) fail(fmt::format("no dat {}", name));
    if (found->set != on || found->dim != dim || found->type != mesh::scalar_type_of<T>())
      fail(fmt::format("dat {} is on {}, {} of {} each", name, found->set, found->dim,
                       mesh::name_of(found->type)));
    return mesh::values_of<T>(*found);
  }

  std::string path_;
  const mesh::MeshFile& file_;
};

mesh::MeshFile mesh_of(const Context& context) {
  const std::string& path = context.text("grid");
  return path.empty() ? value_or_throw(mesh::make_naca0012({})) : read_mesh_input(path);
}

void print_step(const Context& context, std::int64_t iteration, double rms) {
  if (context.flag("json"))
    print_json(Json{{"iteration", iteration}, {"rms", rms}});
  else
    print(fmt::format("{:6}  {:.5e}\n", iteration, rms));
}

int print_verdict(const Context& context, const airfoil::Verdict& verdict) {
  if (!verdict.applies) return 0;
  if (context.flag("json"))
    print_json(Json{{"check", verdict.passed ? "passed" : "failed"},
                    {"deviation_percent", verdict.deviation_percent}});
  else
    print(fmt::format("check {}: {:.3g} % from the reference\n",
                      verdict.passed ? "passed" : "FAILED", verdict.deviation_percent));
  return verdict.passed ? 0 : 1;
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
      stop_if_interrupted();
      progress.advance();
      const bool is_last = iteration == iterations;
      if (iteration % 100 != 0 && !is_last) continue;
      rms = flow.rms();
      progress.hide();
      if (iteration % 100 == 0) print_step(context, iteration, rms);
    }
  }
  if (context.flag("report")) print_loops(mesh, context.flag("json"));
  return print_verdict(context, airfoil::verdict(grid.cells, static_cast<std::size_t>(iterations),
                                                 rms, sizeof(Real) == 8));
}

}  // namespace

int mesh_airfoil(Context& context) {
  const mesh::MeshFile file = mesh_of(context);
  const airfoil::Grid grid = AirfoilFile(context.text("grid"), file).grid();
  mesh::Mesh mesh(mesh_options_of(context));
  return context.text("precision") == "s" ? run<float>(context, mesh, grid)
                                          : run<double>(context, mesh, grid);
}

}  // namespace kiln::cli
