// x = op(A)^-1 x for a triangle, a block of unknowns after another; the elements of x lie side by
// side. The unknowns in [known, limit) are known; this launch
//   - solves for [from, to), where `limit` meets it, block by block, and
//   - takes the known ones out of [rest_from, rest_to), which are solved for later.
// Unknown i is column i of A where op transposes, row i otherwise. Work-item 0 (a GPU: work-group)
// solves, the others do the rest; so that solving a block hides behind the update of the others.
// forward 1: unknowns become known in rising order.
//
// A launch that solves for everything goes unknown by unknown: that is all there is to do in a
// band, and in a small triangle. ROWS: the most unknowns of a block; SUMS: the most that a
// work-item takes known ones out of at a time.
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

// x[i] -= sum of op(a)(i, j) x[j] over the columns [left, left + GROUP), for rows [from, to).
#define GROUP 4
inline void take_columns(MATRIX, long left, long from, long to, bool conj, global T *x) {
  const long low = max(FIRST_ROW(left + GROUP - 1), from);
  long high = min(END_ROW(left), to);
  high = max(low, high - max(0L, high - low) % (4 / PARTS));
  global const REAL *c[GROUP];
  V p[GROUP], q[GROUP];
#pragma unroll
  for (int k = 0; k < GROUP; ++k) {
    c[k] = (global const REAL *)COLUMN(left + k);
    const T value = -x[left + k];
    FACTORS(one, other, value, conj);
    p[k] = one;
    q[k] = other;
  }
  global REAL *to_x = (global REAL *)x;
  long i = low * PARTS;
  for (; i + LANES <= high * PARTS; i += LANES) {
    V sum = LOAD(to_x + i);
#pragma unroll
    for (int k = 0; k < GROUP; ++k) {
      const V value = LOAD(c[k] + i);
      sum = ADD(sum, value, p[k], q[k]);
    }
    STORE(sum, to_x + i);
  }
  // A band has short columns: what is left of a vector counts.
  for (; i < high * PARTS; i += 4) {
    REAL4 sum = vload4(0, to_x + i);
#pragma unroll
    for (int k = 0; k < GROUP; ++k) {
      const REAL4 value = vload4(0, c[k] + i);
      sum = fma(value, p[k].s0123, sum);
#if COMPLEX
      sum = fma(value.s1032, q[k].s0123, sum);
#endif
    }
    vstore4(sum, 0, to_x + i);
  }
  for (long k = left; k < left + GROUP; ++k) {
    global const T *column = COLUMN(k);
    const long first = max(FIRST_ROW(k), from), end = min(END_ROW(k), to);
    const T value = -x[k];
    for (long i = first; i < min(low, end); ++i)
      x[i] = mul_add(conjugate_if(conj, column[i]), value, x[i]);
    for (long i = max(first, high); i < end; ++i)
      x[i] = mul_add(conjugate_if(conj, column[i]), value, x[i]);
  }
}

// The sum of op(a)(i, j) x[i] over rows [first, end) of column j.
inline T column_sum(global const T *column, long first, long end, bool conj, global const T *x) {
  T sum = zero();
  if (first >= end) return sum;
  const long whole = end - (end - first) % STRIDE;
  global const REAL *f = (global const REAL *)x, *c = (global const REAL *)column;
  V straight = (V)(0), crossed = (V)(0);
  long i = first * PARTS;
#if COMPLEX
  for (; i < whole * PARTS; i += LANES) {
    const V a = LOAD(c + i), b = LOAD(f + i);
    straight = fma(a, b, straight);
    crossed = fma(a, SWAPPED(b), crossed);
  }
#else
  for (; i + 2 * LANES <= whole; i += 2 * LANES) {
    straight = fma(LOAD(c + i), LOAD(f + i), straight);
    crossed = fma(LOAD(c + i + LANES), LOAD(f + i + LANES), crossed);
  }
  if (i < whole) straight = fma(LOAD(c + i), LOAD(f + i), straight);
  straight += crossed;
#endif
  if (whole > first) sum = sum_of(straight, crossed, conj);
  for (long k = whole; k < end; ++k) sum = mul_add(conjugate_if(conj, column[k]), x[k], sum);
  return sum;
}

