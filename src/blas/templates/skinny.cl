// C = alpha A X + beta C with an X of a few columns, FEW: A is read once, in place, and not packed. C's element (i, j)
// is number first + i * row_step + j * column_step, so that a C of few rows is its own transpose.
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//
// A (FIRST, the kind of its elements) lies along the depth: element (i, k) is number first + i * line + k (`rows`);
// or along its rows: first + i + k * line (`columns`). X is SECOND, or where PACKED is 1 a copy as T, a column after
// another. `parts`: work-items, or groups of them, that share the depth; each leaves sums of its own, which `join`
// adds: in the same order every time.
//===== skinny =====
#if !SPECIAL
#define AFTER_PARAMETERS
#define AFTER_ARGUMENTS
#define AFTER_KERNEL_PARAMETERS
#define AFTER_FROM_PARAMETERS
#endif
#if PACKED
#define X_KIND 0
#else
#define X_KIND SECOND
#endif
#define FOR_FEW(j) _Pragma("unroll") for (int j = 0; j < FEW; ++j)

typedef struct {
  global ELEMENT(RESULT)* c;
  long first, row_step, column_step;
  T alpha, beta;
} Result;

#define RESULT_PARAMETERS \
  global ELEMENT(RESULT)*c, long first, long row_step, long column_step, T alpha, T beta

inline void put_one(const Result to, long i, long j, T sum AFTER_PARAMETERS) {
  const long at = to.first + i * to.row_step + j * to.column_step;
  T value = to.alpha * sum;
  if (to.beta != 0) value = fma(to.beta, GET(RESULT, to.c, at), value);
#if SPECIAL
  value = finished(value, after, i, j, 1);
#endif
  PUT(RESULT, to.c, at, value);
}

// X as T, a column after another.
kernel void pack_x(global const ELEMENT(SECOND)* restrict x, long x_first, long x_step,
                   long x_column_step, long depth, global T* restrict out) {
  FOR_MINE(i, depth * FEW) out[i] = GET(SECOND, x, x_first + i % depth * x_step + i / depth * x_column_step);
}

kernel void join(global const T* restrict sums, long rows, int parts,
                 RESULT_PARAMETERS AFTER_KERNEL_PARAMETERS) {
  AFTER_FROM_PARAMETERS
  const Result to = {c, first, row_step, column_step, alpha, beta};
  FOR_MINE(at, rows * FEW) {
    T sum = 0;
    for (int part = 0; part < parts; ++part) sum += sums[part * rows * FEW + at];
    put_one(to, at % rows, at / rows, sum AFTER_ARGUMENTS);
  }
}

// What a work-item does with a sum: its part's, or the result's.
#define KEEP_SUM(i, j, value)                                \
  if (parts > 1)                                             \
    sums[(part * FEW + (j)) * rows + (i)] = value;           \
  else                                                       \
    put_one(to, i, j, value AFTER_ARGUMENTS);
#define SKINNY_PARAMETERS                                                                     \
  global const ELEMENT(FIRST)*restrict a, long a_first, long line,                            \
      global const ELEMENT(X_KIND)*restrict x, long x_first, long x_step, long x_column_step, \
      long rows, long depth, int parts, global T *restrict sums, RESULT_PARAMETERS,           \
      global const ushort *restrict scales, long scales_first, long group AFTER_KERNEL_PARAMETERS
//===== skinny_cpu =====
// Work-item `part * (items / parts) + number` takes a share of the rows and a part of the depth.
#define GET_VEC(kind, p, i) GET_MANY(kind, LANES, p, i)
#define SHARE                                                                      \
  const int number = get_global_id(0) % (get_global_size(0) / parts);              \
  const int numbers = get_global_size(0) / parts;                                  \
  const int part = get_global_id(0) / numbers;                                     \
  const Result to = {c, first, row_step, column_step, alpha, beta};                \
  AFTER_FROM_PARAMETERS

inline REAL sum_of(VEC v) {
  REAL lanes[LANES], sum = 0;
  KEEP(v, lanes);
  for (int lane = 0; lane < LANES; ++lane) sum += lanes[lane];
  return sum;
}

// Rows that are gone through at a time, so that a vector of X is read once for all: as many as registers hold the
// sums of.
#define AT_ONCE (FEW >= 5 ? 2 : FEW >= 3 ? 3 : FEW == 2 ? 4 : 6)

