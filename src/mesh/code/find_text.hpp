#pragma once

namespace kiln::mesh {

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

}  // namespace kiln::mesh
