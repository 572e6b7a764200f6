// Sparsities and matrices between mixed spaces: assembled, multiplied, solved.
#include <cmath>

#include "mesh/matrix/reference.hpp"
#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

/// One scalar row or column of a mixed matrix: its part, and its number there.
using Place = std::pair<std::size_t, std::size_t>;
using MixedDense = std::map<std::pair<Place, Place>, double>;

MixedDense dense_of(const MixedMat& mat) {
  MixedDense all;
  for (std::size_t r = 0; r < mat.row_parts(); ++r)
    for (std::size_t c = 0; c < mat.column_parts(); ++c)
      for (const auto& [at, value] : dense<double>(mat.block(r, c)))
        all[{{r, at.first}, {c, at.second}}] = value;
  return all;
}

/// Random maps from cells to two or three other sets, with dims, as rows and as columns.
struct Spaces {
  explicit Spaces(unsigned seed, const Parameters& form = {},
                  Mesh::Options options = quiet_options())
      : mesh(options), random(seed), cells(mesh.set("cells", 30)) {
    if (!form.empty()) use_form(mesh, form);
    rows = make("row", 2, row_dims);
    columns = make("column", 3, column_dims);
  }
  MixedMap make(const std::string& name, std::size_t parts, std::vector<std::size_t>& dims) {
    std::vector<Map> maps;
    for (std::size_t p = 0; p < parts; ++p) {
      const std::size_t size = 5 + random() % 20, arity = 1 + random() % 3;
      const Set set = mesh.set(name + " set", size);
      maps.push_back(mesh.map(name, cells, set, arity,
                              random_map(30, arity, size, static_cast<std::uint32_t>(random()))));
      dims.push_back(1 + random() % 2);
    }
    return MixedMap(maps);
  }
  /// Scalar rows or columns of an element's matrix, in its order.
  static std::vector<Place> places(const MixedMap& maps, const std::vector<std::size_t>& dims,
                                   std::size_t cell) {
    std::vector<Place> all;
    for (std::size_t p = 0; p < maps.size(); ++p)
      for (std::size_t c = 0; c < maps[p].arity(); ++c)
        for (std::size_t k = 0; k < dims[p]; ++k)
          all.emplace_back(
              p,
              static_cast<std::size_t>(maps[p].values()[cell * maps[p].arity() + c]) * dims[p] + k);
    return all;
  }
  std::size_t height() const { return places(rows, row_dims, 0).size(); }
  std::size_t width() const { return places(columns, column_dims, 0).size(); }
  /// `void add(weight, m)` with entry(j, k) * weight in each entry.
  Kernel kernel(const char* operation, bool in_rows) const {
    const std::string h = std::to_string(height()), w = std::to_string(width());
    return Kernel("void fill(const double *weight, double " +
                      (in_rows ? "m[" + h + "][" + w + "]" : "*m") +
                      ") {\n"
                      "  for (int j = 0; j < " +
                      h +
                      "; ++j)\n"
                      "    for (int k = 0; k < " +
                      w +
                      "; ++k)\n"
                      "      m" +
                      (in_rows ? "[j][k] " : "[j * " + w + " + k] ") + operation +
                      " weight[0] * (3 * j + k + 1);\n}",
                  "fill");
  }
  Mesh mesh;
  std::mt19937 random;
  Set cells;
  std::vector<std::size_t> row_dims, column_dims;
  MixedMap rows{{mesh.map("none", cells, cells, 1, counting<int>(30))}}, columns = rows;
};

const Parameters loop_forms[] = {
    {{"FORM", 0}, {"BLOCK", 8}}, {{"FORM", 1}, {"GROUP", 4}}, {{"FORM", 2}, {"GROUP", 4}}};

TEST(MixedSparsity, has_a_block_for_each_pair_of_parts) {
  Spaces s(1);
  const MixedSparsity sparsity = s.mesh.sparsity(s.rows, s.columns, s.row_dims, s.column_dims);
  ASSERT_EQ(sparsity.row_parts(), 2u);
  ASSERT_EQ(sparsity.column_parts(), 3u);
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t c = 0; c < 3; ++c) {
      const Sparsity& block = sparsity.block(r, c);
      EXPECT_EQ(block.row_dim(), s.row_dims[r]);
      EXPECT_EQ(block.column_dim(), s.column_dims[c]);
      Rows expected(block.rows());
      add_entries(expected, s.rows[r], s.columns[c]);
      EXPECT_EQ(rows_of(block), expected) << r << " " << c;
    }
}

