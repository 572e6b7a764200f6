// Matrices without assembly: rows, diagonals, single blocks, products.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "mesh/matrix/reference.hpp"
#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Parameters mat_forms[] = {{{"FORM", 0}},
                                {{"FORM", 0}, {"SUMS", 1}, {"BLOCK", 2}},
                                {{"FORM", 0}, {"SUMS", 4}, {"BLOCK", 3}},
                                {{"FORM", 1}, {"GROUP", 8}, {"LANES", 4}}};

/// A matrix over a path of 5 nodes, entries 1, 2, 3, ….
struct Path {
  explicit Path(std::size_t dim = 1, const Parameters* form = nullptr)
      : blocks(mesh.sparsity(ends, ends, dim, dim)), mat(mesh.mat<double>("A", blocks)) {
    if (form != nullptr) use_matrix_form(mesh, *form);
    double next = 0;
    for (auto& value : mat.write<double>()) value = ++next;
  }
  Mesh mesh{without_store()};
  Set edges = mesh.set("edges", 4), nodes = mesh.set("nodes", 5);
  Map ends = mesh.map("ends", edges, nodes, 2, std::vector<std::int32_t>{0, 1, 1, 2, 2, 3, 3, 4});
  Sparsity blocks;
  Mat mat;
};

std::string mat_error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(Mat, is_zero_at_first_and_again_after_zero) {
  for (const auto& form : mat_forms) {
    Path p(2, &form);
    const Mat fresh = p.mesh.mat<double>("B", p.blocks);
    for (const double value : fresh.values<double>()) EXPECT_EQ(value, 0);
    p.mat.zero();
    EXPECT_EQ(p.mat.values<double>().size(), 13u * 4);
    for (const double value : p.mat.values<double>()) EXPECT_EQ(value, 0);
  }
}

TEST(Mat, rows_that_are_zeroed_keep_a_diagonal) {
  for (const auto& form : mat_forms) {
    Path p(2, &form);
    auto expected = dense<double>(p.mat);
    p.mat.zero_rows(std::vector<std::int32_t>{3, 0, 3}, 7);
    for (auto& [at, value] : expected)
      if (at.first / 2 == 0 || at.first / 2 == 3) value = at.first == at.second ? 7 : 0;
    EXPECT_EQ(dense<double>(p.mat), expected);
    const Subset last = p.nodes.subset(std::vector<std::int32_t>{4});
    p.mat.zero_rows(last);
    EXPECT_EQ(dense<double>(p.mat).at({8, 8}), 1);
    EXPECT_EQ(dense<double>(p.mat).at({9, 8}), 0);
  }
}

TEST(Mat, diagonals_are_set_of_all_rows_of_some_and_from_a_dat) {
  for (const auto& form : mat_forms)
    for (const auto layout : {DataLayout::aos, DataLayout::soa}) {
      Path p(2, &form);
      auto expected = dense<double>(p.mat);
      p.mat.set_diagonal(-1);
      p.mat.set_diagonal(std::vector<std::int32_t>{1}, -2);
      for (std::size_t i = 0; i < 10; ++i) expected[{i, i}] = i / 2 == 1 ? -2 : -1;
      EXPECT_EQ(dense<double>(p.mat), expected);
      const std::vector<double> values{10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
      const Dat given = p.mesh.dat<double>("d", p.nodes, 2, values, layout);
      Dat got = p.mesh.dat<double>("e", p.nodes, 2, {}, layout);
      p.mat.set_diagonal(given);
      p.mat.diagonal(got);
      for (std::size_t i = 0; i < 10; ++i) expected[{i, i}] = values[i];
      EXPECT_EQ(dense<double>(p.mat), expected);
      EXPECT_THAT(got.read<double>(), ::testing::ElementsAreArray(values));
    }
}

TEST(Mat, takes_single_blocks_from_the_host) {
  Path p(2);
  p.mat.zero();
  const std::vector<std::int32_t> rows{1}, columns{2, 0};
  const std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8};
  p.mat.set_values<double>(rows, columns, values);
  p.mat.add_values<double>(rows, columns, values);
  auto entries = dense<double>(p.mat);
  EXPECT_EQ((entries[{2, 4}]), 2);
  EXPECT_EQ((entries[{2, 5}]), 4);
  EXPECT_EQ((entries[{2, 0}]), 6);
  EXPECT_EQ((entries[{3, 4}]), 10);
  EXPECT_EQ((entries[{3, 1}]), 16);
  EXPECT_EQ((entries[{2, 2}]), 0);
}

