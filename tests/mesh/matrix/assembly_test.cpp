// Loops that assemble matrices, by the public calls and in all forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mesh/matrix/reference.hpp"
#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t cell_count = 400, node_count = 130, arity = 3;

/// Cells with three different corners each.
std::vector<std::int32_t> corners() {
  auto values = random_map(cell_count, arity, node_count, 3);
  for (std::size_t e = 0; e < cell_count; ++e)
    for (std::size_t c = 1; c < arity; ++c)
      values[e * arity + c] =
          (values[e * arity] + static_cast<std::int32_t>(7 * c)) % static_cast<int>(node_count);
  return values;
}
double weight_of(std::size_t cell) { return static_cast<double>(cell % 17) + 1; }
std::vector<double> weights() {
  std::vector<double> all;
  for (std::size_t e = 0; e < cell_count; ++e) all.push_back(weight_of(e));
  return all;
}

struct Cells {
  explicit Cells(const Parameters* form = nullptr) {
    if (form != nullptr) use_form(mesh, *form);
  }
  Mesh mesh{without_store()};
  Set cell = mesh.set("cells", cell_count), node = mesh.set("nodes", node_count);
  Map corner = mesh.map("corner", cell, node, arity, corners());
  Dat weight = mesh.dat<double>("weight", cell, 1, weights());
};

/// Element matrices of weight * (10 i + j + 1), i and j counting rows and columns of the element;
/// all entries of the pattern are there.
Dense assembled(const Sparsity& sparsity, std::span<const std::int32_t> corner,
                std::span<const std::int32_t> only = {}) {
  Dense entries;
  const std::size_t rd = sparsity.row_dim(), cd = sparsity.column_dim();
  const auto rows = rows_of(sparsity);
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (const auto column : rows[row])
      for (std::size_t j = 0; j < rd * cd; ++j)
        entries[{row * rd + j / cd, static_cast<std::size_t>(column) * cd + j % cd}] = 0;
  for (std::size_t e = 0; e < cell_count; ++e) {
    if (!only.empty() && std::find(only.begin(), only.end(), static_cast<int>(e)) == only.end())
      continue;
    for (std::size_t i = 0; i < arity * rd; ++i)
      for (std::size_t j = 0; j < arity * cd; ++j) {
        const auto row = static_cast<std::size_t>(corner[e * arity + i / rd]);
        const auto column = static_cast<std::size_t>(corner[e * arity + j / cd]);
        entries[{row * rd + i % rd, column * cd + j % cd}] +=
            weight_of(e) * static_cast<double>(10 * i + j + 1);
      }
  }
  return entries;
}

/// A kernel that gets an element's whole matrix.
Kernel whole(std::size_t rows, std::size_t columns) {
  return Kernel("void whole(double *m, const double *w) {\n  for (int i = 0; i < " +
                    std::to_string(rows) + "; ++i)\n    for (int j = 0; j < " +
                    std::to_string(columns) + "; ++j) m[i * " + std::to_string(columns) +
                    " + j] += w[0] * (10 * i + j + 1);\n}\n",
                "whole");
}

const Parameters assembly_forms[] = {
    {{"FORM", 0}, {"BLOCK", 64}}, {{"FORM", 1}, {"GROUP", 4}}, {{"FORM", 2}, {"GROUP", 4}}};

TEST(Assembly, by_iteration_indices_gives_the_sum_of_element_matrices_in_every_form) {
  const Kernel entry(
      "void entry(double m[1][1], const double *w, int i, int j) { m[0][0] += w[0] * (10 * i + j + "
      "1); }",
      "entry");
  for (const auto& form : assembly_forms) {
    Cells c(&form);
    const Mat mat = c.mesh.mat<double>("m", c.mesh.sparsity(c.corner, c.corner));
    par_loop(entry, c.cell, arg(mat, c.corner[index(0)], c.corner[index(1)], INC),
             arg(c.weight, READ));
    EXPECT_EQ(dense<double>(mat), assembled(mat.sparsity(), c.corner.values()));
  }
}

TEST(Assembly, of_whole_element_matrices_of_blocks_in_every_form) {
  for (const auto& form : assembly_forms)
    for (const auto& [rd, cd] : {std::pair{1, 1}, {2, 2}, {3, 1}, {1, 2}}) {
      Cells c(&form);
      const Mat mat = c.mesh.mat<double>("m", c.mesh.sparsity(c.corner, c.corner, rd, cd));
      par_loop(whole(arity * rd, arity * cd), c.cell, arg(mat, c.corner, c.corner, INC),
               arg(c.weight, READ));
      EXPECT_EQ(dense<double>(mat), assembled(mat.sparsity(), c.corner.values()));
    }
}

TEST(Assembly, adds_to_what_is_there_and_may_be_of_floats) {
  for (const auto& form : assembly_forms) {
    Cells c(&form);
    const Mat mat = c.mesh.mat<float>("m", c.mesh.sparsity(c.corner, c.corner));
    const Kernel kernel(
        "void one(float *m, const double *w) { for (int k = 0; k < 9; ++k) m[k] = w[0] * (10 * (k "
        "/ 3) + k % 3 + 1); }",
        "one");
    for (int round = 0; round < 2; ++round)
      par_loop(kernel, c.cell, arg(mat, c.corner, c.corner, INC), arg(c.weight, READ));
    auto expected = assembled(mat.sparsity(), c.corner.values());
    for (auto& [at, value] : expected) value *= 2;
    EXPECT_EQ(dense<float>(mat), expected);
  }
}

