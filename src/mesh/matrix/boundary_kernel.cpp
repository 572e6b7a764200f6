#include "mesh/matrix/boundary_kernel.hpp"

#include <fmt/format.h>

namespace kiln::mesh {
namespace {

/// Numbers of a vector, by element and component.
std::string access_macro(const char* macro, const char* name, bool soa, int dim) {
  return soa && dim > 1
             ? fmt::format("#define {}(e, k) {}[(size_t)(k) * {}_stride + (e)]\n", macro, name,
                           name)
             : fmt::format("#define {}(e, k) {}[(size_t)(e) * {} + (k)]\n", macro, name, dim);
}

// The list is searched for each entry: marks of all rows would be memory of their own.
constexpr const char* boundary_text = R"(
static int kiln_has(__global const int *list, int count, int row) {
  int low = 0, high = count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (list[middle] < row) low = middle + 1; else high = middle;
  }
  return low < count && list[low] == row;
}
__kernel void kiln_zero_rows_columns(
    __global T *restrict values, __global const int *restrict rowptr,
    __global const int *restrict colidx, __global const int *restrict list, const int count,
    const int has_rows, const int owned, const T diagonal, __global const T *restrict x,
    const long x_stride, __global T *restrict y, const long y_stride, const int rows BLOCK) {
  for (int row = BEGIN; row < END; row += STEP) {
    const int is_listed = has_rows && kiln_has(list, count, row), stop = rowptr[row + 1];
    for (int at = rowptr[row]; at < stop; ++at) {
      const int column = colidx[at];
      if (!is_listed && !kiln_has(list, count, column)) continue;
      __global T *block = values + (size_t)at * (ROW_DIM * COLUMN_DIM);
      for (int j = 0; j < ROW_DIM; ++j)
        for (int k = 0; k < COLUMN_DIM; ++k) {
          if (!is_listed && row < owned) Y(row, j) -= block[j * COLUMN_DIM + k] * X(column, k);
          block[j * COLUMN_DIM + k] = is_listed && row == column && j == k ? diagonal : 0;
        }
    }
    for (int j = 0; is_listed && row < owned && j < ROW_DIM && j < COLUMN_DIM; ++j)
      Y(row, j) = diagonal * X(row, j);
  }
}
)";

}  // namespace

Request boundary_request(const MatrixShape& shape, bool in_blocks) {
  std::string head = fmt::format(
      "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n"
      "#define T {}\n#define ROW_DIM {}\n#define COLUMN_DIM {}\n",
      name_of(shape.type), shape.row_dim, shape.column_dim);
  head += in_blocks ? "#define BLOCK , const int block\n"
                      "#define BEGIN ((int)get_group_id(0) * block)\n"
                      "#define END min(rows, BEGIN + block)\n#define STEP 1\n"
                    : "#define BLOCK\n#define BEGIN (int)get_global_id(0)\n#define END rows\n"
                      "#define STEP (int)get_global_size(0)\n";
  head += access_macro("X", "x", shape.x_soa, shape.column_dim);
  head += access_macro("Y", "y", shape.y_soa, shape.row_dim);
  Request request;
  request.family = "source";
  request.source = value_or_throw(from_text(head + boundary_text, "mesh matrix boundary"));
  request.options = value_or_throw(build_options({}, {"-cl-std=CL1.2"}));
  request.label = "mesh matrix boundary";
  return request;
}

}  // namespace kiln::mesh