// The sums of `count` rows from i on, columns [k0, k1) of the depth.
#define ROWS_OF(count)                                                                            \
  {                                                                                               \
    VEC total[count][FEW];                                                                        \
    _Pragma("unroll") for (int r = 0; r < count; ++r) FOR_FEW(j) total[r][j] = 0;                 \
    REAL rest[count][FEW];                                                                        \
    _Pragma("unroll") for (int r = 0; r < count; ++r) FOR_FEW(j) rest[r][j] = 0;                  \
    for (long g0 = k0; g0 < k1; g0 += stretch) {                                                  \
      const long g1 = min(g0 + stretch, k1);                                                      \
      IN_GROUP(count)                                                                             \
      long k = g0;                                                                                \
      for (; has_vectors && k + LANES <= g1; k += LANES) {                                                       \
        VEC y[FEW];                                                                               \
        FOR_FEW(j) y[j] = GET_VEC(X_KIND, x, x_first + k + j * x_column_step);                    \
        _Pragma("unroll") for (int r = 0; r < count; ++r) {                                       \
          const VEC v = GET_VEC(FIRST, a, a_first + (i + r) * line + k);                          \
          FOR_FEW(j) SUM[r][j] = fma(v, y[j], SUM[r][j]);                                         \
        }                                                                                         \
      }                                                                                           \
      const bool ran_vectors = k > g0, runs_on = k < g1;                                          \
      for (; k < g1; ++k)                                                                         \
        _Pragma("unroll") for (int r = 0; r < count; ++r) {                                       \
          const REAL v = GET(FIRST, a, a_first + (i + r) * line + k);                             \
          FOR_FEW(j) REST[r][j] = fma(v, GET(X_KIND, x, x_first + k + j * x_column_step), REST[r][j]); \
        }                                                                                         \
      OUT_OF_GROUP(count)                                                                         \
    }                                                                                             \
    _Pragma("unroll") for (int r = 0; r < count; ++r)                                             \
        FOR_FEW(j) KEEP_SUM(i + r, j, sum_of(total[r][j]) + rest[r][j])                           \
  }
#if GROUPED_FIRST
#define IN_GROUP(count)                                                            \
  VEC of_group[count][FEW];                                                        \
  REAL rest_of_group[count][FEW];                                                  \
  _Pragma("unroll") for (int r = 0; r < count; ++r) FOR_FEW(j) {                   \
    of_group[r][j] = 0;                                                            \
    rest_of_group[r][j] = 0;                                                       \
  }
#define SUM of_group
#define REST rest_of_group
#define OUT_OF_GROUP(count)                                                                       \
  _Pragma("unroll") for (int r = 0; r < count; ++r) {                                             \
    const REAL scale = get_1(scales, scales_first + (i + r) * ((depth + group - 1) / group) + g0 / group); \
    FOR_FEW(j) {                                                                                  \
      /* An infinite scale times a sum that there is not would be no number. */                    \
      if (ran_vectors) total[r][j] = fma((VEC)(scale), of_group[r][j], total[r][j]);              \
      if (runs_on) rest[r][j] = fma(scale, rest_of_group[r][j], rest[r][j]);                      \
    }                                                                                             \
  }
#else
#define IN_GROUP(count)
#define SUM total
#define REST rest
#define OUT_OF_GROUP(count)
#endif

kernel void skinny_rows(SKINNY_PARAMETERS) {
  SHARE
  // Parts of the depth begin where groups do.
  const long unit = GROUPED_FIRST ? group : LANES, units = (depth + unit - 1) / unit;
  const long k0 = units * part / parts * unit, k1 = min(depth, units * (part + 1) / parts * unit);
  const long stretch = GROUPED_FIRST ? group : k1 - k0;
  // Two int4 share a byte: with an odd offset they are read one by one.
  const bool has_vectors = FIRST != 7 || a_first % 2 == 0;
  long i = rows * number / numbers;
  const long end = rows * (number + 1) / numbers;
  for (; i + AT_ONCE <= end; i += AT_ONCE) ROWS_OF(AT_ONCE)
  for (; i < end; ++i) ROWS_OF(1)
}

// Rows whose sums lie in the nearest cache while columns of A, four at a time, go by.
#define HELD (16384 / (int)sizeof(REAL) / FEW / LANES * LANES)