TEST(MixedSparsity, equal_maps_give_equal_ones_and_several_pairs_are_united) {
  Spaces s(2);
  const auto once = s.mesh.sparsity(s.rows, s.columns);
  EXPECT_EQ(once, s.mesh.sparsity(s.rows, s.columns));
  EXPECT_NE(once,
            s.mesh.sparsity(s.rows, s.columns, s.row_dims, std::vector<std::size_t>{1, 2, 5}));
  // From other elements to the same sets.
  std::vector<Map> more;
  for (const Map& map : s.rows)
    more.push_back(
        s.mesh.map("more", s.cells, map.to(), 1, random_map(30, 1, map.to().size(), 77)));
  const std::vector<std::pair<MixedMap, MixedMap>> pairs{{s.rows, s.columns},
                                                         {MixedMap(more), s.columns}};
  const auto both = s.mesh.sparsity(pairs);
  Rows expected(both.block(1, 2).rows());
  add_entries(expected, s.rows[1], s.columns[2]);
  add_entries(expected, more[1], s.columns[2]);
  EXPECT_EQ(rows_of(both.block(1, 2)), expected);
}

TEST(MixedSparsity, of_columns_of_cells) {
  Mesh mesh(quiet_options());
  const Set base = mesh.set("base", 2), lines = mesh.set("lines", 12),
            layers = mesh.set("layers", 6);
  const Map ends = mesh.map("ends", base, lines, 2, Indices{0, 4, 4, 8}, Indices{1, 1});
  const Map own = mesh.map("own", base, layers, 1, Indices{0, 3}, Indices{1});
  const std::vector<std::pair<MixedMap, MixedMap>> pairs{
      {MixedMap({ends, own}), MixedMap({ends, own})}};
  const auto sparsity = mesh.sparsity(base.extruded(4), pairs);
  Rows expected(12);
  add_entries(expected, ends, own, 3);
  EXPECT_EQ(rows_of(sparsity.block(0, 1)), expected);
}

TEST(MixedSparsity, what_does_not_fit_is_refused) {
  Spaces s(3);
  EXPECT_EQ(refusal([&] { s.mesh.sparsity(std::span<const std::pair<MixedMap, MixedMap>>()); }),
            "sparsity: no mixed maps, expected a pair or more of them");
  EXPECT_EQ(refusal([&] { s.mesh.sparsity(s.rows, s.columns, std::vector<std::size_t>{1}); }),
            "sparsity: 1 dims of row parts, expected 2");
  EXPECT_EQ(refusal([&] { s.mesh.sparsity(s.rows, s.columns, {}, std::vector<std::size_t>{1}); }),
            "sparsity: 1 dims of column parts, expected 3");
  const std::vector<std::pair<MixedMap, MixedMap>> uneven{{s.rows, s.columns},
                                                          {s.columns, s.columns}};
  EXPECT_EQ(refusal([&] { s.mesh.sparsity(uneven); }),
            "sparsity: 3 parts of a mixed map of rows, expected 2");
  EXPECT_EQ(refusal([&] { MixedSparsity(2, 2, {}); }),
            "mixed: 0 blocks, expected one or more for each of 2 x 2 pairs of parts");
}

