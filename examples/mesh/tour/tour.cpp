// What loops over meshes can do, one function a subject; docs/meshes.md explains them in this
// order.
#include <array>
#include <cstdio>
#include <vector>

#include "kiln/mesh.hpp"

namespace {

using namespace kiln::mesh;

/// Two triangles side by side: nodes 0 to 3, cells 0 and 1.
struct TwoTriangles {
  Set nodes, cells;
  Map corners;
  explicit TwoTriangles(Mesh& mesh)
      : nodes(mesh.set("nodes", 4)),
        cells(mesh.set("cells", 2)),
        corners(mesh.map("corners", cells, nodes, 3, std::vector<int>{0, 1, 2, 1, 3, 2})) {}
};

void print(const char* what, const Dat& dat) {
  std::printf("%s:", what);
  for (const double value : dat.read<double>()) std::printf(" %g", value);
  std::printf("\n");
}

void vector_maps(Mesh& mesh, const TwoTriangles& two) {
  const Dat height = mesh.dat<double>("height", two.nodes, 1, std::vector<double>{1, 2, 3, 7});
  const Dat mean = mesh.dat<double>("mean", two.cells, 1);
  const Kernel average(R"(
    void average(const double *corner[3], double *mean) {
      mean[0] = (corner[0][0] + corner[1][0] + corner[2][0]) / 3.0;
    })",
                       "average");
  par_loop(average, two.cells, arg(height, two.corners, READ), arg(mean, WRITE));
  print("means", mean);
}

void iteration_indices(Mesh& mesh, const TwoTriangles& two) {
  const Dat touched = mesh.dat<double>("touched", two.nodes, 1);
  const Kernel touch("void touch(double *node, int i) { node[0] += i + 1; }", "touch");
  par_loop(touch, two.cells, arg(touched, two.corners[index(0)], INC));
  print("touched", touched);
}

void globals(Mesh& mesh, const TwoTriangles& two) {
  const Dat height = mesh.dat<double>("height", two.nodes, 1, std::vector<double>{1, 2, 3, 7});
  const Global scale = mesh.global("scale", 10.0);
  const Global sum = mesh.global("sum", 0.0), least = mesh.global("least", 1e9);
  const Kernel measure(R"(
    void measure(const double *height, const double *scale, double *sum, double *least) {
      sum[0] += scale[0] * height[0];
      least[0] = fmin(least[0], height[0]);
    })",
                       "measure");
  par_loop(measure, two.nodes, arg(height, READ), arg(scale, READ), arg(sum, INC), arg(least, MIN));
  std::printf("sum %g, least %g\n", sum.value<double>(), least.value<double>());
}

void constants(Mesh& mesh, const TwoTriangles& two) {
  Const gravity = mesh.constant("gravity", 9.5);
  const Dat weight = mesh.dat<double>("weight", two.cells, 1);
  const Kernel weigh("void weigh(double *weight) { weight[0] = 2.0 * gravity; }", "weigh");
  par_loop(weigh, two.cells, arg(weight, WRITE));
  print("weights", weight);
  gravity.set(1.5);  // no new code
  par_loop(weigh, two.cells, arg(weight, WRITE));
  print("weights on the moon", weight);
}

void subsets(Mesh& mesh, const TwoTriangles& two) {
  const Subset some = two.nodes.subset(std::vector<int>{3, 1});
  const Dat mark = mesh.dat<double>("mark", two.nodes, 1);
  const Kernel set_mark("void set_mark(double *mark) { mark[0] = 1.0; }", "set_mark");
  par_loop(set_mark, some, arg(mark, WRITE));
  print("marks", mark);
}

void layouts(Mesh& mesh, const TwoTriangles& two) {
  const std::vector<double> points{0, 0, 1, 0, 0, 1, 1, 1};
  const Dat x = mesh.dat<double>("x", two.nodes, 2, points, DataLayout::soa);
  const Dat product = mesh.dat<double>("product", two.nodes, 1);
  const Kernel multiply("void multiply(const double *x, double *p) { p[0] = x[0] * x[1]; }",
                        "multiply");
  par_loop(multiply, two.nodes, arg(x, READ), arg(product, WRITE));
  print("products", product);
}

