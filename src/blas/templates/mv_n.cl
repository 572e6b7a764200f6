// y = alpha op(A) x + beta y, where op is nothing or the conjugation, for rows [from, to); the
// elements of x lie side by side. With several parts each does its share of the columns and writes
// its own y, part_step further.
//
// A CPU's work-item takes `rows` rows (BLOCK at most) of one part, so that their sums stay in the
// cache nearest to it while A streams by. A GPU's work-group takes 64 rows, with LOCAL / 64 columns
// at a time: work-items side by side read what lies side by side.
kernel void mv_n(MATRIX, long from, long to, long rows, long parts, long conj, T alpha, T beta,
                 global const T *x, long offset_x, global T *y, long offset_y,
                 long inc_y, long part_step) {
  x += offset_x;
  const long blocks = (to - from + rows - 1) / rows;
#if ON_CPU
  const long item = get_global_id(0), part = item / blocks;
  const long begin = from + IN_TURN(item % blocks, blocks) * rows, end = min(begin + rows, to);
  const long left = FIRST_COLUMN(begin), right = END_COLUMN(end - 1);
  T sums[BLOCK];
  for (long i = 0; i < end - begin; ++i) sums[i] = zero();
  add_columns(SAME_MATRIX, begin, end, PART(left, right, part, parts),
              PART(left, right, part + 1, parts), conj, x, sums);
  y += offset_y + part * part_step;
  for (long i = begin; i < end; ++i) put(y + place(i, m, inc_y), alpha, sums[i - begin], beta);
#else
  local T shared[256];
  const long group = get_group_id(0), part = group / blocks;
  const int id = get_local_id(0), lane = id % 64, slice = id / 64, slices = get_local_size(0) / 64;
  const long begin = from + group % blocks * 64, i = begin + lane;
  const long left = FIRST_COLUMN(begin), right = END_COLUMN(min(begin + 64, to) - 1);
  const long stop = PART(left, right, part + 1, parts);
  const long first = i < to ? FIRST_COLUMN(i) : n, end = i < to ? END_COLUMN(i) : 0;
  const bool whole = i < to;
  T sum = zero();
  long j = PART(left, right, part, parts) + slice;
  // Where the columns lie at one distance and have all of the group's rows, there is nothing to
  // ask and hardly anything to compute.
  if (growth_a == 0 && begin + 64 <= to && FIRST_COLUMN(begin + 63) <= j - slice &&
      END_COLUMN(begin) >= stop) {
    const long distance = step_a * slices;
    global const T *column = COLUMN(j) + i, *factor = x + j;
    for (; j + 15 * slices < stop; j += 16 * slices) {
      T value[16];
#pragma unroll
      for (int k = 0; k < 16; ++k) value[k] = column[k * distance];
#pragma unroll
      for (int k = 0; k < 16; ++k)
        sum = mul_add(conjugate_if(conj, value[k]), factor[k * slices], sum);
      column += 16 * distance;
      factor += 16 * slices;
    }
  }
  for (; j + 7 * slices < stop; j += 8 * slices) {
    T value[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const long at = j + k * slices;
      value[k] = whole && at >= first && at < end ? COLUMN(at)[i] : zero();
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const long at = j + k * slices;
      if (at >= first && at < end)
        sum = mul_add(conjugate_if(conj, value[k]), x[at], sum);
    }
  }
  for (; j < stop; j += slices)
    if (j >= first && j < end)
      sum = mul_add(conjugate_if(conj, COLUMN(j)[i]), x[j], sum);
  shared[id] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (slice == 0 && i < to) {
    for (int k = 1; k < slices; ++k) sum += shared[k * 64 + lane];
    put(y + offset_y + part * part_step + place(i, m, inc_y), alpha, sum, beta);
  }
#endif
}
