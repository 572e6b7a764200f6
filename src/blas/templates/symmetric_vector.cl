// Level 2: products of a symmetric matrix, of which a triangle is stored, and a vector.
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== mv_sym =====
// part = (S + op(S)) x, where S is a triangle of the matrix without its diagonal and op its
// transposition; both halves in one reading of S. conj 1: S is to be conjugated where it stands; 2:
// where it stands transposed; 0: nowhere.
#if ON_CPU
// Each work-item takes strips of columns, every `items`-th, and adds to a vector of its own,
// part_step after another. A strip is read by stretches of rows, whose elements of x and of the sums
// stay in the nearest cache while the strip's columns pass.
#define STRIP 32
#define STRETCH (8192L / (long)sizeof(T))
#define TOGETHER (LANES * sizeof(REAL) == 64 && !COMPLEX ? 8 : 4)

inline void add_scalar(global const T *column, long first, long end, long j, long conj,
                       global const T *x, global T *y) {
  const T factor = x[j];
  T sum = y[j];
  for (long i = first; i < end; ++i) {
    const T value = column[i];
    y[i] = mul_add(conjugate_if(conj == 1, value), factor, y[i]);
    sum = mul_add(conjugate_if(conj == 2, value), x[i], sum);
  }
  y[j] = sum;
}

// Rows [from, to) of columns [left, right).
inline void add_strip(MATRIX, long from, long to, long left, long right, long conj,
                      global const T *x, global T *y) {
  long next;
  for (long j = left; j < right; j = next) {
    long low, high;
    next = min(j + TOGETHER, right);
    common_rows(SAME_MATRIX, from, to, j, next, TOGETHER, &low, &high);
    if (low < high) {
      global const REAL *c[TOGETHER];
      V p[TOGETHER], q[TOGETHER], straight[TOGETHER], crossed[TOGETHER];
#pragma unroll
      for (int k = 0; k < TOGETHER; ++k) {
        c[k] = (global const REAL *)COLUMN(j + k);
        const T value = x[j + k];
        FACTORS(one, other, value, conj == 1);
        p[k] = one;
        q[k] = other;
        straight[k] = crossed[k] = (V)(0);
      }
      global const REAL *factor = (global const REAL *)x;
      global REAL *sums = (global REAL *)y;
      for (long i = low * PARTS; i < high * PARTS; i += LANES) {
        const V f = LOAD(factor + i);
        V sum = LOAD(sums + i);
#pragma unroll
        for (int k = 0; k < TOGETHER; ++k) {
          const V value = LOAD(c[k] + i);
          sum = ADD(sum, value, p[k], q[k]);
          straight[k] = fma(value, f, straight[k]);
          crossed[k] = ADD_CROSSED(crossed[k], value, f);
        }
        STORE(sum, sums + i);
      }
#pragma unroll
      for (int k = 0; k < TOGETHER; ++k) y[j + k] += sum_of(straight[k], crossed[k], conj == 2);
    }
    for (long k = j; k < next; ++k) {
      const long first = max(FIRST_ROW(k), from), end = min(END_ROW(k), to);
      add_scalar(COLUMN(k), first, min(low, end), k, conj, x, y);
      add_scalar(COLUMN(k), max(first, high), end, k, conj, x, y);
    }
  }
}

kernel void mv_sym(MATRIX, long first_item, long items, long conj, global const T *x,
                   long offset_x, global T *part, long part_step) {
  const long item = first_item + get_global_id(0);
  x += offset_x;
  part += item * part_step;
  for (long i = 0; i < n; ++i) part[i] = zero();
  for (long round = 0; round * items * STRIP < n; ++round) {
    const long strip = round * items + (round % 2 == 0 ? item : items - 1 - item);
    const long left = min(strip * STRIP, n), right = min(left + STRIP, n);
    if (left == right) continue;
    // The rows of the strip's columns, from a multiple of STRETCH to the next.
    const long top = FIRST_ROW(left) / STRETCH * STRETCH, bottom = END_ROW(right - 1);
    for (long row = top; row < bottom; row += STRETCH)
      add_strip(SAME_MATRIX, row, min(row + STRETCH, bottom), left, right, conj, x, part);
  }
}
#else
// A work-group takes a strip of columns, EACH for every 64 of its work-items, and a stretch of
// `chunk` rows of it, a multiple of TALL. What S x gets of them is for the rows: each strip has a
// vector of its own, from number `first_part` on. What op(S) x gets is for the columns: each stretch
// has a vector, from number 0 on. All of each is written, zeros where S has nothing.
#define EACH (sizeof(T) > 8 ? 8 : 16)
#define TALL 256
#define DEEP 4                       // rows of a work-item, 64 apart
#define AT_ONCE (32 / (int)sizeof(T))  // columns that are read before they are used