TEST(MixedMat, is_assembled_from_whole_local_matrices_in_every_form) {
  for (unsigned seed = 1; seed <= 2; ++seed)
    for (const auto& form : loop_forms)
      for (const bool in_rows : {false, true}) {
        Spaces s(seed, form);
        const auto sparsity = s.mesh.sparsity(s.rows, s.columns, s.row_dims, s.column_dims);
        const MixedMat mat = s.mesh.mat<double>("A", sparsity);
        const auto weights = counting<double>(30, 1.0);
        const Dat weight = s.mesh.dat<double>("weight", s.cells, 1, weights);
        par_loop(s.kernel("+=", in_rows), s.cells, arg(weight, READ),
                 arg(mat, s.rows, s.columns, INC));
        MixedDense expected = dense_of(s.mesh.mat<double>("zeros", sparsity));
        for (std::size_t cell = 0; cell < 30; ++cell) {
          const auto rows = Spaces::places(s.rows, s.row_dims, cell);
          const auto columns = Spaces::places(s.columns, s.column_dims, cell);
          for (std::size_t j = 0; j < rows.size(); ++j)
            for (std::size_t k = 0; k < columns.size(); ++k)
              expected.at({rows[j], columns[k]}) +=
                  weights[cell] * static_cast<double>(3 * j + k + 1);
        }
        EXPECT_EQ(dense_of(mat), expected) << "seed " << seed;
      }
}

TEST(MixedMat, entries_that_are_written_replace_what_was_there) {
  Spaces s(5);
  const auto sparsity = s.mesh.sparsity(s.rows, s.columns, s.row_dims, s.column_dims);
  MixedMat mat = s.mesh.mat<double>("A", sparsity);
  for (Mat& block : mat)
    for (double& value : block.write<double>()) value = 5;
  const std::string count = std::to_string(s.height() * s.width());
  const Kernel seven("void seven(double *m) { for (int n = 0; n < " + count + "; ++n) m[n] = 7; }",
                     "seven");
  par_loop(seven, s.cells, arg(mat, s.rows, s.columns, WRITE));
  // No part has the same set as another, so no entry is there but what the maps reach.
  for (const auto& [at, value] : dense_of(mat)) ASSERT_EQ(value, 7);
  mat.zero();
  for (const auto& [at, value] : dense_of(mat)) ASSERT_EQ(value, 0);
}

TEST(MixedMat, goes_beside_mixed_dats_and_plain_matrices) {
  // Outer products of mixed data, as PyOP2's test of mixed matrices has them.
  Mesh mesh(quiet_options());
  const Set cells = mesh.set("cells", 3), nodes = mesh.set("nodes", 4);
  const Map own = mesh.map("own", cells, cells, 1, Indices{0, 1, 2});
  const Map ends = mesh.map("ends", cells, nodes, 2, Indices{0, 1, 1, 2, 2, 3});
  const MixedMap maps({own, ends});
  const MixedDat d({mesh.dat<double>("a", cells, 1, list({1.0, 2.0, 3.0})),
                    mesh.dat<double>("b", nodes, 1, list({1.0, 2.0, 3.0, 4.0}))});
  const MixedMat mat = mesh.mat<double>("A", mesh.sparsity(maps, maps));
  const Mat mass = mesh.mat<double>("M", mesh.sparsity(ends, ends));
  const Kernel outer(R"(
    void outer(double m[3][3], double **d, double mass[2][2]) {
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k) m[j][k] += d[j][0] * d[k][0];
      mass[0][0] += 1;
      mass[1][0] += 2;
    })",
                     "outer");
  par_loop(outer, cells, arg(mat, maps, maps, INC), arg(d, maps, READ), arg(mass, ends, ends, INC));
  const auto entry = [&](std::size_t r, std::size_t c, std::size_t row, std::size_t column) {
    return dense<double>(mat.block(r, c)).at({row, column});
  };
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(entry(0, 0, i, i), static_cast<double>((i + 1) * (i + 1)));
    EXPECT_EQ(entry(0, 1, i, i), static_cast<double>((i + 1) * (i + 1)));
    EXPECT_EQ(entry(0, 1, i, i + 1), static_cast<double>((i + 1) * (i + 2)));
    EXPECT_EQ(entry(1, 0, i + 1, i), static_cast<double>((i + 1) * (i + 2)));
    EXPECT_EQ(entry(1, 1, i, i + 1), static_cast<double>((i + 1) * (i + 2)));
  }
  EXPECT_EQ(entry(1, 1, 1, 1), 2 * 4.0);
  EXPECT_EQ(dense<double>(mass).at({1, 0}), 2);
  EXPECT_EQ(dense<double>(mass).at({0, 1}), 0);
  EXPECT_EQ(dense<double>(mass).at({2, 2}), 1);
}

