#pragma once

#include <map>
#include <random>
#include <set>
#include <vector>

#include "kiln/mesh/mesh.hpp"

/// Meshes and plain C++ to hold matrices against.
namespace kiln::mesh::testing {

/// On the first device, with nothing kept.
inline Mesh::Options without_store() {
  Mesh::Options options;
  options.store = "off";
  return options;
}

inline std::vector<std::int32_t> random_map(std::size_t elements, std::size_t arity,
                                            std::size_t targets, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::int32_t> one(0, static_cast<std::int32_t>(targets) - 1);
  std::vector<std::int32_t> values(elements * arity);
  for (auto& value : values) value = one(random);
  return values;
}

/// The columns of each row, found the plain way.
using Rows = std::vector<std::set<std::int32_t>>;
inline void add_entries(Rows& rows, const Map& row_map, const Map& column_map,
                        std::size_t layers = 1) {
  const auto target = [](const Map& map, std::size_t element, std::size_t c, std::size_t layer) {
    const std::int32_t base = map.values()[element * map.arity() + c];
    return layer == 0 ? base : base + static_cast<std::int32_t>(layer) * map.offsets()[c];
  };
  for (std::size_t e = 0; e < row_map.from().exec_size(); ++e)
    for (std::size_t layer = 0; layer < layers; ++layer)
      for (std::size_t i = 0; i < row_map.arity(); ++i)
        for (std::size_t j = 0; j < column_map.arity(); ++j)
          rows[static_cast<std::size_t>(target(row_map, e, i, layer))].insert(
              target(column_map, e, j, layer));
}
inline void add_diagonal(Rows& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].insert(static_cast<std::int32_t>(i));
}
inline Rows rows_of(const Sparsity& sparsity) {
  Rows rows(sparsity.rows());
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::int32_t at = sparsity.rowptr()[row]; at < sparsity.rowptr()[row + 1]; ++at)
      rows[row].insert(sparsity.colidx()[static_cast<std::size_t>(at)]);
  return rows;
}

/// A matrix by scalar rows and columns.
using Dense = std::map<std::pair<std::size_t, std::size_t>, double>;
template <class T>
Dense dense(const Mat& mat) {
  Dense entries;
  const Sparsity& sparsity = mat.sparsity();
  const std::size_t rd = sparsity.row_dim(), cd = sparsity.column_dim();
  const auto values = mat.values<T>();
  for (std::size_t row = 0; row < sparsity.rows(); ++row)
    for (auto at = static_cast<std::size_t>(sparsity.rowptr()[row]);
         at < static_cast<std::size_t>(sparsity.rowptr()[row + 1]); ++at)
      for (std::size_t j = 0; j < rd; ++j)
        for (std::size_t k = 0; k < cd; ++k)
          entries[{row * rd + j, static_cast<std::size_t>(sparsity.colidx()[at]) * cd + k}] =
              static_cast<double>(values[(at * rd + j) * cd + k]);
  return entries;
}

}  // namespace kiln::mesh::testing