TEST(Assembly, over_a_subset_takes_its_elements_alone) {
  Cells c;
  const std::vector<std::int32_t> some{3, 17, 18, 250, 399};
  const Mat mat = c.mesh.mat<double>("m", c.mesh.sparsity(c.corner, c.corner));
  par_loop(whole(3, 3), c.cell.subset(some), arg(mat, c.corner, c.corner, INC),
           arg(c.weight, READ));
  EXPECT_EQ(dense<double>(mat), assembled(mat.sparsity(), c.corner.values(), some));
}

TEST(Assembly, of_two_pairs_of_maps_goes_to_one_matrix) {
  Cells c;
  std::vector<std::int32_t> mirrored(c.corner.values().begin(), c.corner.values().end());
  for (auto& value : mirrored) value = static_cast<int>(node_count) - 1 - value;
  const Map mirror = c.mesh.map("mirror", c.cell, c.node, arity, mirrored);
  const std::pair<Map, Map> pairs[] = {{c.corner, c.corner}, {mirror, mirror}};
  const Mat mat = c.mesh.mat<double>("m", c.mesh.sparsity(pairs));
  par_loop(whole(3, 3), c.cell, arg(mat, c.corner, c.corner, INC), arg(c.weight, READ));
  par_loop(whole(3, 3), c.cell, arg(mat, mirror, mirror, INC), arg(c.weight, READ));
  auto expected = assembled(mat.sparsity(), c.corner.values());
  for (const auto& [at, value] : assembled(mat.sparsity(), mirrored)) expected[at] += value;
  EXPECT_EQ(dense<double>(mat), expected);
}

TEST(Assembly, by_write_replaces_entries) {
  Cells c;
  Mat mat = c.mesh.mat<double>("m", c.mesh.sparsity(c.corner, c.corner));
  for (auto& value : mat.write<double>()) value = -5;
  std::vector<int> numbers(node_count);
  for (std::size_t i = 0; i < node_count; ++i) numbers[i] = static_cast<int>(i);
  const Dat number = c.mesh.dat<int>("number", c.node, 1, numbers);
  par_loop(Kernel("void put(double m[3][3], int **n) { for (int i = 0; i < 3; ++i) for (int j = 0; "
                  "j < 3; ++j) m[i][j] = 1000 * n[i][0] + n[j][0]; }",
                  "put"),
           c.cell, arg(mat, c.corner, c.corner, WRITE), arg(number, c.corner, READ));
  auto expected = assembled(mat.sparsity(), c.corner.values());
  for (auto& [at, value] : expected)
    value = value == 0 ? -5 : static_cast<double>(1000 * at.first + at.second);
  EXPECT_EQ(dense<double>(mat), expected);
}

TEST(Assembly, over_columns_goes_up_by_the_offsets) {
  Mesh mesh(without_store());
  const Set base = mesh.set("base", 2), node = mesh.set("nodes", 12);
  const Map map = mesh.map("corner", base, node, 2, std::vector<std::int32_t>{0, 4, 4, 8},
                           std::vector<std::int32_t>{1, 1});
  const std::pair<Map, Map> pair{map, map};
  const ExtrudedSet columns = base.extruded(4);
  const Mat mat = mesh.mat<double>("m", mesh.sparsity(columns, {&pair, 1}));
  par_loop(Kernel("void one(double *m) { for (int k = 0; k < 4; ++k) m[k] = 1; }", "one"), columns,
           arg(mat, map, map, INC));
  const auto entries = dense<double>(mat);
  EXPECT_EQ(entries.at({4, 4}), 2);
  EXPECT_EQ(entries.at({6, 10}), 1);
  EXPECT_EQ(entries.at({6, 6}), 2);
  EXPECT_EQ(entries.at({7, 7}), 0);  // three cells have no fourth
  EXPECT_FALSE(entries.contains({7, 11}));
}

TEST(Assembly, through_maps_that_the_sparsity_does_not_know_is_refused) {
  Cells c;
  const Mat mat = c.mesh.mat<double>("m", c.mesh.sparsity(c.corner, c.corner));
  auto other = corners();
  other[5] = 0;
  const Map strange = c.mesh.map("strange", c.cell, c.node, arity, other);
  const auto loop = [&](const Map& rows, const Map& columns) {
    par_loop(whole(3, 3), c.cell, arg(mat, rows, columns, INC), arg(c.weight, READ));
  };
  EXPECT_THAT(refusal([&] { loop(strange, strange); }),
              HasSubstr("argument 0 (mat m): its sparsity was not made of maps strange and "
                        "strange"));
  EXPECT_THAT(refusal([&] { loop(c.corner, strange); }), HasSubstr("it may lack entries"));
  loop(c.corner, c.corner);
  c.corner.set_values(other);
  EXPECT_THAT(refusal([&] { loop(c.corner, c.corner); }), HasSubstr("as they are now"));
}

TEST(Assembly, with_arguments_that_do_not_fit_is_refused) {
  Cells c;
  const Mat mat = c.mesh.mat<double>("m", c.mesh.sparsity(c.corner, c.corner));
  EXPECT_THAT(refusal([&] { arg(mat, c.corner[0], c.corner[1], INC); }),
              HasSubstr("mat m: one component of a map"));
  EXPECT_THAT(refusal([&] {
                par_loop(whole(3, 3), c.cell, arg(mat, c.corner, c.corner, READ),
                         arg(c.weight, READ));
              }),
              HasSubstr("access READ, expected INC or WRITE"));
  EXPECT_THAT(refusal([&] {
                par_loop(whole(3, 3), c.cell, arg(mat, c.corner, c.corner, INC).flatten(),
                         arg(c.weight, READ));
              }),
              HasSubstr("flatten()"));
  EXPECT_THAT(refusal([&] { mat.values<float>(); }), HasSubstr("mat m is of double, not float"));
}

}  // namespace
}  // namespace kiln::mesh::testing
