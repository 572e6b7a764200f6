#pragma once

#include "kernel/request.hpp"
#include "mesh/matrix/matrix_generator.hpp"

namespace kiln::mesh {

/// The program with the kernel for boundary conditions that keep a matrix symmetric:
///
///     kiln_zero_rows_columns(values, rowptr, colidx, list, count, has_rows, owned, diagonal,
///                            x, x_stride, y, y_stride, rows)
///         columns of the list: entries := 0, and owned rows of y lose what they gave with x;
///         where `has_rows`, the rows of the list, too: entries := 0, their diagonal := diagonal,
///         y := diagonal x
///
/// `list`: `count` block rows, rising. A work-item takes whole rows, so that each row of y has one
/// writer, and is subtracted from in one order. With `in_blocks` a work-item takes `block` rows, an
/// int after `rows`.
inline constexpr const char* boundary_kernel = "kiln_zero_rows_columns";
Request boundary_request(const MatrixShape& shape, bool in_blocks);

}  // namespace kiln::mesh
