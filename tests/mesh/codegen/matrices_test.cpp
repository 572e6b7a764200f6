// Assembly: local blocks into CSR, by colours and by atomics.
#include <gtest/gtest.h>

#include <set>

#include "mesh/codegen/loop_data.hpp"

namespace kiln::mesh::testing {
namespace {

constexpr int cell_count = 23, node_count = 14, arity = 3;

/// A Mat argument of rows and columns through Map 0; extents or whole local matrices.
ArgShape mat(Access access, bool indexed, int dim = 1) {
  ArgShape a;
  a.kind = ArgShape::Kind::mat;
  a.type = ScalarType::f64;
  a.dim = a.column_dim = dim;
  a.access = access;
  a.map = a.column_map = 0;
  a.arity = a.column_arity = arity;
  a.via = indexed ? ArgShape::Via::index : ArgShape::Via::all;
  a.index = indexed ? 0 : -1;
  a.column_index = indexed ? 1 : -1;
  return a;
}

LoopData mesh(int dim) {
  LoopData data;
  data.end = cell_count;
  data.targets = {node_count};
  data.maps = {{}};
  std::vector<std::set<int>> rows(node_count);
  for (int c = 0; c < cell_count; ++c) {
    const int n[] = {(5 * c) % node_count, (5 * c + 3) % node_count, (5 * c + 8) % node_count};
    data.maps[0].insert(data.maps[0].end(), std::begin(n), std::end(n));
    for (const int i : n) rows[static_cast<std::size_t>(i)].insert(std::begin(n), std::end(n));
  }
  auto& csr = data.sparsities[0];
  csr.rowptr = {0};
  for (const auto& row : rows) {
    csr.colidx.insert(csr.colidx.end(), row.begin(), row.end());
    csr.rowptr.push_back(static_cast<int>(csr.colidx.size()));
  }
  data.mats = {
      {0, raw(std::vector<double>(csr.colidx.size() * static_cast<std::size_t>(dim * dim)))}};
  std::vector<double> weights(cell_count);
  for (int c = 0; c < cell_count; ++c) weights[static_cast<std::size_t>(c)] = c + 1;
  data.dats = {{0, raw(weights)}};
  return data;
}

/// What assembly of weight * (10 i + j + 1), i and j counting local rows and columns, gives.
std::vector<double> assembled(const LoopData& data, int dim, bool adds) {
  const auto& csr = data.sparsities.at(0);
  std::vector<double> expected(csr.colidx.size() * static_cast<std::size_t>(dim * dim));
  for (int c = 0; c < cell_count; ++c)
    for (int i = 0; i < arity * dim; ++i)
      for (int j = 0; j < arity * dim; ++j) {
        const int row = data.maps[0][static_cast<std::size_t>(c * arity + i / dim)];
        const int column = data.maps[0][static_cast<std::size_t>(c * arity + j / dim)];
        int at = csr.rowptr[static_cast<std::size_t>(row)];
        while (csr.colidx[static_cast<std::size_t>(at)] != column) ++at;
        double& entry = expected[static_cast<std::size_t>((at * dim + i % dim) * dim + j % dim)];
        const double value = adds ? (c + 1) * (10 * i + j + 1) : 10 * row + column;
        entry = adds ? entry + value : value;
      }
  return expected;
}

const Parameters forms[] = {
    {{"FORM", 0}, {"LANES", 8}}, {{"FORM", 1}, {"GROUP", 4}}, {{"FORM", 2}, {"GROUP", 4}}};

TEST(Matrices, gain_an_entry_for_each_point_of_the_iteration_indices) {
  auto shape = loop(
      "void entry(double m[1][1], const double *w, int i, int j) { m[0][0] += *w * (10 * i + j + "
      "1); }",
      "entry", {mat(Access::inc, true), direct(0, 1, Access::read, ScalarType::f64)});
  shape.extents = {arity, arity};
  for (const auto& form : forms) {
    LoopData data = mesh(1);
    const auto expected = assembled(data, 1, true);
    run_loop(shape, form, data);
    EXPECT_EQ(values<double>(data.mats[0]), expected);
  }
}

TEST(Matrices, gain_whole_local_matrices_of_blocks) {
  for (const int dim : {1, 2}) {
    const std::string n = std::to_string(arity * dim);
    const auto shape =
        loop("void whole(double *m, const double *w) { for (int i = 0; i < " + n +
                 "; ++i) for (int j = 0; j < " + n + "; ++j) m[i * " + n +
                 " + j] += *w * (10 * i + j + 1); }",
             "whole", {mat(Access::inc, false, dim), direct(0, 1, Access::read, ScalarType::f64)});
    for (const auto& form : forms) {
      LoopData data = mesh(dim);
      const auto expected = assembled(data, dim, true);
      run_loop(shape, form, data);
      EXPECT_EQ(values<double>(data.mats[0]), expected);
    }
  }
}

TEST(Matrices, take_what_is_written) {
  const auto shape = loop(
      "void put(double m[3][3], int **node) { for (int i = 0; i < 3; ++i) for (int j = 0; j < 3; "
      "++j) m[i][j] = 10 * *node[i] + *node[j]; }",
      "put", {mat(Access::write, false), through_all(direct(0, 1, Access::read), 0, 0, arity)});
  for (const auto& form : {forms[0], forms[2]}) {
    LoopData data = mesh(1);
    std::vector<int> numbers(node_count);
    for (int i = 0; i < node_count; ++i) numbers[static_cast<std::size_t>(i)] = i;
    data.dats = {{0, raw(numbers)}};
    const auto expected = assembled(data, 1, false);
    run_loop(shape, form, data);
    EXPECT_EQ(values<double>(data.mats[0]), expected);
  }
}

}  // namespace
}  // namespace kiln::mesh::testing