void columns(Mesh& mesh) {
  // One base cell between base nodes 0 and 1, 4 levels: 3 cells above each other. Each base node
  // carries the 4 nodes of its column, so its lowest one has number 4 * base node, and one cell up
  // all are one further.
  const Set base = mesh.set("base", 1), nodes = mesh.set("column nodes", 8);
  const std::vector<int> lowest{0, 4}, up{1, 1};
  const Map feet = mesh.map("feet", base, nodes, 2, lowest, up);
  const Dat touched = mesh.dat<double>("touched by columns", nodes, 1);
  const Kernel count("void count(double *foot[2]) { foot[0][0] += 1; foot[1][0] += 1; }", "count");
  par_loop(count, base.extruded(4), arg(touched, feet, INC));
  print("cells above the nodes", touched);
}

void halos(Mesh& mesh) {
  // 2 elements need nothing from others, 3 are owned, 4 with what is computed here, too, 5 with
  // what is only read.
  const Set part = mesh.set("part", {2, 3, 4, 5});
  const Dat own = mesh.dat<double>("own", part, 1);
  const Global count = mesh.global("count", 0);
  const Kernel visit("void visit(double *own, int *count) { own[0] = 1.0; count[0] += 1; }",
                     "visit");
  par_loop(visit, part, arg(own, WRITE), arg(count, INC));
  print("visited", own);
  std::printf("counted %d\n", count.value<int>());
}

void solutions(Mesh& mesh, const TwoTriangles& two) {
  const Map& corners = two.corners;
  const Subset boundary = two.nodes.subset(std::vector<int>{0});
  const Dat u = mesh.dat<double>("u", two.nodes, 1);
  const Dat b = mesh.dat<double>("b", two.nodes, 1, std::vector<double>{0, 1, 1, 1});
  const Kernel element(R"(
    void element(double m[3][3]) {
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m[i][j] += i == j ? 2.0 : -1.0;
    })",
                       "element");
  const Sparsity sparsity = mesh.sparsity(corners, corners);  // rows, columns; blocks of 1 x 1
  Mat stiffness = mesh.mat<double>("K", sparsity);
  par_loop(element, two.cells, arg(stiffness, corners, corners, INC));
  stiffness.zero_rows_columns(boundary, u, b);        // a Subset, where u is given
  const SolveResult result = solve(stiffness, u, b);  // conjugate gradients
  print("solution", u);
  std::printf("%s\n", result.converged ? "converged" : "not converged");
}

void mixed_matrices(Mesh& mesh, const TwoTriangles& two) {
  const Map own = mesh.map("own", two.cells, two.cells, 1, std::vector<int>{0, 1});
  const MixedMap maps({two.corners, own});  // a number on each node, and one in each cell
  const MixedMat mat = mesh.mat<double>("M", mesh.sparsity(maps, maps));  // 2 x 2 blocks
  const Kernel element(R"(
    void element(double m[4][4]) {
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) m[i][j] += i == j ? 4.0 : -1.0;
    })",
                       "element");
  par_loop(element, two.cells, arg(mat, maps, maps, INC));
  const auto vector = [&] {
    return MixedDat({mesh.dat<double>("v", two.nodes, 1), mesh.dat<double>("p", two.cells, 1)});
  };
  MixedDat ones = vector(), b = vector(), x = vector();
  ones.fill(1);
  multiply(mat, ones, b);
  SolveOptions options;
  options.relative = 1e-12;
  solve(mat, x, b, options);
  print("ones again", x[0]);
  print("and in cells", x[1]);
}

void queue(Mesh& mesh, const TwoTriangles& two) {
  const Dat one = mesh.dat<double>("one", two.cells, 1),
            other = mesh.dat<double>("other", two.cells, 1);
  const Kernel add("void add(double *value) { value[0] += 1.0; }", "add");
  par_loop(add, two.cells, arg(one, RW));
  par_loop(add, two.cells, arg(other, RW));
  std::printf("%zu loops wait\n", mesh.queued());
  one.read<double>();  // needs the first loop only
  std::printf("%zu loop waits\n", mesh.queued());
  mesh.flush();
}

}  // namespace

int main() {
  Mesh::Options options;
  options.check = true;   // hold every plan against its definition
  options.timing = true;  // take times, for the report
  Mesh mesh(options);
  const TwoTriangles two(mesh);
  vector_maps(mesh, two);
  iteration_indices(mesh, two);
  globals(mesh, two);
  constants(mesh, two);
  subsets(mesh, two);
  layouts(mesh, two);
  columns(mesh);
  halos(mesh);
  solutions(mesh, two);
  mixed_matrices(mesh, two);
  queue(mesh, two);
  for (const LoopReport& loop : mesh.report())
    std::printf("%s ran %zu times: %s\n", loop.name.c_str(), loop.count, loop.form.c_str());
}
