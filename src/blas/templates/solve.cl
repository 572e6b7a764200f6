// x = op(A)^-1 x for a triangle, a block of unknowns after another; the elements of x lie side by
// side. The unknowns in [known, limit) are known; this launch
//   - solves for [from, to), where `limit` meets it, block by block, and
//   - takes the known ones out of [rest_from, rest_to), which are solved for later.
// Unknown i is column i of A where op transposes, row i otherwise. Work-item 0 (a GPU: work-group)
// solves, the others do the rest; so that solving a block hides behind the update of the others.
// forward 1: unknowns become known in rising order.
//
// ROWS: the most unknowns of a block.
#if ON_CPU
// The sums that the unknowns of a block are short of, from the known ones.
inline void known_sums(MATRIX, long transposed, long conj, long begin, long end, long known,
                       long limit, global const T *x, T *sums) {
  for (long i = 0; i < end - begin; ++i) sums[i] = zero();
  if (known >= limit) return;
  if (transposed)
    add_rows(SAME_MATRIX, known, limit, begin, end, conj, x, sums);
  else
    add_columns(SAME_MATRIX, begin, end, known, limit, conj, x, sums);
}

// A few unknowns at a time: first what the block's known ones mean for them (op transposes: sums
// down a column), or afterwards what they mean for the block's rest (else: multiples of a column).
inline void solve_block(MATRIX, long transposed, long conj, long unit, long forward, long begin,
                        long end, global T *x, T *sums) {
  for (long done = 0; done < end - begin; done += AT_ONCE) {
    const long some = min(end - begin - done, (long)AT_ONCE);
    const long low = forward ? begin + done : end - done - some, high = low + some;
    if (transposed)
      add_rows(SAME_MATRIX, forward ? begin : high, forward ? low : end, low, high, conj, x,
               sums + (low - begin));
    for (long t = 0; t < some; ++t) {
      const long j = forward ? low + t : high - 1 - t;
      T sum = sums[j - begin];
      for (long i = forward ? low : j + 1; i < (forward ? j : high); ++i) {
        const long row = transposed ? i : j, column = transposed ? j : i;
        if (row >= FIRST_ROW(column) && row < END_ROW(column))
          sum = mul_add(conjugate_if(conj, COLUMN(column)[row]), x[i], sum);
      }
      const T value = x[j] - sum;
      x[j] = unit ? value : quotient(value, conjugate_if(conj, COLUMN(j)[j]));
    }
    const long rest_from = forward ? high : begin, rest_to = forward ? end : low;
    if (!transposed && rest_from < rest_to)
      add_columns(SAME_MATRIX, rest_from, rest_to, low, high, conj, x,
                  sums + (rest_from - begin));
  }
}

kernel void solve(MATRIX, long transposed, long conj, long unit, long forward, long known,
                  long limit, long from, long to, long rest_from, long rest_to, global T *x,
                  long offset_x) {
  T sums[ROWS];
  x += offset_x;
  const long item = get_global_id(0), items = get_global_size(0) - 1;
  if (item == 0) {
    for (long done = 0; done < to - from; done += ROWS) {
      const long some = min(to - from - done, (long)ROWS);
      const long begin = forward ? from + done : to - done - some, end = begin + some;
      // What this launch solved is known by now.
      const long low = forward ? known : end, high = forward ? begin : limit;
      known_sums(SAME_MATRIX, transposed, conj, begin, end,
                 max(low, transposed ? FIRST_ROW(begin) : FIRST_COLUMN(begin)),
                 min(high, transposed ? END_ROW(end - 1) : END_COLUMN(end - 1)), x, sums);
      solve_block(SAME_MATRIX, transposed, conj, unit, forward, begin, end, x, sums);
    }
    return;
  }
  const long stop = PART(rest_from, rest_to, item, items);
  for (long begin = PART(rest_from, rest_to, item - 1, items); begin < stop; begin += ROWS) {
    const long end = min(begin + ROWS, stop);
    known_sums(SAME_MATRIX, transposed, conj, begin, end, known, limit, x, sums);
    for (long i = begin; i < end; ++i) x[i] -= sums[i - begin];
  }
}
#else
#define IN_SHAPE(row, column) ((row) >= FIRST_ROW(column) && (row) < END_ROW(column))

// sums[i] = what unknown begin + i is short of, from the known ones, for at most 64 unknowns.
inline void known_sums(MATRIX, long transposed, long conj, long begin, long end, long known,
                       long limit, global const T *x, local T *shared, local T *sums) {
  const int id = get_local_id(0), lane = id % 64, slice = id / 64, slices = get_local_size(0) / 64;
  if (!transposed) {
    T sum = zero();
    const long i = begin + lane;
    for (long j = known + slice; j < limit; j += slices)
      if (i < end && IN_SHAPE(i, j))
        sum = mul_add(conjugate_if(conj, COLUMN(j)[i]), x[j], sum);
    shared[id] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (slice == 0) {
      for (int k = 1; k < slices; ++k) sum += shared[k * 64 + lane];
      sums[lane] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return;
  }
  // 16 columns at a time; lanes go down them, and their sums are gathered in two steps.
  for (long left = begin; left < end; left += 16) {
    for (int k = slice; k < 16; k += slices) {
      T sum = zero();
      const long j = left + k;
      for (long i = known + lane; i < limit; i += 64)
        if (j < end && IN_SHAPE(i, j))
          sum = mul_add(conjugate_if(conj, COLUMN(j)[i]), x[i], sum);
      shared[k * 65 + lane] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = id; k < 256; k += get_local_size(0)) {
      local T *mine = shared + k / 16 * 65 + k % 16;
      *mine = mine[0] + mine[16] + mine[32] + mine[48];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < 16) {
      T sum = zero();
      for (int k = 0; k < 16; ++k) sum += shared[id * 65 + k];
      sums[left - begin + id] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

kernel void solve(MATRIX, long transposed, long conj, long unit, long forward, long known,
                  long limit, long from, long to, long rest_from, long rest_to, global T *x,
                  long offset_x) {
  local T shared[16 * 65], sums[64], solved[64];
  x += offset_x;
  const int id = get_local_id(0);
  if (get_group_id(0) != 0) {
    for (long begin = rest_from + ((long)get_group_id(0) - 1) * 64; begin < rest_to;
         begin += ((long)get_num_groups(0) - 1) * 64) {
      const long end = min(begin + 64, rest_to);
      known_sums(SAME_MATRIX, transposed, conj, begin, end, known, limit, x, shared, sums);
      if (id < end - begin) x[begin + id] -= sums[id];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    return;
  }
  known_sums(SAME_MATRIX, transposed, conj, from, to, known, limit, x, shared, sums);
  const long count = to - from, mine = from + id;
  T rest = id < count ? x[mine] - sums[id] : zero();
  for (long first = 0; first < count; first += 8) {
    // The factors of the next steps are read ahead: they depend on nothing.
    T factor[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const long i = forward ? from + first + k : to - 1 - first - k;
      const long row = transposed ? i : mine, column = transposed ? mine : i;
      factor[k] = zero();
      if (id < count && first + k < count && IN_SHAPE(row, column) && !(unit && i == mine))
        factor[k] = conjugate_if(conj, COLUMN(column)[row]);
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const long at = forward ? first + k : count - 1 - first - k;
      if (first + k < count && id == at) solved[at] = unit ? rest : quotient(rest, factor[k]);
      barrier(CLK_LOCAL_MEM_FENCE);
      if (first + k < count && id < count && (forward ? id > at : id < at))
        rest -= mul(factor[k], solved[at]);
    }
  }
  if (id < count) x[mine] = solved[id];
}
#endif
