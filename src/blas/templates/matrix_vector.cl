// Level 2: products of a matrix and a vector: by rows (mv_n), by columns (mv_t), and what comes
// before and after them.
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== pack_vector =====
// y = x, with any increments: strided vectors are laid side by side before a product.
kernel void pack_vector(long n, global const T *restrict x, long offset_x, long inc_x,
                        global T *restrict y, long offset_y, long inc_y) {
  x += offset_x;
  y += offset_y;
  FOR_MINE(i, n) y[place(i, n, inc_y)] = x[place(i, n, inc_x)];
}
//===== mv_n =====
#if !ON_CPU
// 16 bytes of a column, and how many of them a work-item asks for before it uses any.
#define WIDE (16 / (int)sizeof(T))
#define AHEAD 8
inline void read_rows(T rows[WIDE], global const T *at) {
#if DOUBLE
  const double2 all = *(global const double2 *)at;
#if COMPLEX
  rows[0] = all;
#else
  rows[0] = all.x, rows[1] = all.y;
#endif
#else
  const float4 all = *(global const float4 *)at;
#if COMPLEX
  rows[0] = all.xy, rows[1] = all.zw;
#else
  rows[0] = all.x, rows[1] = all.y, rows[2] = all.z, rows[3] = all.w;
#endif
#endif
}
inline void add_rows_of(T sums[WIDE], const T rows[WIDE], T factor, int conj) {
#pragma unroll
  for (int e = 0; e < WIDE; ++e)
    sums[e] = mul_add(conjugate_if(conj, rows[e]), factor, sums[e]);
}
#endif

