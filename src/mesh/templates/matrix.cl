// Kernels on matrices in compressed rows of blocks (MatrixGenerator says what they compute).
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== matrix_prelude =====
// T is the type of the numbers; X_SOA, Y_SOA: whether the vectors lie component by component.
#define MATRIX __global T *restrict values, __global const int *restrict rowptr, \
    __global const int *restrict colidx
#define VECTOR_X __global const T *restrict x, const long x_stride
#define VECTOR_Y __global T *restrict y, const long y_stride
#if X_SOA
#define X(e, k) x[(size_t)(k) * x_stride + (e)]
#else
#define X(e, k) x[(size_t)(e) * COLUMN_DIM + (k)]
#endif
#if Y_SOA
#define Y(e, k) y[(size_t)(k) * y_stride + (e)]
#else
#define Y(e, k) y[(size_t)(e) * ROW_DIM + (k)]
#endif
// The rows of a work-item, from `first` to rows - 1: a stretch of `block` on CPUs, else row by row.
// Behind the last row of the largest matrices an int would end.
#if ON_CPU
#define BLOCK , const int block
#define FOR_ROWS(at, first)                                      \
  for (int at = (first) + (int)get_group_id(0) * block,          \
           at##_end = rows - at < block ? rows : at + block;     \
       at < at##_end; ++at)
#else
#define BLOCK
#define FOR_ROWS(at, first) \
  for (long at = (first) + (long)get_global_id(0); at < rows; at += (long)get_global_size(0))
#endif
//===== matrix =====
#define HEAD __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))

HEAD void kiln_multiply(MATRIX, VECTOR_X, VECTOR_Y, const int adds, const int first,
                        const int rows BLOCK) {
#if ON_CPU
// SUMS chains of additions: a single one would take as long as the memory does, and chains in an
// array, in a loop over them, would stay in memory.
#define CHAINS_1(DO) DO(0)
#define CHAINS_2(DO) CHAINS_1(DO) DO(1)
#define CHAINS_3(DO) CHAINS_2(DO) DO(2)
#define CHAINS_4(DO) CHAINS_3(DO) DO(3)
#define CHAINS_5(DO) CHAINS_4(DO) DO(4)
#define CHAINS_6(DO) CHAINS_5(DO) DO(5)
#define CHAINS_7(DO) CHAINS_6(DO) DO(6)
#define CHAINS_8(DO) CHAINS_7(DO) DO(7)
#define CHAINS_OF(sums) CHAINS_##sums
#define CHAINS(sums, DO) CHAINS_OF(sums)(DO)
#define DECLARE(n) T sum##n[ROW_DIM];
#define CLEAR(n) sum##n[j] = 0;
#define COLUMN(n) const int column##n = colidx[at + n];
#define ADD(n) sum##n[j] += block[(n * ROW_DIM + j) * COLUMN_DIM + k] * X(column##n, k);
#define TOTAL(n) + sum##n[j]
// Of what is left; a loop over it would be made one for many.
#define ONE_MORE(n)                                                                               \
  if (n > 0 && at < stop) {                                                                       \
    const int column = colidx[at];                                                                \
    __global const T *block = values + (size_t)at++ * (ROW_DIM * COLUMN_DIM);                     \
    for (int j = 0; j < ROW_DIM; ++j)                                                             \
      for (int k = 0; k < COLUMN_DIM; ++k) sum0[j] += block[j * COLUMN_DIM + k] * X(column, k);   \
  }
  FOR_ROWS(row, first) {
    const int stop = rowptr[row + 1];
    CHAINS(SUMS, DECLARE)
    for (int j = 0; j < ROW_DIM; ++j) { CHAINS(SUMS, CLEAR) }
    int at = rowptr[row];
    for (; at < stop - (SUMS - 1); at += SUMS) {
      CHAINS(SUMS, COLUMN)
      __global const T *block = values + (size_t)at * (ROW_DIM * COLUMN_DIM);
      for (int j = 0; j < ROW_DIM; ++j)
        for (int k = 0; k < COLUMN_DIM; ++k) { CHAINS(SUMS, ADD) }
    }
    CHAINS(SUMS, ONE_MORE)
    for (int j = 0; j < ROW_DIM; ++j) {
      const T product = CHAINS(SUMS, TOTAL);
      Y(row, j) = adds ? Y(row, j) + product : product;
    }
  }
#else
  __local T parts[GROUP];
  const int me = get_local_id(0), lane = me % LANES, of_group = GROUP / LANES;
  const long all = (long)(rows - first) * ROW_DIM;
  for (long at = (long)get_group_id(0) * of_group; at < all;
       at += (long)get_num_groups(0) * of_group) {
    const long mine = at + me / LANES;
    const int row = first + (int)(mine / ROW_DIM), j = (int)(mine % ROW_DIM);
    T sum = 0;
    if (mine < all) {
      // Behind the last entry of the largest matrices an int would end.
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
#endif
}

HEAD void kiln_diagonal(MATRIX, VECTOR_Y, const int rows BLOCK) {
  FOR_ROWS(row, 0) {
    const int i = (int)row, at = kiln_find(rowptr, colidx, i, i);
    for (int j = 0; j < ROW_DIM; ++j)
      Y(i, j) = at < 0 || j >= COLUMN_DIM ? 0 : values[((size_t)at * ROW_DIM + j) * COLUMN_DIM + j];
  }
}

HEAD void kiln_set_diagonal(MATRIX, VECTOR_X, const int rows BLOCK) {
  FOR_ROWS(row, 0) {
    const int i = (int)row, at = kiln_find(rowptr, colidx, i, i);
    for (int j = 0; at >= 0 && j < ROW_DIM && j < COLUMN_DIM; ++j)
      values[((size_t)at * ROW_DIM + j) * COLUMN_DIM + j] = X(i, j);
  }
}

HEAD void kiln_rows(MATRIX, __global const int *restrict list, const int all, const int clear,
                    const int set, const T value, const int rows BLOCK) {
  FOR_ROWS(i, 0) {
    const int row = all ? (int)i : list[i];
    const size_t stop = (size_t)rowptr[row + 1] * (ROW_DIM * COLUMN_DIM);
    if (clear)
      for (size_t n = (size_t)rowptr[row] * (ROW_DIM * COLUMN_DIM); n < stop; ++n) values[n] = 0;
    const int at = set ? kiln_find(rowptr, colidx, row, row) : -1;
    for (int j = 0; at >= 0 && j < ROW_DIM && j < COLUMN_DIM; ++j)
      values[((size_t)at * ROW_DIM + j) * COLUMN_DIM + j] = value;
  }
}

HEAD void kiln_zero(__global T *restrict values, const long count) {
#if ON_CPU
  const long end = min(count, (long)(get_group_id(0) + 1) * 65536);
  for (long n = (long)get_group_id(0) * 65536; n < end; ++n) values[n] = 0;
#else
  for (long n = (long)get_global_id(0); n < count; n += (long)get_global_size(0)) values[n] = 0;
#endif
}
//===== matrix_boundary =====
// The list is searched for each entry: marks of all rows would be memory of their own.
static int kiln_has(__global const int *list, int count, int row) {
  int low = 0, high = count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (list[middle] < row) low = middle + 1; else high = middle;
  }
  return low < count && list[low] == row;
}
__kernel void kiln_zero_rows_columns(MATRIX, __global const int *restrict list, const int count,
                                     const int has_rows, const int owned, const T diagonal,
                                     VECTOR_X, VECTOR_Y, const int rows BLOCK) {
  FOR_ROWS(i, 0) {
    const int row = (int)i, is_listed = has_rows && kiln_has(list, count, row);
    const int stop = rowptr[row + 1];
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
