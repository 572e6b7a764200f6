#include "problem.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace jac {

Problem::Problem(int given) : side(given) {
  if (side < 5)
    throw std::invalid_argument("the grid's side is " + std::to_string(side) +
                                ", expected at least 5");
  const auto inner = static_cast<std::size_t>(side - 1);
  nodes = inner * inner;
  r.assign(nodes, 0.0);
  const auto add_edge = [&](std::size_t from, std::size_t to, double value) {
    edge_nodes.push_back(static_cast<std::int32_t>(from));
    edge_nodes.push_back(static_cast<std::int32_t>(to));
    a.push_back(value);
  };
  constexpr int steps[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  for (int i = 1; i < side; ++i)
    for (int j = 1; j < side; ++j) {
      const std::size_t node = number(i, j);
      add_edge(node, node, -1.0);
      for (const auto& [di, dj] : steps) {
        const int x = i + di, y = j + dj;
        if (x == 0 || x == side || y == 0 || y == side)
          r[node] += 0.25;
        else
          add_edge(node, number(x, y), 0.25);
      }
    }
}

double Problem::after_two_sweeps(int i, int j) const {
  // How far from the nearest boundary in each direction: 1 is next to it.
  const int x = std::min(i, side - i), y = std::min(j, side - j);
  const int near = std::min(x, y), far = std::max(x, y);
  if (near == 1) return far == 1 ? 0.625 : far == 2 ? 0.4375 : 0.375;
  if (near == 2) return far == 2 ? 0.125 : 0.0625;
  return 0.0;
}

std::size_t wrong_nodes(const Problem& problem, const std::vector<double>& u) {
  std::size_t wrong = 0;
  for (int i = 1; i < problem.side; ++i)
    for (int j = 1; j < problem.side; ++j)
      if (u.at(problem.number(i, j)) != problem.after_two_sweeps(i, j)) ++wrong;
  return wrong;
}

}  // namespace jac
