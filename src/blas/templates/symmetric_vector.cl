// Level 2: products of a symmetric matrix, of which a triangle is stored, and a vector.
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== strips =====
// How GPUs cut a triangle: into strips of WIDTH columns, each of which begins or ends at a square at
// the diagonal, and beyond the squares into stretches of `chunk` rows. A work-item reads DEEP
// elements of a column at once: 16 bytes.
#define WIDTH (COMPLEX ? 16 : 32)
#define DEEP (16 / (int)sizeof(T))
#define IS_LOWER (up < 0)
// Whether 16 bytes begin at the same rows of all columns; then one of these rows is -LEAD, where the
// stretches begin.
#define IS_WIDE (growth_a == 0 && step_a % DEEP == 0)
#define LEAD (IS_WIDE ? (long)((size_t)(a + offset_a) / sizeof(T) % DEEP) : 0L)
// The stretch that is nearest to the square of columns [left, right).
#define NEAREST(left, right, lead)                                    \
  (IS_LOWER ? min(((right) + (lead)) / chunk, stretches - 1) \
            : max(0L, (left)-1 + (lead)) / chunk)

#if COMPLEX && DOUBLE
inline void read_rows(global const T *from, T *to) { to[0] = *from; }
inline void write_rows(global T *to, const T *from) { *to = from[0]; }
#elif COMPLEX || DOUBLE
#if COMPLEX
typedef float4 ROWS;
#else
typedef double2 ROWS;
#endif
inline void read_rows(global const T *from, T *to) {
  const ROWS rows = *(global const ROWS *)from;
  to[0] = rows.lo;
  to[1] = rows.hi;
}
inline void write_rows(global T *to, const T *from) { *(global ROWS *)to = (ROWS)(from[0], from[1]); }
#else
inline void read_rows(global const T *from, T *to) {
  const float4 rows = *(global const float4 *)from;
  to[0] = rows.s0;
  to[1] = rows.s1;
  to[2] = rows.s2;
  to[3] = rows.s3;
}
inline void write_rows(global T *to, const T *from) {
  *(global float4 *)to = (float4)(from[0], from[1], from[2], from[3]);
}
#endif
//===== mv_sym =====
// part = (S + op(S)) x, where S is a triangle of the matrix without its diagonal and op its
// transposition; both halves in one reading of S. conj 1: S is to be conjugated where it stands; 2:
// where it stands transposed; 0: nowhere.
#if ON_CPU
// Each work-item takes strips of columns, every `items`-th, and adds to a vector of its own,
// part_step after another. A strip is read by stretches of rows, whose elements of x and of the sums
// stay in a near cache while the strip's columns pass.
#define STRIP 32
#define STRETCH (32768L / (long)sizeof(T))
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
// A work-group takes a strip of columns and a stretch of rows (see strips). What S x gets of them is
// for the rows: each strip has a vector of its own, from number `first_row_part` on. What op(S) x
// gets is for the columns: each stretch has a vector, from number `first_column_part` on. The square
// at the diagonal, with the diagonal, is part of the rows. Written is only what S has elements for,
// and mv_sym_sum reads no more. diagonal: 0 none of it, 1 as it is, 2 its real parts.
//
// A work-item takes all of the strip's columns of a few rows: the sums of its rows are whole at
// once, and those of the columns stay in its registers until the end. So there is no barrier on the
// way down.
#define AT_ONCE (COMPLEX && !DOUBLE ? 8 : 16)  // columns that are read before they are used
#define KEPT (128 / (int)sizeof(T))  // columns whose sums are summed up together

// What the row and the column `own` of the square [left, right) give.
inline T square_sum(MATRIX, long left, long right, long own, long conj, long diagonal,
                    local const T *factor) {
  T sum = zero();
  for (int first = 0; first < WIDTH; first += 8) {
    T element[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const long other = left + first + k;
      const bool is_row = IS_LOWER ? other <= own : other >= own;
      element[k] = zero();
      if (other < right && (other != own || diagonal))
        element[k] = is_row ? COLUMN(other)[own] : COLUMN(own)[other];
      if (other == own && diagonal == 2) element[k] = real_part(element[k]);
      element[k] = conjugate_if(other != own && conj == (is_row ? 1 : 2), element[k]);
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) sum = mul_add(element[k], factor[first + k], sum);
  }
  return sum;
}