#if !GROUPED_FIRST
kernel void skinny_columns(SKINNY_PARAMETERS) {
  SHARE
  const long k0 = depth * part / parts, k1 = depth * (part + 1) / parts;
  const long vectors = (rows + LANES - 1) / LANES;
  const long from = vectors * number / numbers * LANES;
  const long end = min(rows, vectors * (number + 1) / numbers * LANES);
  REAL held[FEW][HELD];
  for (long i0 = from; i0 < end; i0 += HELD) {
    const int there = (int)min((long)HELD, end - i0), whole = there / LANES * LANES;
    FOR_FEW(j) for (int i = 0; i < there; ++i) held[j][i] = 0;
    for (long k = k0; k < k1; k += 4) {
      long at[4];
      REAL y[FEW][4];
#pragma unroll
      for (int c4 = 0; c4 < 4; ++c4) {
        const long here = min(k + c4, k1 - 1);
        at[c4] = a_first + i0 + here * line;
        FOR_FEW(j) y[j][c4] = GET(X_KIND, x, x_first + here * x_step + j * x_column_step);
      }
      if (k + 4 <= k1) {
        int i = 0;
        for (; i < whole; i += LANES) {
          const VEC v0 = GET_VEC(FIRST, a, at[0] + i), v1 = GET_VEC(FIRST, a, at[1] + i);
          const VEC v2 = GET_VEC(FIRST, a, at[2] + i), v3 = GET_VEC(FIRST, a, at[3] + i);
          FOR_FEW(j) {
            VEC sum = *(private VEC_ANYWHERE*)&held[j][i];
            sum = fma(v0, (VEC)(y[j][0]), sum);
            sum = fma(v1, (VEC)(y[j][1]), sum);
            sum = fma(v2, (VEC)(y[j][2]), sum);
            KEEP(fma(v3, (VEC)(y[j][3]), sum), &held[j][i]);
          }
        }
        for (; i < there; ++i)
          for (int c4 = 0; c4 < 4; ++c4)
            FOR_FEW(j) held[j][i] = fma(GET(FIRST, a, at[c4] + i), y[j][c4], held[j][i]);
      } else {
        for (int c4 = 0; k + c4 < k1; ++c4) {
          int i = 0;
          for (; i < whole; i += LANES) {
            const VEC v = GET_VEC(FIRST, a, at[c4] + i);
            FOR_FEW(j) KEEP(fma(v, (VEC)(y[j][c4]), *(private VEC_ANYWHERE*)&held[j][i]), &held[j][i]);
          }
          for (; i < there; ++i)
            FOR_FEW(j) held[j][i] = fma(GET(FIRST, a, at[c4] + i), y[j][c4], held[j][i]);
        }
      }
    }
    FOR_FEW(j) for (int i = 0; i < there; ++i) KEEP_SUM(i0 + i, j, held[j][i])
  }
}
#endif
//===== skinny_gpu =====
// Work-groups of THREADS work-items: group `part * (groups / parts) + number` takes some rows and a part of the depth.
#define SHARE                                                                      \
  const int number = get_group_id(0) % (get_num_groups(0) / parts);                \
  const int part = get_group_id(0) / (get_num_groups(0) / parts);                  \
  const int item = get_local_id(0);                                                \
  const Result to = {c, first, row_step, column_step, alpha, beta};                \
  AFTER_FROM_PARAMETERS

// 16 bytes of A are WIDE elements.
#if FIRST == 0
#define WIDE (16 / (int)sizeof(REAL))
#elif FIRST == 1 || FIRST == 2
#define WIDE 8
#elif FIRST == 5
#define WIDE 16
#else
#define WIDE 32
#endif
// An integer of 4 or 8 bits as a float: the fraction of 2^23 and it, less 2^23. The device's own conversion takes
// four times as long.
#define WHOLE(bits, half) (as_float(0x4b000000u | ((bits) ^ (half))) - (8388608.0f + (half)))

inline void unpack(const uint4 raw, REAL to[WIDE]) {
  const uint words[4] = {raw.x, raw.y, raw.z, raw.w};
#if FIRST == 0 && DOUBLE
  to[0] = as_double(raw.xy);
  to[1] = as_double(raw.zw);
#else
#pragma unroll
  for (int w = 0; w < 4; ++w) {
    const uint word = words[w];
#if FIRST == 0
    to[w] = as_float(word);
#elif FIRST == 1 && ASYNC
    asm("cvt.f32.f16 %0, %1;" : "=f"(to[2 * w]) : "h"((ushort)word));
    asm("cvt.f32.f16 %0, %1;" : "=f"(to[2 * w + 1]) : "h"((ushort)(word >> 16)));
#elif FIRST == 1
    to[2 * w] = half_of((ushort)word);
    to[2 * w + 1] = half_of((ushort)(word >> 16));
#elif FIRST == 2
    to[2 * w] = as_float(word << 16);
    to[2 * w + 1] = as_float(word & 0xffff0000u);
#elif FIRST == 5
#pragma unroll
    for (int b = 0; b < 4; ++b) to[4 * w + b] = WHOLE(word >> 8 * b & 0xffu, 0x80u);
#else
#pragma unroll
    for (int b = 0; b < 8; ++b) to[8 * w + b] = WHOLE(word >> 4 * b & 0xfu, 8u);
#endif
  }
#endif
}

// A warp of 32 has AT_ONCE rows; its items go along them side by side, WIDE elements each. The part of X that all warps
// need for that is in local memory, with a gap between the items' parts against bank conflicts.
#define AT_ONCE (FEW >= 5 ? 1 : FEW >= 2 ? 2 : 4)
#define WARPS (THREADS / 32)
#define STEP_K (32 * WIDE)

kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void skinny_rows(SKINNY_PARAMETERS) {
  SHARE
  local REAL near_x[FEW][32 * (WIDE + 1)];
  local REAL shared_sums[AT_ONCE * FEW][THREADS];
  const int lane = item % 32;
  const long i0 = ((long)number * WARPS + item / 32) * AT_ONCE;
  const long steps = (depth + STEP_K - 1) / STEP_K;
  const long s0 = steps * part / parts, s1 = steps * (part + 1) / parts;
  const long groups = GROUPED_FIRST ? (depth + group - 1) / group : 0;
  REAL sum[AT_ONCE][FEW];
#pragma unroll
  for (int r = 0; r < AT_ONCE; ++r) FOR_FEW(j) sum[r][j] = 0;
  // The widest loads need aligned addresses; an offset or a line may have spoilt them.
  const bool is_wide = (ulong)a % 16 == 0 && a_first % WIDE == 0 && line % WIDE == 0;
  for (long step = s0; step < s1; ++step) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = item; e < STEP_K; e += THREADS) {
      const long k = step * STEP_K + e;
      FOR_FEW(j) near_x[j][e + e / WIDE] = k < depth ? GET(X_KIND, x, x_first + k + j * x_column_step) : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const long k = step * STEP_K + lane * WIDE;
    if (k >= depth) continue;
    const int there = (int)min((long)WIDE, depth - k);
    REAL v[AT_ONCE][WIDE];
#pragma unroll
    for (int r = 0; r < AT_ONCE; ++r) {
      const long at = a_first + min(i0 + r, rows - 1) * line + k;
      if (is_wide && there == WIDE) {
        unpack(*(global const uint4*)((global const char*)a + at / WIDE * 16), v[r]);
      } else {
#pragma unroll
        for (int e = 0; e < WIDE; ++e) v[r][e] = e < there ? GET(FIRST, a, at + e) : 0;
      }
    }
    REAL of_unit[AT_ONCE][FEW];
#pragma unroll
    for (int r = 0; r < AT_ONCE; ++r) FOR_FEW(j) of_unit[r][j] = 0;
#pragma unroll
    for (int e = 0; e < WIDE; ++e)
      FOR_FEW(j) {
        const REAL y = near_x[j][lane * (WIDE + 1) + e];
#pragma unroll
        for (int r = 0; r < AT_ONCE; ++r) of_unit[r][j] = fma(v[r][e], y, of_unit[r][j]);
      }
#pragma unroll
    for (int r = 0; r < AT_ONCE; ++r) {
#if GROUPED_FIRST
      const REAL scale = get_1(scales, scales_first + min(i0 + r, rows - 1) * groups + k / group);
      FOR_FEW(j) sum[r][j] = fma(scale, of_unit[r][j], sum[r][j]);
#else
      FOR_FEW(j) sum[r][j] += of_unit[r][j];
#endif
    }
  }
#pragma unroll
  for (int r = 0; r < AT_ONCE; ++r) FOR_FEW(j) shared_sums[r * FEW + j][item] = sum[r][j];
  for (int step = 16; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < step)
      for (int s = 0; s < AT_ONCE * FEW; ++s) shared_sums[s][item] += shared_sums[s][item + step];
  }
  if (lane == 0)
    for (int r = 0; r < AT_ONCE && i0 + r < rows; ++r)
      FOR_FEW(j) KEEP_SUM(i0 + r, j, shared_sums[r * FEW + j][item])
}

#if !GROUPED_FIRST
// An item has a row: neighbours read neighbours. What of X is needed next is in local memory.
#define NEAR (2048 / FEW)

kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void skinny_columns(SKINNY_PARAMETERS) {
  SHARE
  local REAL near_x[FEW][NEAR];
  const long i = (long)number * THREADS + item;
  const long k0 = depth * part / parts, k1 = depth * (part + 1) / parts;
  REAL sum[FEW];
  FOR_FEW(j) sum[j] = 0;
  for (long from = k0; from < k1; from += NEAR) {
    const int there = (int)min((long)NEAR, k1 - from);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = item; k < there; k += THREADS)
      FOR_FEW(j) near_x[j][k] = GET(X_KIND, x, x_first + (from + k) * x_step + j * x_column_step);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < rows)
      for (int k = 0; k < there; ++k) {
        const REAL v = GET(FIRST, a, a_first + i + (from + k) * line);
        FOR_FEW(j) sum[j] = fma(v, near_x[j][k], sum[j]);
      }
  }
  if (i < rows) FOR_FEW(j) KEEP_SUM(i, j, sum[j])
}
#endif
