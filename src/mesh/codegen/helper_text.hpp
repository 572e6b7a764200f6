#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "mesh/codegen/layout.hpp"
#include "mesh/model/scalar.hpp"

namespace kiln::mesh {

/// The head of a loop over the components kiln_k of something. Short ones are to be unrolled:
/// PoCL leaves loops of four rounds standing, and then what they go through stays in memory.
inline std::string over_components(int count) {
  return fmt::format("{}for (int kiln_k = 0; kiln_k < {}; ++kiln_k)",
                     count <= 32 ? "_Pragma(\"unroll\") " : "", count);
}

/// OpenCL C: the position of a block in a CSR row, or -1 where the sparsity has none.
inline constexpr const char* find_text =
    R"(static int kiln_find(__global const int *kiln_rowptr, __global const int *kiln_colidx, int kiln_row, int kiln_column) {
  int kiln_low = kiln_rowptr[kiln_row], kiln_end = kiln_rowptr[kiln_row + 1], kiln_high = kiln_end;
  while (kiln_low < kiln_high) {
    const int kiln_middle = kiln_low + (kiln_high - kiln_low) / 2;
    if (kiln_colidx[kiln_middle] < kiln_column) kiln_low = kiln_middle + 1; else kiln_high = kiln_middle;
  }
  return kiln_low < kiln_end && kiln_colidx[kiln_low] == kiln_column ? kiln_low : -1;
}
)";

/// Functions that a loop's kernel calls: bisection in a matrix's row, atomic additions,
/// non-temporal stores. Those that it needs only.
std::string helper_text(const LoopShape& shape, const Parameters& parameters);

/// Elements lie in memory row by row; lanes want one component of several elements each: the
/// transpose. Its text moves whole pieces of elements and then exchanges numbers within such pieces
/// only, which CPUs do with one instruction for each vector. Written out in these steps, since
/// compilers find worse ones by themselves.
struct Transpose {
  ScalarType type = ScalarType::f64;
  int lanes = 1, dim = 1;

  /// Numbers that move together.
  int piece() const { return dim % 4 == 0 && lanes % 4 == 0 ? 4 : 2; }
  /// Whether elements and lanes come in whole pieces.
  bool possible() const {
    return lanes > 1 && dim % piece() == 0 && lanes % piece() == 0 && size_of(type) >= 4;
  }
  /// `name`[k], vectors of lanes, from the elements that `rows` point to, one for each lane.
  std::string to_lanes(const std::string& name, const std::vector<std::string>& rows) const;
  /// Declares the pieces of `name`'s elements.
  std::string to_rows(const std::string& name) const;
  /// One of them: numbers `piece() * number` … of a lane's element.
  std::string row_piece(const std::string& name, int lane, int number) const;

 private:
  std::string vector(int width) const;
  std::string settle(const std::string& name) const;
  std::string exchange(const std::vector<std::string>& from, const std::vector<std::string>& to,
                       const std::string& made) const;
};

}  // namespace kiln::mesh
