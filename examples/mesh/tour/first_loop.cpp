// The first parallel loop: each edge of a triangle adds its length to both of its nodes.
#include <cstdio>
#include <vector>

#include "kiln/mesh.hpp"

int main() {
  using namespace kiln::mesh;
  Mesh mesh;
  const Set nodes = mesh.set("nodes", 3), edges = mesh.set("edges", 3);
  const Map ends = mesh.map("ends", edges, nodes, 2, std::vector<int>{0, 1, 1, 2, 2, 0});
  const Dat x = mesh.dat<double>("x", nodes, 2, std::vector<double>{0, 0, 3, 0, 0, 4});
  const Dat sum = mesh.dat<double>("sum", nodes, 1);

  const Kernel add_length(R"(
    void add_length(const double *a, const double *b, double *sum_a, double *sum_b) {
      double length = hypot(b[0] - a[0], b[1] - a[1]);
      sum_a[0] += length;
      sum_b[0] += length;
    })",
                          "add_length");
  par_loop(add_length, edges, arg(x, ends[0], READ), arg(x, ends[1], READ), arg(sum, ends[0], INC),
           arg(sum, ends[1], INC));
  for (const double value : sum.read<double>()) std::printf("%g\n", value);
}
