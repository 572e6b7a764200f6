#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/context.hpp"
#include "cli/json_line.hpp"
#include "cli/mesh/program/application.hpp"
#include "cli/mesh/program/loop_report.hpp"
#include "cli/mesh/program/verbs.hpp"
#include "cli/output.hpp"
#include "jac/jac1.hpp"
#include "jac/jac2.hpp"

namespace kiln::cli {
namespace {

/// The largest side whose values fit a terminal's line.
constexpr int largest_shown = 9;

void print_sweeps(const Context& context, const jac::Solution& solution) {
  int number = 0;
  for (const jac::Sweep& sweep : solution.sweeps) {
    ++number;
    if (context.flag("json"))
      print_json({{"sweep", number}, {"u_max", sweep.u_max}, {"u_rms", sweep.u_rms}});
    else
      print(fmt::format("sweep {}: u max {:.6f}, rms {:.6f}\n", number, sweep.u_max, sweep.u_rms));
  }
}

/// The grid as it lies: the top row first.
void print_values(const jac::Problem& problem, const std::vector<double>& u) {
  for (int j = problem.side - 1; j > 0; --j) {
    std::string line;
    for (int i = 1; i < problem.side; ++i)
      line += fmt::format("{}{:.4f}", i > 1 ? "  " : "", u[problem.number(i, j)]);
    print(line + "\n");
  }
}

using Solve = jac::Solution(mesh::Mesh&, const jac::Problem&, const jac::Interlude&);

int run(const Context& context, Solve& solve) {
  // The edges' ends are 32-bit numbers.
  constexpr std::int64_t most = 20'000;
  const std::int64_t side = context.integer("intervals");
  if (side > most)
    throw Error(Errc::bad_input, fmt::format("{}: --intervals: found {}, expected at most {}",
                                             context.command().name, side, most));
  const jac::Problem problem(static_cast<int>(side));
  mesh::Mesh mesh(mesh_options_of(context));
  const jac::Solution solution = solve(mesh, problem, [&] { tune_loops(context, mesh); });
  print_sweeps(context, solution);
  if (!context.flag("json") && problem.side <= largest_shown) print_values(problem, solution.u);
  if (context.flag("report")) print_loops(mesh, context.flag("json"));
  write_timeline(context, mesh);
  return print_wrong(context, jac::wrong_nodes(problem, solution.u), problem.nodes, "nodes");
}

}  // namespace

int mesh_jac1(Context& context) { return run(context, jac::jac1); }
int mesh_jac2(Context& context) { return run(context, jac::jac2); }

}  // namespace kiln::cli