kernel void mv_sym(MATRIX, long from, long to, long chunk, long stretches, long first_row_part,
                   long first_column_part, long conj, long diagonal, global const T *x,
                   long offset_x, global T *part, long part_step) {
  local T factor[WIDTH], shared[KEPT * 128];
  const int id = get_local_id(0), size = get_local_size(0);
  const long strips = (to - from + WIDTH - 1) / WIDTH;
  const long strip = from / WIDTH + get_group_id(0) % strips;
  const long left = strip * WIDTH, right = min(left + WIDTH, to), count = right - left;
  // Those at the diagonal may have the least to do, and come last; the most distant are not there.
  const long away = stretches - 1 - get_group_id(0) / strips, lead = LEAD;
  const long stretch = NEAREST(left, right, lead) + (IS_LOWER ? away : -away);
  if (stretch < 0 || stretch >= stretches) return;
  const long top = max(stretch * chunk - lead, IS_LOWER ? right : 0);
  const long end = min((stretch + 1) * chunk - lead, IS_LOWER ? n : left);
  x += offset_x;
  for (int k = id; k < WIDTH; k += size) factor[k] = k < count ? x[left + k] : zero();
  barrier(CLK_LOCAL_MEM_FENCE);
  T sums[WIDTH];
#pragma unroll
  for (int k = 0; k < WIDTH; ++k) sums[k] = zero();
  global T *rows = part + (first_row_part + strip) * part_step;
  const bool wide = IS_WIDE;
  // Work-items side by side read what lies side by side.
  const long apart = wide ? 1 : 64;
  const int own_row = wide ? id * DEEP : id / 64 * 64 * DEEP + id % 64;
  for (long row = (top + lead) / DEEP * DEEP - lead; row < end; row += DEEP * size) {
    const long first_row = row + own_row;
    if (first_row >= end) break;
    int here[DEEP];  // columns that a row has
    T value[DEEP], sum[DEEP];
#pragma unroll
    for (int d = 0; d < DEEP; ++d) {
      const long i = first_row + d * apart;
      here[d] = i >= top && i < end ? (int)count : 0;
      value[d] = here[d] ? x[i] : zero();
      sum[d] = zero();
    }
    const bool whole = first_row >= top && first_row + (DEEP - 1) * apart < end;
    global const T *column = COLUMN(left) + first_row;
    if (wide && whole && count == WIDTH) {
#pragma unroll
      for (int first = 0; first < WIDTH; first += AT_ONCE) {
        T element[AT_ONCE][DEEP];
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
          read_rows(column, element[k]);
          column += step_a;
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
    } else {
      long next = step_a + growth_a * (left + 1);  // to the next column
#pragma unroll
      for (int first = 0; first < WIDTH; first += AT_ONCE) {
        T element[AT_ONCE][DEEP];
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
#pragma unroll
          for (int d = 0; d < DEEP; ++d)
            element[k][d] = first + k < here[d] ? column[d * apart] : zero();
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
    }
    if (wide && lead == 0 && whole) {
      write_rows(rows + first_row, sum);
    } else {
#pragma unroll
      for (int d = 0; d < DEEP; ++d)
        if (here[d]) rows[first_row + d * apart] = sum[d];
    }
  }
  // The last work-items have the fewest rows.
  const long own = left + size - 1 - id;
  if (away == 0 && own < right)
    rows[own] = square_sum(SAME_MATRIX, left, right, own, conj, diagonal, factor);
  // The sums of the columns. First a work-item adds up those of KEPT others for one column; it
  // begins where its neighbours do not, for the sake of the local memory's banks.
  const int pieces = size / KEPT, kept = id / pieces, piece = id % pieces;
#pragma unroll
  for (int first = 0; first < WIDTH; first += KEPT) {
#pragma unroll
    for (int k = 0; k < KEPT; ++k) shared[k * size + id] = sums[first + k];
    barrier(CLK_LOCAL_MEM_FENCE);
    T all = zero();
    for (int k = 0; k < KEPT; ++k) all += shared[kept * size + (kept + k) % KEPT * pieces + piece];
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[id] = all;
    barrier(CLK_LOCAL_MEM_FENCE);
    const long j = left + first + id;
    if (id < KEPT && j < right) {
      all = zero();
      for (int k = 0; k < pieces; ++k) all += shared[id * pieces + k];
      part[(first_column_part + stretch) * part_step + j] = all;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
#endif
//===== mv_sym_sum =====
// y = alpha (the sum of what mv_sym left) + beta y, on GPUs. A work-group takes 16 elements; each 16
// of its work-items take some of the parts, eight at a time.
kernel void mv_sym_sum(MATRIX, long chunk, long stretches, global const T *part, long part_step,
                       T alpha, T beta, global T *y, long offset_y, long inc_y) {
  local T shared[256];
  const int id = get_local_id(0), lane = id % 16, slice = id / 16, slices = get_local_size(0) / 16;
  const long i = (long)get_group_id(0) * 16 + lane;
  T sum = zero();
  if (i < n) {
    // Of a lower triangle the stretches' vectors come first, of an upper one the strips'.
    const long strip = i / WIDTH, left = strip * WIDTH, strips = (n + WIDTH - 1) / WIDTH;
    const long nearest = NEAREST(left, min(left + WIDTH, n), LEAD);
    const long begin = IS_LOWER ? nearest : strip;
    const long end = (IS_LOWER ? stretches + strip : strips + nearest) + 1;
    const long step = slices * part_step;
    long p = begin + slice;
    global const T *from = part + p * part_step + i;
    for (; p + 7 * slices < end; p += 8 * slices, from += 8 * step) {
      T value[8];
#pragma unroll
      for (int k = 0; k < 8; ++k) value[k] = from[k * step];
#pragma unroll
      for (int k = 0; k < 8; ++k) sum += value[k];
    }
    for (; p < end; p += slices, from += step) sum += *from;
  }
  shared[id] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (slice == 0 && i < n) {
    for (int k = 1; k < slices; ++k) sum += shared[k * 16 + lane];
    put(y + offset_y + place(i, n, inc_y), alpha, sum, beta);
  }
}
//===== mv_sym_few =====
// y = alpha (S + op(S) + D) x + beta y in one launch, on GPUs, for matrices so small that a launch
// costs more than reading both halves. A work-group takes 32 rows; its work-items of one row take
// the columns in turn, and add up what they have. diagonal, conj: as mv_sym takes them.
#define TOGETHER 4  // columns that are read before they are used
kernel void mv_sym_few(MATRIX, long conj, long diagonal, global const T *x, long offset_x, T alpha,
                       T beta, global T *y, long offset_y, long inc_y) {
  local T shared[256];
  const int id = get_local_id(0), row = id % 32, slice = id / 32, slices = get_local_size(0) / 32;
  const long i = (long)get_group_id(0) * 32 + row;
  x += offset_x;
  T sum = zero();
  if (i < n)
    for (long first = slice; first < n; first += TOGETHER * slices) {
      // What is not there is no number of the matrix: x may be infinite where it would be.
      T element[TOGETHER], factor[TOGETHER];
#pragma unroll
      for (int k = 0; k < TOGETHER; ++k) {
        const long j = first + k * slices;
        element[k] = factor[k] = zero();
        // S is without its diagonal, which lies where a column of S would go on.
        const bool is_diagonal = i == j && diagonal;
        const bool stands = j < n && i != j && i >= FIRST_ROW(j) && i < END_ROW(j);
        const bool is_mirrored = j < n && i != j && j >= FIRST_ROW(i) && j < END_ROW(i);
        if (is_diagonal || stands)
          element[k] = COLUMN(j)[i];
        else if (is_mirrored)
          element[k] = COLUMN(i)[j];
        if (is_diagonal || stands || is_mirrored) factor[k] = x[j];
        if (is_diagonal && diagonal == 2) element[k] = real_part(element[k]);
        element[k] = conjugate_if((stands && conj == 1) || (is_mirrored && conj == 2), element[k]);
      }
#pragma unroll
      for (int k = 0; k < TOGETHER; ++k) sum = mul_add(element[k], factor[k], sum);
    }
  shared[id] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (slice == 0 && i < n) {
    for (int k = 1; k < slices; ++k) sum += shared[k * 32 + row];
    put(y + offset_y + place(i, n, inc_y), alpha, sum, beta);
  }
}
