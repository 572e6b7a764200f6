#pragma once

#include <cstdlib>
#include <stdexcept>

#include "../common/program.hpp"
#include "kiln/mesh.hpp"
#include "problem.hpp"

namespace jac {

/// jac1 [SIDE] and jac2 [SIDE]: two sweeps, then every node is held against what it must be.
template <class Solve>
int main_of(const char* name, int count, char** words, const Solve& solve) {
  return run_program(name, "[SIDE]", count, words, [&] {
    if (count > 2) throw std::runtime_error("expected the side of the grid alone");
    const Problem problem(count > 1 ? std::atoi(words[1]) : 6);
    kiln::mesh::Mesh mesh;
    const Solution solution = solve(mesh, problem);
    for (const Sweep& sweep : solution.sweeps)
      std::printf("u max/rms = %f %f\n", sweep.u_max, sweep.u_rms);
    const std::size_t wrong = wrong_nodes(problem, solution.u);
    if (wrong > 0) std::printf("%zu of %zu nodes are wrong\n", wrong, problem.nodes);
    return report_check(wrong == 0);
  });
}

}  // namespace jac