TEST(Mat, refuses_what_does_not_fit) {
  Path p;
  const std::vector<double> one{1};
  const auto put = [&](std::int32_t row, std::int32_t column) {
    return mat_error_of([&] {
      p.mat.add_values<double>(std::vector<std::int32_t>{row}, std::vector<std::int32_t>{column},
                               one);
    });
  };
  EXPECT_THAT(put(0, 2), HasSubstr("mat A: block (0, 2) is not in its sparsity"));
  EXPECT_THAT(put(-1, 0), HasSubstr("block (-1, 0)"));
  EXPECT_THAT(put(5, 0), HasSubstr("block (5, 0)"));
  EXPECT_THAT(mat_error_of([&] { p.mat.zero_rows(std::vector<std::int32_t>{5}); }),
              HasSubstr("index 5"));
  const Dat wide = p.mesh.dat<double>("wide", p.nodes, 2);
  const Dat single = p.mesh.dat<float>("single", p.nodes, 1);
  const Dat edge = p.mesh.dat<double>("edge", p.edges, 1);
  const Dat x = p.mesh.dat<double>("x", p.nodes, 1), y = p.mesh.dat<double>("y", p.nodes, 1);
  EXPECT_THAT(mat_error_of([&] { multiply(p.mat, wide, y); }),
              HasSubstr("dat wide has 2 components, expected 1"));
  EXPECT_THAT(mat_error_of([&] { multiply(p.mat, single, y); }),
              HasSubstr("dat single is of float, expected double"));
  EXPECT_THAT(mat_error_of([&] { multiply(p.mat, x, edge); }),
              HasSubstr("dat edge is on set edges, expected nodes"));
  EXPECT_THAT(mat_error_of([&] { multiply(p.mat, x, x); }), HasSubstr("both x and y"));
  const Map own = p.mesh.map("own", p.edges, p.edges, 1, std::vector<std::int32_t>{0, 1, 2, 3});
  Mat wide_mat = p.mesh.mat<double>("W", p.mesh.sparsity(p.ends, own));
  EXPECT_THAT(mat_error_of([&] { wide_mat.set_diagonal(1); }), HasSubstr("expected the same set"));
  Mat flat = p.mesh.mat<double>("F", p.mesh.sparsity(p.ends, p.ends, 1, 2));
  EXPECT_THAT(mat_error_of([&] { flat.zero_rows(std::vector<std::int32_t>{0}); }),
              HasSubstr("blocks of 1 x 2"));
}

TEST(Mat, products_come_between_the_loops_before_and_after_them) {
  Path p;
  p.mat.zero();
  p.mat.set_diagonal(3);
  const Dat x = p.mesh.dat<double>("x", p.nodes, 1), y = p.mesh.dat<double>("y", p.nodes, 1);
  const Kernel put("void put(double *x) { x[0] = 2; }", "put");
  const Kernel twice("void twice(double *x) { x[0] *= 2; }", "twice");
  par_loop(put, p.nodes, arg(x, WRITE));
  multiply(p.mat, x, y);
  par_loop(twice, p.nodes, arg(x, RW));  // too late for y
  par_loop(twice, p.nodes, arg(y, RW));
  EXPECT_THAT(y.read<double>(), ElementsAre(12, 12, 12, 12, 12));
  EXPECT_THAT(x.read<double>(), ElementsAre(4, 4, 4, 4, 4));
  const Kernel one("void one(double *m) { for (int k = 0; k < 4; ++k) m[k] = 1; }", "one");
  par_loop(one, p.edges, arg(p.mat, p.ends, p.ends, INC));
  multiply(p.mat, x, y);
  EXPECT_THAT(y.read<double>(), ElementsAre(20, 28, 28, 28, 20));
}

TEST(Mat, memory_that_goes_is_waited_for) {
  Path p;
  for (int round = 0; round < 50; ++round) {
    const Dat y = p.mesh.dat<double>("y", p.nodes, 1);
    const Mat copy = p.mesh.mat<double>("C", p.mesh.sparsity(p.ends, p.ends));
    multiply(copy, p.mesh.dat<double>("x", p.nodes, 1), y);
  }
  p.mesh.finish();
  EXPECT_EQ(p.mat.values<double>()[0], 1);
}

template <class T>
void check_product(Mesh& mesh) {
  const auto elements = *rc::gen::inRange<std::size_t>(0, 60);
  const auto rd = *rc::gen::element<std::size_t>(1, 2), cd = *rc::gen::element<std::size_t>(1, 3);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto x_layout = *rc::gen::element(DataLayout::aos, DataLayout::soa);
  const auto y_layout = *rc::gen::element(DataLayout::aos, DataLayout::soa);
  const std::size_t owned = *rc::gen::inRange<std::size_t>(1, 30);
  const Set from = mesh.set("from", elements), columns = mesh.set("columns", 25);
  const Set rows = mesh.set("rows", {owned, owned, owned, owned + 3});
  const Map r = mesh.map("r", from, rows, 2, random_map(elements, 2, owned + 3, seed));
  const Map c = mesh.map("c", from, columns, 3, random_map(elements, 3, 25, seed + 1));
  Mat mat = mesh.mat<T>("A", mesh.sparsity(r, c, rd, cd));
  // Small integers: sums are exact in any order.
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> number(-8, 8);
  for (auto& value : mat.write<T>()) value = static_cast<T>(number(random));
  std::vector<T> x(25 * cd), y((owned + 3) * rd, T{77}), expected = y;
  for (auto& value : x) value = static_cast<T>(number(random));
  const Dat from_x = mesh.dat<T>("x", columns, cd, x, x_layout);
  const Dat to_y = mesh.dat<T>("y", rows, rd, y, y_layout);
  multiply(mat, from_x, to_y);
  std::fill(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(owned * rd), T{0});
  for (const auto& [at, value] : dense<T>(mat))
    if (at.first < owned * rd)
      expected[at.first] += static_cast<T>(value * static_cast<double>(x[at.second]));
  const auto got = to_y.read<T>();
  RC_ASSERT(std::vector<T>(got.begin(), got.end()) == expected);
}