TEST(MixedMat, kernels_that_take_another_matrix_are_refused) {
  Spaces s(6);
  const MixedMat mat =
      s.mesh.mat<double>("A", s.mesh.sparsity(s.rows, s.columns, s.row_dims, s.column_dims));
  const auto refused = [&](const std::string& parameter) {
    const Kernel kernel("void wrong(" + parameter + ") {}", "wrong");
    return refusal([&] { par_loop(kernel, s.cells, arg(mat, s.rows, s.columns, INC)); });
  };
  EXPECT_NE(refused("float *m").find("incompatible pointer types"), std::string::npos);
  EXPECT_NE(refused("double m[3][99]").find("incompatible pointer types"), std::string::npos);
  EXPECT_NE(refused("double **m").find("incompatible pointer types"), std::string::npos);
  EXPECT_NE(refused("double *m, double *n").find("too few arguments"), std::string::npos);
}

TEST(MixedMat, arguments_that_do_not_fit_are_refused) {
  Spaces s(7);
  const auto sparsity = s.mesh.sparsity(s.rows, s.columns);
  const MixedMat mat = s.mesh.mat<double>("A", sparsity);
  EXPECT_EQ(refusal([&] { arg(mat, s.columns, s.columns, INC); }),
            "mixed mat: 2 x 3 parts through mixed maps of 3 x 3, expected as many");
  const Mat single = s.mesh.mat<float>("F", sparsity.block(0, 1));
  const MixedMat uneven(1, 2, {mat.block(0, 0), single});
  EXPECT_EQ(refusal([&] {
              arg(uneven, MixedMap({s.rows[0]}), MixedMap({s.columns[0], s.columns[1]}), INC);
            }),
            "mixed mat: mat A[0][0] is of double and mat F of float, expected one type");
  const Kernel kernel("void one(double *m, double *x) { m[0] += x[0]; }", "one");
  const Dat x = s.mesh.dat<double>("x", s.rows[0].to(), 1);
  EXPECT_EQ(refusal([&] {
              par_loop(kernel, s.cells, arg(mat, s.rows, s.columns, INC),
                       arg(x, s.rows[0][index(0)], READ));
            }),
            "loop one: an iteration index together with fused arguments");
  const Map other = s.mesh.map("other", s.cells, s.rows[0].to(), 1, std::vector<std::int32_t>(30));
  const Kernel only("void only(double *m) { m[0] += 1; }", "only");
  EXPECT_NE(refusal([&] {
              par_loop(only, s.cells, arg(mat, MixedMap({other, s.rows[1]}), s.columns, INC));
            }).find("its sparsity was not made of maps other and column"),
            std::string::npos);
}

TEST(MixedMat, is_multiplied_with_mixed_dats) {
  for (const auto& form :
       {Parameters{{"FORM", 0}}, Parameters{{"FORM", 1}, {"GROUP", 8}, {"LANES", 4}}}) {
    Spaces s(8);
    use_matrix_form(s.mesh, form);
    MixedMat mat =
        s.mesh.mat<double>("A", s.mesh.sparsity(s.rows, s.columns, s.row_dims, s.column_dims));
    double next = 0;
    for (Mat& block : mat)
      for (double& value : block.write<double>()) value = std::fmod(next += 5, 17) - 8;
    const auto vectors = [&](const MixedMap& maps, const std::vector<std::size_t>& dims,
                             double first) {
      std::vector<Dat> parts;
      for (std::size_t p = 0; p < maps.size(); ++p)
        parts.push_back(s.mesh.dat<double>("vector", maps[p].to(), dims[p],
                                           counting<double>(maps[p].to().size() * dims[p], first),
                                           p % 2 == 0 ? DataLayout::soa : DataLayout::aos));
      return MixedDat(parts);
    };
    const MixedDat x = vectors(s.columns, s.column_dims, 1), y = vectors(s.rows, s.row_dims, 1000);
    multiply(mat, x, y);
    std::map<Place, double> expected;
    for (const auto& [at, value] : dense_of(mat))
      expected[at.first] += value * x[at.second.first].read<double>()[at.second.second];
    for (std::size_t p = 0; p < y.size(); ++p) {
      const auto found = read<double>(y[p]);
      for (std::size_t i = 0; i < found.size(); ++i) {
        // A row without entries is 0.
        const auto at = expected.find({p, i});
        ASSERT_EQ(found[i], at == expected.end() ? 0 : at->second) << p << " " << i;
      }
    }
    EXPECT_EQ(refusal([&] { multiply(mat, y, y); }),
              "mixed mat: a mixed dat of 2 parts, expected 3, the column parts");
    EXPECT_EQ(refusal([&] { multiply(mat, x, x); }),
              "mixed mat: a mixed dat of 3 parts, expected 2, the row parts");
  }
}

