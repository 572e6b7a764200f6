#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define T float
#define ROW_DIM 1
#define COLUMN_DIM 1
#define GROUP 128
#define LANES 4
#define HEAD __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
#define MATRIX __global T *restrict values, __global const int *restrict rowptr, \
    __global const int *restrict colidx
#define BLOCK_OF(first, rows) \
  const int begin = first + (int)get_group_id(0) * block; \
  const int end = rows - begin < block ? rows : begin + block;
#define X(e, k) x[(size_t)(e) * 1 + (k)]
#define Y(e, k) y[(size_t)(e) * 1 + (k)]
static int kiln_find(__global const int *kiln_rowptr, __global const int *kiln_colidx, int kiln_row, int kiln_column) {
  int kiln_low = kiln_rowptr[kiln_row], kiln_end = kiln_rowptr[kiln_row + 1], kiln_high = kiln_end;
  while (kiln_low < kiln_high) {
    const int kiln_middle = kiln_low + (kiln_high - kiln_low) / 2;
    if (kiln_colidx[kiln_middle] < kiln_column) kiln_low = kiln_middle + 1; else kiln_high = kiln_middle;
  }
  return kiln_low < kiln_end && kiln_colidx[kiln_low] == kiln_column ? kiln_low : -1;
}
HEAD void kiln_multiply(MATRIX, __global const T *restrict x, const long x_stride, __global T *restrict y, const long y_stride, const int adds, const int first, const int rows) {
  __local T parts[GROUP];
  const int me = get_local_id(0), lane = me % LANES, of_group = GROUP / LANES;
  const long all = (long)(rows - first) * ROW_DIM;
  for (long at = (long)get_group_id(0) * of_group; at < all;
       at += (long)get_num_groups(0) * of_group) {
    const long mine = at + me / LANES;
    const int row = first + (int)(mine / ROW_DIM), j = (int)(mine % ROW_DIM);
    T sum = 0;
    if (mine < all) {
      const uint stop = rowptr[row + 1];
      for (uint n = rowptr[row] + lane; n < stop; n += LANES) {
        const int column = colidx[n];
        __global const T *line = values + ((size_t)n * ROW_DIM + j) * COLUMN_DIM;
        for (int k = 0; k < COLUMN_DIM; ++k) sum += line[k] * X(column, k);
      }
    }
    parts[me] = sum;
    for (int step = LANES / 2; step > 0; step /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (lane < step) parts[me] += parts[me + step];
    }
    if (lane == 0 && mine < all) Y(row, j) = adds ? Y(row, j) + parts[me] : parts[me];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
HEAD void kiln_diagonal(MATRIX, __global T *restrict y, const long y_stride, const int rows) {
  for (long position = (long)get_global_id(0); position < rows;
       position += (long)get_global_size(0)) {
    const int i = (int)position;
    const int at = kiln_find(rowptr, colidx, i, i);
    for (int j = 0; j < ROW_DIM; ++j)
      Y(i, j) = at < 0 || j >= COLUMN_DIM ? 0 : values[((size_t)at * ROW_DIM + j) * COLUMN_DIM + j];
  }
}
HEAD void kiln_set_diagonal(MATRIX, __global const T *restrict x, const long x_stride, const int rows) {
  for (long position = (long)get_global_id(0); position < rows;
       position += (long)get_global_size(0)) {
    const int i = (int)position;
    const int at = kiln_find(rowptr, colidx, i, i);
    for (int j = 0; at >= 0 && j < ROW_DIM && j < COLUMN_DIM; ++j)
      values[((size_t)at * ROW_DIM + j) * COLUMN_DIM + j] = X(i, j);
  }
}
HEAD void kiln_rows(MATRIX, __global const int *restrict list, const int all, const int clear, const int set, const T value, const int rows) {
  for (long position = (long)get_global_id(0); position < rows;
       position += (long)get_global_size(0)) {
    const int i = (int)position;
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
  for (long n = (long)get_global_id(0); n < count; n += (long)get_global_size(0)) values[n] = 0;
}
