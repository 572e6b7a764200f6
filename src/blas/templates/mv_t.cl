// y = alpha op(A) x + beta y, where op is the transposition with or without conjugation, for
// columns [from, to) of A; the elements of x lie side by side. With several parts each does its
// share of the rows and writes its own y, part_step further.
//
// A CPU's work-item takes `columns` columns (BLOCK at most) of one part, a stretch of rows after
// another, so that x stays in the nearest cache. A GPU's work-group takes 4 columns.
kernel void mv_t(MATRIX, long from, long to, long columns, long parts, long conj, T alpha, T beta,
                 global const T *x, long offset_x, global T *y, long offset_y, long inc_y,
                 long part_step) {
  x += offset_x;
  const long blocks = (to - from + columns - 1) / columns;
#if ON_CPU
  const long item = get_global_id(0), part = item / blocks;
  const long begin = from + IN_TURN(item % blocks, blocks) * columns, end = min(begin + columns, to);
  const long top = FIRST_ROW(begin), bottom = END_ROW(end - 1);
  const long stop = PART(top, bottom, part + 1, parts), stretch = 16384 / sizeof(T);
  T sums[BLOCK];
  for (long j = 0; j < end - begin; ++j) sums[j] = zero();
  for (long row = PART(top, bottom, part, parts); row < stop; row += stretch)
    add_rows(SAME_MATRIX, row, min(row + stretch, stop), begin, end, conj, x, sums);
  y += offset_y + part * part_step;
  for (long j = begin; j < end; ++j) put(y + place(j, n, inc_y), alpha, sums[j - begin], beta);
#else
  local T shared[4 * 256];
  const long group = get_group_id(0), part = group / blocks;
  const long begin = from + group % blocks * 4, end = min(begin + 4, to);
  const long top = FIRST_ROW(begin), bottom = END_ROW(end - 1);
  const long stop = PART(top, bottom, part + 1, parts);
  const int id = get_local_id(0), size = get_local_size(0);
  T sums[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) sums[k] = zero();
  long i = PART(top, bottom, part, parts) + id;
  // Rows that all four columns have are read four at a time, with nothing to ask.
  if (begin + 4 <= to && FIRST_ROW(begin + 3) <= i - id) {
    const long all = min(stop, END_ROW(begin));
    global const T *c[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) c[k] = COLUMN(begin + k);
    for (; i + 3 * size < all; i += 4 * size) {
      T value[4][4], factor[4];
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        factor[r] = x[i + r * size];
#pragma unroll
        for (int k = 0; k < 4; ++k) value[r][k] = c[k][i + r * size];
      }
#pragma unroll
      for (int r = 0; r < 4; ++r)
#pragma unroll
        for (int k = 0; k < 4; ++k)
          sums[k] = mul_add(conjugate_if(conj, value[r][k]), factor[r], sums[k]);
    }
  }
  for (; i < stop; i += size) {
    const T factor = x[i];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const long j = begin + k;
      if (j < end && i >= FIRST_ROW(j) && i < END_ROW(j))
        sums[k] = mul_add(conjugate_if(conj, COLUMN(j)[i]), factor, sums[k]);
    }
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) shared[k * size + id] = sums[k];
  for (int width = size / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < width)
      for (int k = 0; k < 4; ++k) shared[k * size + id] += shared[k * size + id + width];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (begin + id < end)
    put(y + offset_y + part * part_step + place(begin + id, n, inc_y), alpha, shared[id * size],
        beta);
#endif
}