// Unknown j, and what it means for the rows [from, to).
inline void solve_one(MATRIX, long j, long from, long to, long transposed, long conj, long unit,
                      global T *x) {
  global const T *column = COLUMN(j);
  // A column has either the unknowns before its own or those behind it.
  const long first = max(down > 0 ? j + 1 : FIRST_ROW(j), from);
  const long end = min(down > 0 ? END_ROW(j) : j, to);
  T value = x[j];
  if (transposed) value -= column_sum(column, first, end, conj, x);
  if (!unit) value = quotient(value, conjugate_if(conj, column[j]));
  x[j] = value;
  if (transposed) return;
  for (long i = first; i < end; ++i)
    x[i] = mul_add(conjugate_if(conj, column[i]), -value, x[i]);
}

#if !COMPLEX
// A band without transposition, its reach at most W vectors: the unknowns that the one at hand
// means something for are in registers, and move on by one lane with each. From one unknown to the
// next there is a division, a broadcast and a multiply-add, and no way through memory.
//
// Columns are read in whole vectors, beyond what belongs to them; `mask` leaves out the rest. The
// last unknowns, behind which there is no whole window, are left to solve_one.
typedef JOIN(INTEGER_NAME, LANES) MASK;
#if LANES == 16
#define LANE_NUMBERS (MASK)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define NEXT_LANES(a, b) \
  __builtin_shufflevector(a, b, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
#define LANES_BEFORE(a, b) \
  __builtin_shufflevector(a, b, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
#define LAST_LANE sf
#elif LANES == 8
#define LANE_NUMBERS (MASK)(0, 1, 2, 3, 4, 5, 6, 7)
#define NEXT_LANES(a, b) __builtin_shufflevector(a, b, 1, 2, 3, 4, 5, 6, 7, 8)
#define LANES_BEFORE(a, b) __builtin_shufflevector(a, b, 7, 8, 9, 10, 11, 12, 13, 14)
#define LAST_LANE s7
#else
#define LANE_NUMBERS (MASK)(0, 1, 2, 3)
#define NEXT_LANES(a, b) __builtin_shufflevector(a, b, 1, 2, 3, 4)
#define LANES_BEFORE(a, b) __builtin_shufflevector(a, b, 3, 4, 5, 6)
#define LAST_LANE s3
#endif

#define SOLVE_WINDOW(W)                                                                          \
  inline long JOIN(solve_down_, W)(MATRIX, long unit, global T *x) {                              \
    V window[W];                                                                                  \
    MASK mask[W];                                                                                 \
    _Pragma("unroll") for (int v = 0; v < W; ++v) {                                               \
      window[v] = LOAD(x + v * LANES);                                                            \
      mask[v] = LANE_NUMBERS + v * LANES < (MASK)(down);                                          \
    }                                                                                             \
    long j = 0;                                                                                   \
    for (; j < n - W * LANES; ++j) {                                                              \
      global const T *column = COLUMN(j) + j;                                                     \
      const T value = unit ? window[0].s0 : window[0].s0 / column[0];                             \
      const V next = (V)(x[j + W * LANES]);                                                       \
      x[j] = value;                                                                               \
      _Pragma("unroll") for (int v = 0; v < W; ++v)                                               \
          window[v] = fma((V)(-value), select((V)(0), LOAD(column + 1 + v * LANES), mask[v]),     \
                          NEXT_LANES(window[v], v + 1 < W ? window[(v + 1) % W] : next));         \
    }                                                                                             \
    _Pragma("unroll") for (int v = 0; v < W; ++v) STORE(window[v], x + j + v * LANES);            \
    return j;                                                                                     \
  }                                                                                               \
  /* The same from the last unknown up; window[0] is the farthest. */                             \
  inline long JOIN(solve_up_, W)(MATRIX, long unit, global T *x) {                                \
    V window[W];                                                                                  \
    MASK mask[W];                                                                                 \
    _Pragma("unroll") for (int v = 0; v < W; ++v) {                                               \
      window[v] = LOAD(x + n + (v - W) * LANES);                                                  \
      mask[v] = LANE_NUMBERS + v * LANES >= (MASK)(W * LANES - up);                               \
    }                                                                                             \
    long j = n - 1;                                                                               \
    for (; j >= W * LANES; --j) {                                                                 \
      global const T *column = COLUMN(j) + j;                                                     \
      const T last = window[W - 1].LAST_LANE;                                                     \
      const T value = unit ? last : last / column[0];                                             \
      const V next = (V)(x[j - W * LANES]);                                                       \
      x[j] = value;                                                                               \
      _Pragma("unroll") for (int v = W - 1; v >= 0; --v)                                          \
          window[v] = fma((V)(-value), select((V)(0), LOAD(column + (v - W) * LANES), mask[v]),   \
                          LANES_BEFORE(v > 0 ? window[(v + W - 1) % W] : next, window[v]));       \
    }                                                                                             \
    _Pragma("unroll") for (int v = 0; v < W; ++v)                                                 \
        STORE(window[v], x + j + 1 + (v - W) * LANES);                                            \
    return j;                                                                                     \
  }
SOLVE_WINDOW(1)
SOLVE_WINDOW(2)
SOLVE_WINDOW(4)
SOLVE_WINDOW(8)

// Solves for as many unknowns as windows can; the first that is left.
inline long solve_windows(MATRIX, long unit, long forward, global T *x) {
  const long reach = forward ? down : up;
  const long start = forward ? 0 : n - 1;
  if (reach > 8 * LANES || n <= 8 * LANES) return start;
  if (reach <= LANES)
    return forward ? solve_down_1(SAME_MATRIX, unit, x) : solve_up_1(SAME_MATRIX, unit, x);
  if (reach <= 2 * LANES)
    return forward ? solve_down_2(SAME_MATRIX, unit, x) : solve_up_2(SAME_MATRIX, unit, x);
  if (reach <= 4 * LANES)
    return forward ? solve_down_4(SAME_MATRIX, unit, x) : solve_up_4(SAME_MATRIX, unit, x);
  return forward ? solve_down_8(SAME_MATRIX, unit, x) : solve_up_8(SAME_MATRIX, unit, x);
}
#endif

inline void solve_one_by_one(MATRIX, long transposed, long conj, long unit, long forward,
                             global T *x) {
#if !COMPLEX
  const long start = forward ? 0 : n - 1;
  const long first = transposed ? start : solve_windows(SAME_MATRIX, unit, forward, x);
  if (first != start) {
    for (long j = first; j >= 0 && j < n; j += forward ? 1 : -1)
      solve_one(SAME_MATRIX, j, 0, n, 0, conj, unit, x);
    return;
  }
#endif
  // Three loops that are one in meaning, each with what it need not ask left out.
  if (transposed) {
    for (long t = 0; t < n; ++t)
      solve_one(SAME_MATRIX, forward ? t : n - 1 - t, 0, n, 1, conj, unit, x);
  } else if (max(up, down) < 2 * STRIDE) {
    for (long t = 0; t < n; ++t)
      solve_one(SAME_MATRIX, forward ? t : n - 1 - t, 0, n, 0, conj, unit, x);
  } else {
    for (long done = 0; done < n; done += GROUP) {
      const long some = min(n - done, (long)GROUP), low = forward ? done : n - done - some;
      for (long t = 0; t < some; ++t)
        solve_one(SAME_MATRIX, forward ? low + t : low + some - 1 - t, low, low + some, 0, conj,
                  unit, x);
      if (some == GROUP)
        take_columns(SAME_MATRIX, low, forward ? low + some : 0, forward ? n : low, conj, x);
    }
  }
}

kernel void solve(MATRIX, long transposed, long conj, long unit, long forward, long known,
                  long limit, long from, long to, long rest_from, long rest_to, global T *x,
                  long offset_x) {
  T sums[SUMS];
  x += offset_x;
  const long item = get_global_id(0), items = get_global_size(0) - 1;
  if (to - from == n) {
    solve_one_by_one(SAME_MATRIX, transposed, conj, unit, forward, x);
    return;
  }
  if (item == 0) {
    known_sums(SAME_MATRIX, transposed, conj, from, to, known, limit, x, sums);
    solve_block(SAME_MATRIX, transposed, conj, unit, forward, from, to, x, sums);
    return;
  }
  const long stop = PART(rest_from, rest_to, item, items);
  for (long begin = PART(rest_from, rest_to, item - 1, items); begin < stop; begin += SUMS) {
    const long end = min(begin + SUMS, stop);
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
