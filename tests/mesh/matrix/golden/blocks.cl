#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define T double
#define ROW_DIM 2
#define COLUMN_DIM 3
#define GROUP 1
#define LANES 1
#define HEAD __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
#define MATRIX __global T *restrict values, __global const int *restrict rowptr, \
    __global const int *restrict colidx
#define BLOCK_OF(first, rows) \
  const int begin = first + (int)get_group_id(0) * block; \
  const int end = rows - begin < block ? rows : begin + block;
#define X(e, k) x[(size_t)(k) * x_stride + (e)]
#define Y(e, k) y[(size_t)(k) * y_stride + (e)]
static int kiln_find(__global const int *kiln_rowptr, __global const int *kiln_colidx, int kiln_row, int kiln_column) {
  int kiln_low = kiln_rowptr[kiln_row], kiln_end = kiln_rowptr[kiln_row + 1], kiln_high = kiln_end;
  while (kiln_low < kiln_high) {
    const int kiln_middle = kiln_low + (kiln_high - kiln_low) / 2;
    if (kiln_colidx[kiln_middle] < kiln_column) kiln_low = kiln_middle + 1; else kiln_high = kiln_middle;
  }
  return kiln_low < kiln_end && kiln_colidx[kiln_low] == kiln_column ? kiln_low : -1;
}
HEAD void kiln_multiply(MATRIX, __global const T *restrict x, const long x_stride, __global T *restrict y, const long y_stride, const int adds, const int first, const int rows, const int block) {
  BLOCK_OF(first, rows)
  for (int row = begin; row < end; ++row) {
    const int stop = rowptr[row + 1];
    T sum0[ROW_DIM], sum1[ROW_DIM];
    for (int j = 0; j < ROW_DIM; ++j) sum0[j] = sum1[j] = 0;
    int at = rowptr[row];
    for (; at < stop - 1; at += 2) {
      const int column0 = colidx[at + 0], column1 = colidx[at + 1];
      __global const T *block = values + (size_t)at * (ROW_DIM * COLUMN_DIM);
      for (int j = 0; j < ROW_DIM; ++j)
        for (int k = 0; k < COLUMN_DIM; ++k) {
          sum0[j] += block[(0 * ROW_DIM + j) * COLUMN_DIM + k] * X(column0, k);
          sum1[j] += block[(1 * ROW_DIM + j) * COLUMN_DIM + k] * X(column1, k);
        }
    }
    if (at < stop) {
      const int column = colidx[at];
      __global const T *block = values + (size_t)at++ * (ROW_DIM * COLUMN_DIM);
      for (int j = 0; j < ROW_DIM; ++j)
        for (int k = 0; k < COLUMN_DIM; ++k) sum0[j] += block[j * COLUMN_DIM + k] * X(column, k);
    }
    for (int j = 0; j < ROW_DIM; ++j) {
      const T product = sum0[j] + sum1[j];
      Y(row, j) = adds ? Y(row, j) + product : product;
    }
  }
}
HEAD void kiln_diagonal(MATRIX, __global T *restrict y, const long y_stride, const int rows, const int block) {
  BLOCK_OF(0, rows)
  for (int i = begin; i < end; ++i) {
    const int at = kiln_find(rowptr, colidx, i, i);
    for (int j = 0; j < ROW_DIM; ++j)
      Y(i, j) = at < 0 || j >= COLUMN_DIM ? 0 : values[((size_t)at * ROW_DIM + j) * COLUMN_DIM + j];
  }
}
HEAD void kiln_set_diagonal(MATRIX, __global const T *restrict x, const long x_stride, const int rows, const int block) {
  BLOCK_OF(0, rows)
  for (int i = begin; i < end; ++i) {
    const int at = kiln_find(rowptr, colidx, i, i);
    for (int j = 0; at >= 0 && j < ROW_DIM && j < COLUMN_DIM; ++j)
      values[((size_t)at * ROW_DIM + j) * COLUMN_DIM + j] = X(i, j);
  }
}
HEAD void kiln_rows(MATRIX, __global const int *restrict list, const int all, const int clear, const int set, const T value, const int rows, const int block) {
  BLOCK_OF(0, rows)
  for (int i = begin; i < end; ++i) {
    const int row = all ? i : list[i];
    const size_t stop = (size_t)rowptr[row + 1] * (ROW_DIM * COLUMN_DIM);
    if (clear)
      for (size_t n = (size_t)rowptr[row] * (ROW_DIM * COLUMN_DIM); n < stop; ++n) values[n] = 0;
    const int at = set ? kiln_find(rowptr, colidx, row, row) : -1;
    for (int j = 0; at >= 0 && j < ROW_DIM && j < COLUMN_DIM; ++j)
      values[((size_t)at * ROW_DIM + j) * COLUMN_DIM + j] = value;
  }
}
HEAD void kiln_zero(__global T *restrict values, const long count) {
  for (long n = (long)get_group_id(0) * 65536; n < min(count, (long)(get_group_id(0) + 1) * 65536); ++n) values[n] = 0;
}
