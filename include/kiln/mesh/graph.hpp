#pragma once

#include <array>
#include <functional>
#include <span>

#include "kiln/graph.hpp"
#include "kiln/mesh/par_loop.hpp"

/// Loops over meshes as tasks of a Graph, next to kernels, BLAS calls and functions of the host.
namespace kiln::mesh {

/// Adds a loop to a graph: each run of a plan runs it once, on the Mesh's device. It comes after
/// the tasks that change what it uses, and before those that change it later. Checked, planned and
/// compiled here. The Graph's Runtime must be the Mesh's. A plan throws bad_input where a Set, Map,
/// Dat, Global or Mat of a loop is gone. Throws what par_loop() throws, and unsupported where the
/// loop has halos to exchange.
///
/// Data of a Mesh are not the graph's: what a run leaves in them is found by read() afterwards, and
/// the next run goes on from there. Loops that wait in the Mesh run before each run of the plan.
KILN_API GraphTask par_loop(Graph& graph, const Kernel& kernel, const Iteration& over,
                            std::span<const Arg> arguments, const GraphTaskOptions& options = {});

template <class... Args>
GraphTask par_loop(Graph& graph, const Kernel& kernel, const Iteration& over,
                   const Args&... arguments) {
  const std::array<Arg, sizeof...(Args)> all{arguments...};
  return par_loop(graph, kernel, over, std::span<const Arg>(all));
}

/// A function that runs in the thread of GraphPlan::run() and uses data of a Mesh as `uses` say, by
/// their handles: read() and write() there. Of Maps in `uses` nothing is looked at.
KILN_API GraphTask add_host(Graph& graph, std::function<void()> function, std::span<const Arg> uses,
                            const GraphTaskOptions& options = {});

}  // namespace kiln::mesh