// y = alpha op(A) x + beta y, where op is nothing or the conjugation, for rows [from, to); the
// elements of x lie side by side. With several parts each does its share of the columns and writes
// its own y, part_step further.
//
// A CPU's work-item takes `rows` rows (BLOCK at most) of one part, so that their sums stay in the
// cache nearest to it while A streams by. A GPU's work-group takes 64 rows, with several columns at a
// time: work-items side by side read what lies side by side, 16 bytes each where the columns allow it.
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
  local T shared[256 * WIDE];
  const long group = get_group_id(0), part = group / blocks;
  const int id = get_local_id(0), size = get_local_size(0);
  const long begin = from + group % blocks * 64;
  const long left = FIRST_COLUMN(begin), right = END_COLUMN(min(begin + 64, to) - 1);
  const long stop = PART(left, right, part + 1, parts);
  long j = PART(left, right, part, parts);
  // Where the columns lie at one distance and have all of the group's rows, there is nothing to
  // ask and hardly anything to compute.
  const bool is_plain = growth_a == 0 && begin + 64 <= to && FIRST_COLUMN(begin + 63) <= j &&
                        END_COLUMN(begin) >= stop;
  const bool is_wide = is_plain && step_a % WIDE == 0 && ((ulong)(COLUMN(0) + begin) & 15) == 0;
  const int lanes = is_wide ? 64 / WIDE : 64, slices = size / lanes;
  const int lane = id % lanes, slice = id / lanes;
  const long i = begin + lane * (is_wide ? WIDE : 1), distance = step_a * slices;
  j += slice;
  global const T *column = COLUMN(j) + i, *factor = x + j;
  if (is_wide) {
    T sums[WIDE];
#pragma unroll
    for (int e = 0; e < WIDE; ++e) sums[e] = zero();
    for (; j + (AHEAD - 1) * slices < stop; j += AHEAD * slices) {
      T value[AHEAD][WIDE];
#pragma unroll
      for (int k = 0; k < AHEAD; ++k) read_rows(value[k], column + k * distance);
#pragma unroll
      for (int k = 0; k < AHEAD; ++k) add_rows_of(sums, value[k], factor[k * slices], conj);
      column += AHEAD * distance;
      factor += AHEAD * slices;
    }
    for (; j < stop; j += slices) {
      T value[WIDE];
      read_rows(value, column);
      add_rows_of(sums, value, *factor, conj);
      column += distance;
      factor += slices;
    }
#pragma unroll
    for (int e = 0; e < WIDE; ++e) shared[id * WIDE + e] = sums[e];
  } else {
    T sum = zero();
    const bool whole = i < to;
    const long first = whole ? FIRST_COLUMN(i) : n, end = whole ? END_COLUMN(i) : 0;
    if (is_plain)
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
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  // Either way a slice's sums of the 64 rows lie side by side.
  if (id < 64 && begin + id < to) {
    T sum = shared[id];
    for (int k = 1; k < slices; ++k) sum += shared[k * 64 + id];
    put(y + offset_y + part * part_step + place(begin + id, m, inc_y), alpha, sum, beta);
  }
#endif
}
//===== mv_t =====
// y = alpha op(A) x + beta y, where op is the transposition with or without conjugation, for
// columns [from, to) of A; the elements of x lie side by side. With several parts each does its
// share of the rows and writes its own y, part_step further.
//
// A CPU's work-item takes `columns` columns (BLOCK at most) of one part, a stretch of rows after
// another, so that x stays in a core's own cache. A GPU's work-group takes 4 columns.
kernel void mv_t(MATRIX, long from, long to, long columns, long parts, long conj, T alpha, T beta,
                 global const T *x, long offset_x, global T *y, long offset_y, long inc_y,
                 long part_step) {
  x += offset_x;
  const long blocks = (to - from + columns - 1) / columns;
#if ON_CPU
  const long item = get_global_id(0), part = item / blocks;
  const long begin = from + IN_TURN(item % blocks, blocks) * columns, end = min(begin + columns, to);
  const long top = FIRST_ROW(begin), bottom = END_ROW(end - 1);
  const long stop = PART(top, bottom, part + 1, parts), stretch = 131072 / sizeof(T);
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
//===== mv_sum =====
// y = alpha (sum of the parts + D x) + beta y: the end of products that were computed in parts. D
// is A's diagonal; which: 0 none of it, 1 as it is, 2 its real parts.
inline void put_sum(MATRIX, long diagonal, T sum, T alpha, T beta, global const T *x, global T *y,
                    long inc_y, long length, long i) {
  if (diagonal) {
    T d = COLUMN(i)[i];
#if COMPLEX
    if (diagonal == 2) d.y = 0;
#endif
    sum = mul_add(d, x[i], sum);
  }
  put(y + place(i, length, inc_y), alpha, sum, beta);
}

kernel void mv_sum(MATRIX, long diagonal, long parts, long part_step, global const T *part,
                   T alpha, T beta, global const T *x, long offset_x, global T *y,
                   long offset_y, long inc_y, long length) {
  x += offset_x;
  y += offset_y;
#if ON_CPU
  // Elements side by side in vectors, and each part is read by whole lines.
#define TOGETHER 64
  FOR_MINE(block, (length + TOGETHER - 1) / TOGETHER) {
    const long i0 = block * TOGETHER;
    const int here = (int)min((long)TOGETHER, length - i0);
    T sums[TOGETHER];
    for (int j = 0; j < here; ++j) sums[j] = zero();
    for (long p = 0; p < parts; ++p) {
      global const T *from = part + p * part_step + i0;
      for (int j = 0; j < here; ++j) sums[j] += from[j];
    }
    for (int j = 0; j < here; ++j)
      put_sum(SAME_MATRIX, diagonal, sums[j], alpha, beta, x, y, inc_y, length, i0 + j);
  }
#else
  // A work-group takes 64 elements; each 64 of its work-items take some of the parts, eight at a time.
  local T shared[256];
  const int id = get_local_id(0), lane = id % 64, slice = id / 64, slices = get_local_size(0) / 64;
  for (long i0 = get_group_id(0) * 64; i0 < length; i0 += get_num_groups(0) * 64) {
    const long i = i0 + lane, step = slices * part_step;
    T sum = zero();
    if (i < length) {
      global const T *from = part + slice * part_step + i;
      long p = slice;
      for (; p + 7 * slices < parts; p += 8 * slices, from += 8 * step) {
        T value[8];
#pragma unroll
        for (int k = 0; k < 8; ++k) value[k] = from[k * step];
#pragma unroll
        for (int k = 0; k < 8; ++k) sum += value[k];
      }
      for (; p < parts; p += slices, from += step) sum += *from;
    }
    shared[id] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (slice == 0 && i < length) {
      for (int k = 1; k < slices; ++k) sum += shared[k * 64 + lane];
      put_sum(SAME_MATRIX, diagonal, sum, alpha, beta, x, y, inc_y, length, i);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#endif
}