/// Symmetric and diagonally dominant, between two spaces on one mesh: a ring of cells with nodes
/// between them, two components on nodes; and the same unknowns in one space.
struct Coupled {
  static constexpr std::size_t n = 40;
  Mesh mesh{quiet_options()};
  Set cells = mesh.set("cells", n), nodes = mesh.set("nodes", n), all = mesh.set("all", 3 * n);
  Map own = mesh.map("own", cells, cells, 1, counting<int>(n));
  Map corners = mesh.map("corners", cells, nodes, 2, ring());
  Map merged = mesh.map("merged", cells, all, 5, together());
  MixedMap maps{{corners, own}};
  MixedSparsity sparsity = mesh.sparsity(maps, maps, dims, dims);
  MixedMat mat = mesh.mat<double>("K", sparsity);
  Mat one = mesh.mat<double>("whole", mesh.sparsity(merged, merged));
  Dat weight = mesh.dat<double>("weight", cells, 1, counting<double>(n, 1.0));
  static inline const std::vector<std::size_t> dims{2, 1};

  static std::vector<int> ring() {
    std::vector<int> values;
    for (int c = 0; c < static_cast<int>(n); ++c)
      values.insert(values.end(), {c, (c + 1) % static_cast<int>(n)});
    return values;
  }
  /// Two numbers a node, then one a cell.
  static std::vector<int> together() {
    std::vector<int> values;
    const int count = static_cast<int>(n);
    for (int c = 0; c < count; ++c) {
      const int d = (c + 1) % count;
      values.insert(values.end(), {2 * c, 2 * c + 1, 2 * d, 2 * d + 1, 2 * count + c});
    }
    return values;
  }
  void assemble() {
    const Kernel element(R"(
      void element(const double *weight, double m[5][5]) {
        for (int j = 0; j < 5; ++j)
          for (int k = 0; k < 5; ++k) m[j][k] += j == k ? 5 + weight[0] : -1 - (j + k) % 2 * 0.25;
      })",
                         "element");
    par_loop(element, cells, arg(weight, READ), arg(mat, maps, maps, INC));
    par_loop(element, cells, arg(weight, READ), arg(one, merged, merged, INC));
  }
  MixedDat vector(const std::vector<double>& values) {
    const std::span<const double> span(values);
    return MixedDat({mesh.dat<double>("on nodes", nodes, 2, span.first(2 * n)),
                     mesh.dat<double>("on cells", cells, 1, span.subspan(2 * n))});
  }
  static std::vector<double> values_of(const MixedDat& dat) {
    std::vector<double> both = read<double>(dat[0]), other = read<double>(dat[1]);
    both.insert(both.end(), other.begin(), other.end());
    return both;
  }
  std::vector<double> some() {
    std::vector<double> values;
    for (std::size_t i = 0; i < 3 * n; ++i) values.push_back(std::sin(1 + static_cast<double>(i)));
    return values;
  }
};