kernel void mv_sym(MATRIX, long from, long to, long chunk, long first_part, long conj,
                   global const T *x, long offset_x, global T *part, long part_step) {
  local T shared[4 * TALL];
  const int id = get_local_id(0), size = get_local_size(0);
  const int lane = id % 64, slice = id / 64, slices = size / 64;
  const long width = slices * EACH, strips = (to - from + width - 1) / width;
  const long strip = get_group_id(0) % strips, stretch = get_group_id(0) / strips;
  const long left = from + strip * width, right = min(left + width, to), own = left + slice * EACH;
  const long end = min((stretch + 1) * chunk, n);
  x += offset_x;
  global T *rows = part + (first_part + strip) * part_step;
  T factor[EACH], sums[EACH];
#pragma unroll
  for (int k = 0; k < EACH; ++k) {
    factor[k] = own + k < right ? x[own + k] : zero();
    sums[k] = zero();
  }
  for (long row = stretch * chunk; row < end; row += TALL) {
    T value[DEEP], sum[DEEP];
#pragma unroll
    for (int d = 0; d < DEEP; ++d) {
      const long i = row + d * 64 + lane;
      value[d] = i < end ? x[i] : zero();
      sum[d] = zero();
    }
    if (right - left == width && row + TALL <= end && FIRST_ROW(right - 1) <= row &&
        END_ROW(left) >= row + TALL) {
      global const T *column = COLUMN(own) + row + lane;
      long next = step_a + growth_a * (own + 1);  // to the next column
#pragma unroll
      for (int first = 0; first < EACH; first += AT_ONCE) {
        T element[AT_ONCE][DEEP];
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
#pragma unroll
          for (int d = 0; d < DEEP; ++d) element[k][d] = column[d * 64];
          column += next;
          next += growth_a;
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k)
#pragma unroll
          for (int d = 0; d < DEEP; ++d) {
            const T e = element[k][d];
            sum[d] = mul_add(conjugate_if(conj == 1, e), factor[first + k], sum[d]);
            sums[first + k] = mul_add(conjugate_if(conj == 2, e), value[d], sums[first + k]);
          }
      }
    } else if (FIRST_ROW(left) < row + TALL && END_ROW(right - 1) > row) {
      // Around the diagonal, and at the ends of the matrix.
#pragma unroll
      for (int k = 0; k < EACH; ++k) {
        const long j = own + k;
        if (j >= right) continue;
        const long first = FIRST_ROW(j), last = min(END_ROW(j), end);
#pragma unroll
        for (int d = 0; d < DEEP; ++d) {
          const long i = row + d * 64 + lane;
          if (i < first || i >= last) continue;
          const T e = COLUMN(j)[i];
          sum[d] = mul_add(conjugate_if(conj == 1, e), factor[k], sum[d]);
          sums[k] = mul_add(conjugate_if(conj == 2, e), value[d], sums[k]);
        }
      }
    }
#pragma unroll
    for (int d = 0; d < DEEP; ++d) shared[slice * TALL + d * 64 + lane] = sum[d];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = id; i < TALL && row + i < end; i += size) {
      T all = shared[i];
      for (int k = 1; k < slices; ++k) all += shared[k * TALL + i];
      rows[row + i] = all;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  // The sums of the columns, four of each slice at a time: over 64 lanes in two steps.
  global T *columns = part + stretch * part_step;
#pragma unroll
  for (int first = 0; first < EACH; first += 4) {
#pragma unroll
    for (int k = 0; k < 4; ++k) shared[(slice * 4 + k) * 64 + lane] = sums[first + k];
    barrier(CLK_LOCAL_MEM_FENCE);
    const int column = id / 16, at = column * 64 + id % 16;  // of 4 slices
    const T sum = shared[at] + shared[at + 16] + (shared[at + 32] + shared[at + 48]);
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[id] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    const long j = left + (id / 4) * EACH + first + id % 4;
    if (id < slices * 4 && j < right) {
      T all = zero();
      for (int k = 0; k < 16; ++k) all += shared[id * 16 + k];
      columns[j] = all;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
#endif
