#pragma once

#include <cstdint>
#include <functional>
#include <vector>

/// Laplace's equation on a square with the value 1 on its boundary, what Jacobi's method makes of
/// it, and what must come out.
namespace jac {

/// (side - 1)² inner nodes; node (i, j), both from 1 to side - 1, has number
/// (i - 1) + (j - 1)(side - 1). An edge leads from a node to itself or to a neighbour.
struct Problem {
  explicit Problem(int side);  ///< at least 5

  int side;
  std::size_t nodes;
  std::vector<std::int32_t> edge_nodes;  ///< 2 an edge
  std::vector<double> a;                 ///< of each edge: -1 to itself, else 1/4
  std::vector<double> r;                 ///< of each node: 1/4 for each neighbour on the boundary

  std::size_t number(int i, int j) const {
    return static_cast<std::size_t>((i - 1) + (j - 1) * (side - 1));
  }
  /// The value of node (i, j) after two sweeps from zero. All are sums of few powers of two: no
  /// rounding, in whatever order, so equality may be asked for.
  double after_two_sweeps(int i, int j) const;
};

struct Sweep {
  double u_max = 0, u_rms = 0;
};

/// What two sweeps came to.
struct Solution {
  std::vector<Sweep> sweeps;
  std::vector<double> u;  ///< by node
};

/// What a program does between the two sweeps, if anything: search for faster loops, say.
using Interlude = std::function<void()>;

/// How many nodes have another value than they should. All are looked at.
std::size_t wrong_nodes(const Problem& problem, const std::vector<double>& u);

}  // namespace jac