TEST(MixedSolve, comes_to_what_one_space_of_all_unknowns_comes_to) {
  for (const auto preconditioner :
       {SolveOptions::Preconditioner::none, SolveOptions::Preconditioner::jacobi}) {
    Coupled c;
    c.assemble();
    SolveOptions options;
    options.relative = 1e-11;
    options.preconditioner = preconditioner;
    const MixedDat b = c.vector(c.some()), x = c.vector(std::vector<double>(3 * c.n));
    const auto mixed = solve(c.mat, x, b, options);
    const Dat whole_b = c.mesh.dat<double>("b", c.all, 1, c.some());
    const Dat whole_x = c.mesh.dat<double>("x", c.all, 1);
    const auto whole = solve(c.one, whole_x, whole_b, options);
    EXPECT_TRUE(mixed.converged);
    EXPECT_GT(mixed.iterations, 3u);
    // Sums in another order; the last step may fall on either side of the limit.
    EXPECT_NEAR(static_cast<double>(mixed.iterations), static_cast<double>(whole.iterations), 1);
    const auto found = Coupled::values_of(x), expected = read<double>(whole_x);
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-9) << i;
    // And it is a solution.
    const MixedDat back = c.vector(std::vector<double>(3 * c.n));
    multiply(c.mat, x, back);
    const auto product = Coupled::values_of(back), right = c.some();
    for (std::size_t i = 0; i < right.size(); ++i) ASSERT_NEAR(product[i], right[i], 1e-9) << i;
  }
}

TEST(MixedSolve, takes_an_operator_of_loops_and_a_diagonal) {
  Coupled c;
  c.assemble();
  SolveOptions options;
  options.relative = 1e-11;
  const MixedDat b = c.vector(c.some()), x = c.vector(std::vector<double>(3 * c.n));
  const MixedDat y = c.vector(std::vector<double>(3 * c.n));
  MixedDat diagonal = c.vector(std::vector<double>(3 * c.n));
  c.mat.diagonal(diagonal);
  const auto by_matrix = solve(c.mat, x, b, options);
  const auto by_operator =
      solve([&](const MixedDat& from, const MixedDat& to) { multiply(c.mat, from, to); }, y, b,
            options, &diagonal);
  EXPECT_EQ(by_matrix.iterations, by_operator.iterations);
  EXPECT_EQ(Coupled::values_of(x), Coupled::values_of(y));
}

TEST(MixedSolve, rows_with_conditions_keep_their_values) {
  Coupled c;
  c.assemble();
  const Indices fixed{0, 7};
  c.mat.zero_rows(0, fixed, 2);
  const auto entries = dense_of(c.mat);
  for (const auto& [at, value] : entries) {
    const auto& [row, column] = at;
    if (row.first == 0 && (row.second / 2 == 0 || row.second / 2 == 7)) {
      EXPECT_EQ(value, row == column ? 2 : 0);
    }
  }
  EXPECT_NE(entries.at({{0, 2}, {1, 0}}), 0);
  EXPECT_EQ(refusal([&] { c.mat.zero_rows(2, fixed); }),
            "mixed mat: rows of part 2 with a diagonal, of 2 x 2 parts");
}

TEST(MixedSolve, what_does_not_fit_is_refused) {
  Coupled c;
  c.assemble();
  const MixedDat b = c.vector(c.some()), x = c.vector(c.some());
  EXPECT_EQ(refusal([&] { solve(c.mat, MixedDat({x[0]}), b); }),
            "solve: a mixed dat of 1 parts, expected 2");
  EXPECT_EQ(refusal([&] {
              solve(c.mat, MixedDat({x[1], x[0]}), b);
            }),
            "solve: dat on cells is on set cells, expected nodes");
  EXPECT_EQ(refusal([&] { solve(c.mat, x, MixedDat({b[0]})); }),
            "solve: mixed dats of 2 and 1 parts, expected as many");
  EXPECT_EQ(refusal([&] {
              solve(c.mat, x, MixedDat({b[0], x[1]}));
            }),
            "solve: dat on cells is the solution and something else, too");
  EXPECT_EQ(refusal([&] {
              solve(c.mat, MixedDat({x[0], c.mesh.dat<float>("f", c.cells, 1)}), b);
            }),
            "solve: dat f is of float, expected double");
  const MixedMat wide(1, 2, {c.mat.block(0, 0), c.mat.block(0, 1)});
  EXPECT_EQ(refusal([&] { solve(wide, x, b); }), "solve: a mixed mat of 1 x 2 parts is not square");
}

