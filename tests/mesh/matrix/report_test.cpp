// Operations on matrices and the parts of solutions appear in Mesh::report() as loops do.
#include <algorithm>

#include "kiln/mesh/solve.hpp"
#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

Mesh::Options timed_options() {
  Mesh::Options options = quiet_options();
  options.timing = true;
  return options;
}

/// A path of 5 nodes: 13 blocks of 2 x 2.
struct ReportPath {
  explicit ReportPath(const Mesh::Options& options) : mesh(options) {
    for (double& value : mat.write<double>()) value = 1;
  }
  Mesh mesh;
  Set edges = mesh.set("edges", 4), nodes = mesh.set("nodes", 5);
  Map ends = mesh.map("ends", edges, nodes, 2, Indices{0, 1, 1, 2, 2, 3, 3, 4});
  Mat mat = mesh.mat<double>("A", mesh.sparsity(ends, ends, 2, 2));
  Dat x = mesh.dat<double>("x", nodes, 2), y = mesh.dat<double>("y", nodes, 2);

  LoopReport report(const std::string& name) {
    const auto all = mesh.report();
    const auto found = std::ranges::find(all, name, &LoopReport::name);
    if (found != all.end()) return *found;
    ADD_FAILURE() << "no " << name << " in the report";
    return {};
  }
};

TEST(MatrixReport, products_are_counted_timed_and_weighed) {
  ReportPath p(timed_options());
  for (int i = 0; i < 3; ++i) multiply(p.mat, p.x, p.y);
  const LoopReport report = p.report("multiply A");
  EXPECT_EQ(report.count, 3u);
  EXPECT_GT(report.seconds, 0);
  EXPECT_GT(report.compile_seconds, 0);
  EXPECT_EQ(report.form, "rows");
  // Entries and their columns, rows' starts, x, y.
  EXPECT_EQ(report.bytes, 3u * (13 * (4 * 8 + 4) + 6 * 4 + 5 * 2 * 8 + 5 * 2 * 8));
  EXPECT_DOUBLE_EQ(report.gigabytes_per_second,
                   1e-9 * static_cast<double>(report.bytes) / report.seconds);
  EXPECT_GT(report.share, 0);
}

TEST(MatrixReport, what_is_added_to_is_read_and_written) {
  ReportPath p(quiet_options());
  multiply(p.mat, p.x, p.y);
  const auto replaced = p.report("multiply A").bytes;
  p.mesh.clear_report();
  multiply_add(p.mat, p.x, p.y);
  EXPECT_EQ(p.report("multiply A").bytes, replaced + 5 * 2 * 8);
}

TEST(MatrixReport, so_is_what_changes_a_matrix) {
  ReportPath p(quiet_options());
  p.mat.diagonal(p.x);
  p.mat.set_diagonal(p.x);
  p.mat.set_diagonal(2.0);
  p.mat.zero_rows(Indices{0, 2});
  p.mat.zero();
  EXPECT_EQ(p.report("diagonal A").bytes, 6u * 4 + 2 * 5 * 2 * 8);
  EXPECT_EQ(p.report("set_diagonal A").bytes, 6u * 4 + 2 * 5 * 2 * 8);
  // The diagonal of all rows; then rows 0 and 2, which have 2 and 3 blocks.
  const LoopReport rows = p.report("change_rows A");
  EXPECT_EQ(rows.count, 2u);
  EXPECT_EQ(rows.bytes, (6u * 4 + 5 * 2 * 8) + (3u * 2 * 4 + 5 * 4 * 8));
  EXPECT_EQ(p.report("zero A").bytes, 13u * 4 * 8);
  EXPECT_EQ(p.report("zero A").seconds, 0);  // times were not asked for
}

TEST(MatrixReport, a_matrix_that_is_gone_stays_in_it_until_it_is_cleared) {
  ReportPath p(timed_options());
  for (int i = 0; i < 2; ++i) {
    Mat passing = p.mesh.mat<double>("passing", p.mat.sparsity());
    multiply(passing, p.x, p.y);
  }
  EXPECT_EQ(p.report("multiply passing").count, 2u);
  const double seconds = p.report("multiply passing").seconds;
  EXPECT_EQ(p.report("multiply passing").seconds, seconds);
  p.mesh.clear_report();
  EXPECT_TRUE(p.mesh.report().empty());
  multiply(p.mat, p.x, p.y);
  EXPECT_EQ(p.mesh.report().size(), 1u);
}

TEST(MatrixReport, solutions_show_their_loops_and_products) {
  ReportPath p(timed_options());
  p.mat.zero();
  p.mat.set_diagonal(2.0);
  for (double& value : p.y.write<double>()) value = 3;
  const SolveResult result = solve(p.mat, p.x, p.y);
  EXPECT_EQ(result.iterations, 1u);
  // The first residual, and an iteration; those that were enqueued in advance count as well.
  EXPECT_GT(p.report("multiply A").count, 1u);
  EXPECT_EQ(p.report("diagonal A").count, 1u);
  for (const char* name : {"kiln_cg_invert", "kiln_cg_begin", "kiln_cg_product", "kiln_cg_update",
                           "kiln_cg_direction"}) {
    const LoopReport report = p.report(name);
    EXPECT_GT(report.count, 0u) << name;
    EXPECT_GT(report.seconds, 0) << name;
    EXPECT_GT(report.gigabytes_per_second, 0) << name;
  }
  EXPECT_EQ(p.report("kiln_cg_begin").count, 1u);
}

TEST(MatrixReport, loops_that_assemble_count_the_matrix) {
  ReportPath p(quiet_options());
  const Kernel add("void add(double m[4][4]) { m[0][0] += 1; }", "add");
  par_loop(add, p.edges, arg(p.mat, p.ends, p.ends, INC));
  // Entries twice and their columns, rows' starts, the Map.
  EXPECT_EQ(p.report("add").bytes, 13u * (2 * 4 * 8 + 4) + 5 * 4 + 4 * 2 * 4);
  p.mesh.clear_report();
  const Kernel set("void set(double *m) { for (int i = 0; i < 16; ++i) m[i] = 1; }", "set");
  par_loop(set, p.edges, arg(p.mat, p.ends, p.ends, WRITE));
  EXPECT_EQ(p.report("set").bytes, 13u * (4 * 8 + 4) + 5 * 4 + 4 * 2 * 4);
}

}  // namespace
}  // namespace kiln::mesh::testing
