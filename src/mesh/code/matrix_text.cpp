// How an element's block goes into a matrix.
#include <fmt/format.h>

#include "mesh/code/element_text.hpp"

namespace kiln::mesh {

using Via = ArgShape::Via;

/// Adds or writes a local block, entry by entry: each pair of a row's and a column's element is one
/// block of the matrix, found in its row by bisection.
std::string ElementText::matrix_store(std::size_t i) const {
  const ArgShape& a = shape_.arguments[i];
  const bool all_rows = a.via == Via::all, all_columns = a.column_index < 0;
  const int rows = all_rows ? a.arity : 1, columns = all_columns ? a.column_arity : 1;
  const int width = columns * a.column_dim;
  std::string text;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      const std::string row = all_rows ? std::to_string(r) : component_of(a);
      const std::string column =
          all_columns ? std::to_string(c) : fmt::format("i{}", a.column_index);
      text += fmt::format(
          "    {{\n      const int kiln_at = kiln_find(kiln_rowptr{0}, kiln_colidx{0}, "
          "kiln_m{1}_{2}_0, kiln_m{3}_{4}_0);\n",
          a.data, a.map, row, a.column_map, column);
      const std::string block = fmt::format("(({} *)kiln_a{})", name_of(a.type), i);
      for (int j = 0; j < a.dim; ++j)
        for (int k = 0; k < a.column_dim; ++k) {
          const std::string from =
              fmt::format("{}[{}]", block, (r * a.dim + j) * width + c * a.column_dim + k);
          const std::string to = fmt::format("kiln_values{}[(size_t)kiln_at * {} + {}]", a.data,
                                             a.dim * a.column_dim, j * a.column_dim + k);
          if (a.access == Access::inc && form_.commit == Commit::atomic)
            text += fmt::format("      if (kiln_at >= 0) kiln_add_{}(&{}, {});\n", name_of(a.type),
                                to, from);
          else
            text += fmt::format("      if (kiln_at >= 0) {} {} {};\n", to,
                                a.access == Access::inc ? "+=" : "=", from);
        }
      text += "    }\n";
    }
  return text;
}

}  // namespace kiln::mesh