TEST(MixedMat, a_product_that_does_not_fit_changes_nothing) {
  Coupled c;
  c.assemble();
  const MixedDat x = c.vector(c.some());
  const MixedDat y(
      {c.mesh.dat<double>("on nodes", c.nodes, 2), c.mesh.dat<double>("wrong", c.cells, 2)});
  EXPECT_EQ(refusal([&] { multiply(c.mat, x, y); }),
            "mat K[1][0]: dat wrong has 2 components, expected 1");
  for (const double value : y[0].read<double>()) ASSERT_EQ(value, 0);
  EXPECT_EQ(refusal([&] { c.mat.diagonal(y); }),
            "mat K[1][1]: dat wrong has 2 components, expected 1");
  for (const double value : y[0].read<double>()) ASSERT_EQ(value, 0);
}

TEST(MixedSolve, boundary_conditions_on_rows_and_columns_are_those_of_a_dense_matrix) {
  for (const std::size_t part : {0u, 1u}) {
    Coupled c;
    c.assemble();
    const MixedDat x = c.vector(counting<double>(3 * c.n, -20.0)),
                   b = c.vector(counting<double>(3 * c.n, 7.0));
    const Indices rows{0, 7, 8};
    const auto is_fixed = [&](const Place& place) {
      const auto row = static_cast<int>(place.first == 0 ? place.second / 2 : place.second);
      return place.first == part && (row == 0 || row == 7 || row == 8);
    };
    const auto value_of = [](const MixedDat& dat, const Place& place) {
      return dat[place.first].read<double>()[place.second];
    };
    auto matrix = dense_of(c.mat);
    std::map<Place, double> side;
    for (std::size_t p = 0; p < 2; ++p)
      for (std::size_t i = 0; i < b[p].read<double>().size(); ++i)
        side[{p, i}] = is_fixed({p, i}) ? 2 * value_of(x, {p, i}) : value_of(b, {p, i});
    for (auto& [at, value] : matrix) {
      const auto& [row, column] = at;
      if (!is_fixed(row) && is_fixed(column)) side[row] -= value * value_of(x, column);
      if (is_fixed(row) || is_fixed(column)) value = row == column ? 2 : 0;
    }
    c.mat.zero_rows_columns(part, rows, x, b, 2);
    EXPECT_EQ(dense_of(c.mat), matrix);
    for (const auto& [place, expected] : side)
      ASSERT_EQ(value_of(b, place), expected) << place.first << " " << place.second;
    // And a solution has the values, wherever it begins.
    const MixedDat solution = c.vector(std::vector<double>(3 * c.n));
    SolveOptions options;
    options.relative = 1e-12;
    ASSERT_TRUE(solve(c.mat, solution, b, options).converged);
    for (const auto& [place, expected] : side)
      if (is_fixed(place)) {
        ASSERT_NEAR(value_of(solution, place), value_of(x, place), 1e-9);
      }
  }
}

TEST(MixedMat, joined_kernels_are_written_once_for_arguments_that_are_made_up_alike) {
  Spaces s(9);
  const auto sparsity = s.mesh.sparsity(s.rows, s.columns, s.row_dims, s.column_dims);
  const MixedMat one = s.mesh.mat<double>("A", sparsity), other = s.mesh.mat<double>("B", sparsity);
  const Dat weight = s.mesh.dat<double>("weight", s.cells, 1, counting<double>(30, 1.0));
  const Kernel kernel = s.kernel("+=", true);
  const auto known = [&] { return Handles::state(kernel)->fused.size(); };
  for (int i = 0; i < 3; ++i)
    par_loop(kernel, s.cells, arg(weight, READ), arg(one, s.rows, s.columns, INC));
  EXPECT_EQ(known(), 1u);
  par_loop(kernel, s.cells, arg(weight, READ), arg(other, s.rows, s.columns, INC));
  EXPECT_EQ(known(), 1u);
  EXPECT_EQ(dense_of(other).size(), dense_of(one).size());
  const auto smaller = s.mesh.sparsity(s.rows, s.columns);
  const MixedMat third = s.mesh.mat<double>("C", smaller);
  refusal(
      [&] { par_loop(kernel, s.cells, arg(weight, READ), arg(third, s.rows, s.columns, INC)); });
  EXPECT_EQ(known(), 2u);
}

}  // namespace
}  // namespace kiln::mesh::testing