/// One Mesh for all cases: each program is compiled once.
template <class T>
void expect_products(const Parameters& form) {
  Mesh mesh(without_store());
  use_matrix_form(mesh, form);
  EXPECT_TRUE(rc::check([&] { check_product<T>(mesh); }));
}
TEST(MatProperty, products_in_blocks_are_those_of_dense_matrices) {
  expect_products<double>(mat_forms[0]);
}
TEST(MatProperty, products_by_lanes_are_those_of_dense_matrices) {
  expect_products<float>(mat_forms[1]);
}
TEST(MatProperty, products_of_whole_numbers_are_exact) {
  expect_products<std::int32_t>(mat_forms[0]);
}

/// Boundary conditions on rows and columns, as of a dense matrix.
template <class T>
void expect_rows_and_columns(const Parameters& form, std::size_t dim, DataLayout layout,
                             std::uint32_t seed) {
  SCOPED_TRACE(::testing::Message() << "seed " << seed << ", dim " << dim);
  Mesh mesh(without_store());
  use_matrix_form(mesh, form);
  std::mt19937 random(seed);
  const auto number = [&] { return static_cast<T>(static_cast<int>(random() % 17) - 8); };
  const Set cells = mesh.set("cells", 60), nodes = mesh.set("nodes", 40);
  const Map corners = mesh.map("corners", cells, nodes, 3, random_map(60, 3, 40, seed));
  Mat mat = mesh.mat<T>("A", mesh.sparsity(corners, corners, dim, dim));
  for (auto& value : mat.template write<T>()) value = number();
  Dat x = mesh.dat<T>("x", nodes, dim, {}, layout), b = mesh.dat<T>("b", nodes, dim, {}, layout);
  for (auto& value : x.template write<T>()) value = number();
  for (auto& value : b.template write<T>()) value = number();
  std::vector<std::int32_t> rows;
  for (std::int32_t row = 0; row < 40; ++row)
    if (random() % 4 == 0) rows.push_back(row);
  const auto is_fixed = [&](std::size_t scalar) {
    return std::find(rows.begin(), rows.end(), static_cast<std::int32_t>(scalar / dim)) !=
           rows.end();
  };
  auto matrix = dense<T>(mat);
  const auto given = x.template read<T>();
  std::vector<T> side(b.template read<T>().begin(), b.template read<T>().end());
  for (auto& [at, value] : matrix) {
    if (!is_fixed(at.first) && is_fixed(at.second))
      side[at.first] = static_cast<T>(side[at.first] - static_cast<T>(value) * given[at.second]);
    if (is_fixed(at.first) || is_fixed(at.second)) value = at.first == at.second ? 5 : 0;
  }
  for (std::size_t i = 0; i < side.size(); ++i)
    if (is_fixed(i)) side[i] = static_cast<T>(5 * given[i]);
  mat.zero_rows_columns(rows, x, b, 5);
  EXPECT_EQ(dense<T>(mat), matrix);
  EXPECT_EQ(std::vector<T>(b.template read<T>().begin(), b.template read<T>().end()), side);
}

TEST(Mat, rows_and_columns_of_boundary_conditions_are_those_of_a_dense_matrix) {
  std::uint32_t seed = 1;
  for (const auto& form : mat_forms)
    for (const std::size_t dim : {1u, 2u, 3u})
      for (const auto layout : {DataLayout::aos, DataLayout::soa}) {
        expect_rows_and_columns<double>(form, dim, layout, seed++);
        expect_rows_and_columns<std::int32_t>(form, dim, layout, seed++);
      }
}

TEST(Mat, boundary_conditions_are_refused_where_something_does_not_fit) {
  Path p;
  const Dat x = p.mesh.dat<double>("x", p.nodes, 1), b = p.mesh.dat<double>("b", p.nodes, 1);
  const Dat wide = p.mesh.dat<double>("wide", p.nodes, 2);
  const std::vector<std::int32_t> rows{0};
  EXPECT_THAT(mat_error_of([&] { p.mat.zero_rows_columns(rows, x, x); }),
              HasSubstr("both x and y"));
  EXPECT_THAT(mat_error_of([&] { p.mat.zero_rows_columns(rows, x, wide); }),
              HasSubstr("dat wide has 2 components, expected 1"));
  EXPECT_THAT(mat_error_of([&] { p.mat.zero_rows_columns(std::vector<std::int32_t>{5}, x, b); }),
              HasSubstr("outside"));
  EXPECT_THAT(mat_error_of([&] { p.mat.zero_rows_columns(p.edges.subset(rows), x, b); }),
              HasSubstr("rows of set edges, expected nodes"));
}

}  // namespace
}  // namespace kiln::mesh::testing
