// Level 3 on GPUs: a product of panels through local memory, with ordinary arithmetic (product_simt) or
// by matrix units (product_mma), between what both share.
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== product_gpu =====
// What the forms of the product for GPUs share: the walk over the panels through local memory, and
// the writing of the result. `product` has the panels, then the arguments from `c` to `range` as
// product_tasks.cl has them.
//
// A work-group computes a tile of ROWS x COLUMNS with THREADS work-items. STEP columns of both
// panels at a time are in local memory, STAGES of them: while one is computed on, the others are on
// their way. A line of local memory is PAD reals longer than it need be, against bank conflicts.
#define LINE_A (ROWS + PAD)
#define LINE_B (COLUMNS + PAD)
#define STAGE_A (STEP * PARTS * LINE_A)
#define STAGE_B (STEP * PARTS * LINE_B)
#define REALS_16 (16 / (int)sizeof(REAL))

#if ASYNC
// 16 bytes from global to local memory, past the registers.
inline void copy_16(local REAL* to, global const REAL* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint)(ulong)to), "l"(from) : "memory");
}
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define ARRIVED(stages) asm volatile("cp.async.wait_group %0;" ::"n"((stages) - 2) : "memory")
#else
inline void copy_16(local REAL* to, global const REAL* from) {
  *(local float4*)to = *(global const float4*)from;
}
#define COMMIT()
#define ARRIVED(stages)
#endif

// Copies `lines` lines of `width` reals that lie side by side.
inline void copy_lines(local REAL* to, global const REAL* from, int lines, int width, int line,
                       int item) {
  const int chunks = width / REALS_16;
#pragma unroll
  for (int chunk = item; chunk < lines * chunks; chunk += THREADS)
    copy_16(to + chunk / chunks * line + chunk % chunks * REALS_16, from + chunk * REALS_16);
}

// Writes one element of the result: alpha value + beta old, where the triangle has it.
inline void put_result(global T* c, long ld, long i, long j, long rows, long columns, T value,
                       T alpha, T beta, int triangle, int hermitian) {
  if (i >= rows || j >= columns || (triangle == 1 && i < j) || (triangle == 2 && i > j)) return;
  global T* at = c + j * ld + i;
  value = mul(alpha, value);
  const bool real = hermitian && i == j;  // what stands there for an imaginary part is not read
  if (!is_zero(beta)) value = mul_add(beta, real ? real_part(*at) : *at, value);
  if (real) value = real_part(value);
  *at = value;
}

// Which tile a work-group computes: strips of 8 columns of tiles, so that the work-groups of one
// moment share panels in the cache.
inline void find_tile(long group, long row_end, long column_end, long* p, long* q) {
  const long strip = group / (row_end * 8) * 8, width = min(8L, column_end - strip);
  const long inside = group - strip * row_end;
  *p = inside / width;
  *q = strip + inside % width;
}
//===== product_simt =====
// A tile by ordinary multiply-adds. 256 work-items as 4 x 2 warps of 4 x 8 lanes (64 as 2 x 1); each
// computes TR x TC elements, in pieces of 4 x 4 that lie one warp's width apart, so that neighbours
// read neighbours.
#if THREADS == 256
#define WARPS_DOWN 4
#define WARPS_ALONG 2
#else
#define WARPS_DOWN 2
#define WARPS_ALONG 1
#endif
#define TR (ROWS / (WARPS_DOWN * 4))
#define TC (COLUMNS / (WARPS_ALONG * 8))
typedef JOIN(REAL_NAME, 4) REAL4;

#define TILE_STATE                                                              \
  const int warp = item / 32, lane = item % 32;                                 \
  const int row = warp % WARPS_DOWN * 4 * TR + lane % 4 * 4;                    \
  const int column = warp / WARPS_DOWN * 8 * TC + lane / 4 * 4;                 \
  REAL acc[PARTS][TR][TC];                                                      \
  _Pragma("unroll") for (int part = 0; part < PARTS; ++part)                    \
      _Pragma("unroll") for (int i = 0; i < TR; ++i)                            \
          _Pragma("unroll") for (int j = 0; j < TC; ++j) acc[part][i][j] = 0;

inline void tile_step(local const REAL* a, local const REAL* b, int row, int column,
                      REAL acc[PARTS][TR][TC]) {
#pragma unroll
  for (int k = 0; k < STEP; ++k) {
    REAL x[PARTS][TR], y[PARTS][TC];
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
#pragma unroll
      for (int i = 0; i < TR; i += 4)
        vstore4(*(local const REAL4*)(a + (k * PARTS + part) * LINE_A + row + i * 4), 0,
                &x[part][i]);
#pragma unroll
      for (int j = 0; j < TC; j += 4)
        vstore4(*(local const REAL4*)(b + (k * PARTS + part) * LINE_B + column + j * 8), 0,
                &y[part][j]);
    }
#pragma unroll
    for (int i = 0; i < TR; ++i)
#pragma unroll
      for (int j = 0; j < TC; ++j) {
        acc[0][i][j] = fma(x[0][i], y[0][j], acc[0][i][j]);
#if COMPLEX
        acc[0][i][j] = fma(-x[1][i], y[1][j], acc[0][i][j]);
        acc[1][i][j] = fma(x[0][i], y[1][j], acc[1][i][j]);
        acc[1][i][j] = fma(x[1][i], y[0][j], acc[1][i][j]);
#endif
      }
  }
}
#define TILE_STEP(a, b) tile_step(a, b, row, column, acc);

#if COMPLEX
#define ACCUMULATED(i, j) (T)(acc[0][i][j], acc[1][i][j])
#else
#define ACCUMULATED(i, j) acc[0][i][j]
#endif
#define TILE_STORE()                                                                       \
  _Pragma("unroll") for (int j = 0; j < TC; ++j)                                           \
      _Pragma("unroll") for (int i = 0; i < TR; ++i)                                       \
          put_result(c, ld, i0 + row + i / 4 * 16 + i % 4, j0 + column + j / 4 * 32 + j % 4, \
                     rows, columns, ACCUMULATED(i, j), alpha, beta, triangle, hermitian);
//===== product_mma =====
// A tile by the double-precision matrix units of NVIDIA devices: mma.sync m16n8k4, whose fragments
// the PTX instruction set describes (lane = 4 * group + member: A has rows group and group + 8,
// column member; B row member, column group; C rows group and group + 8, columns 2 * member and the
// next). 8 warps as 2 x 4, each with MI x NI such tiles.
#define MI (ROWS / 32)
#define NI (COLUMNS / 32)

inline void mma(double c[4], double a0, double a1, double b) {
  asm volatile(
      "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a0), "d"(a1), "d"(b));
}

#define TILE_STATE                                                      \
  const int warp = item / 32, member = item % 4, group = item % 32 / 4; \
  const int row = warp % 2 * (ROWS / 2), column = warp / 2 * (COLUMNS / 4); \
  double acc[PARTS][MI][NI][4];                                         \
  _Pragma("unroll") for (int part = 0; part < PARTS; ++part)            \
      _Pragma("unroll") for (int i = 0; i < MI; ++i)                    \
          _Pragma("unroll") for (int j = 0; j < NI; ++j)                \
              _Pragma("unroll") for (int e = 0; e < 4; ++e) acc[part][i][j][e] = 0;

inline void tile_step(local const double* a, local const double* b, int row, int column,
                      int member, int group, double acc[PARTS][MI][NI][4]) {
#pragma unroll
  for (int k = 0; k < STEP; k += 4) {
    double x[PARTS][MI][2], y[PARTS][NI];
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
      local const double* line_a = a + ((k + member) * PARTS + part) * LINE_A + row + group;
      local const double* line_b = b + ((k + member) * PARTS + part) * LINE_B + column + group;
#pragma unroll
      for (int i = 0; i < MI; ++i) {
        x[part][i][0] = line_a[i * 16];
        x[part][i][1] = line_a[i * 16 + 8];
      }
#pragma unroll
      for (int j = 0; j < NI; ++j) y[part][j] = line_b[j * 8];
    }
#pragma unroll
    for (int i = 0; i < MI; ++i)
#pragma unroll
      for (int j = 0; j < NI; ++j) {
        mma(acc[0][i][j], x[0][i][0], x[0][i][1], y[0][j]);
#if COMPLEX
        mma(acc[0][i][j], x[1][i][0], x[1][i][1], -y[1][j]);
        mma(acc[1][i][j], x[0][i][0], x[0][i][1], y[1][j]);
        mma(acc[1][i][j], x[1][i][0], x[1][i][1], y[0][j]);
#endif
      }
  }
}
#define TILE_STEP(a, b) tile_step(a, b, row, column, member, group, acc);

#if COMPLEX
#define ACCUMULATED(i, j, e) (T)(acc[0][i][j][e], acc[1][i][j][e])
#else
#define ACCUMULATED(i, j, e) acc[0][i][j][e]
#endif
#define TILE_STORE()                                                                      \
  _Pragma("unroll") for (int j = 0; j < NI; ++j)                                          \
      _Pragma("unroll") for (int i = 0; i < MI; ++i)                                      \
          _Pragma("unroll") for (int e = 0; e < 4; ++e)                                   \
              put_result(c, ld, i0 + row + i * 16 + group + e / 2 * 8,                    \
                         j0 + column + j * 8 + member * 2 + e % 2, rows, columns,         \
                         ACCUMULATED(i, j, e), alpha, beta, triangle, hermitian);
//===== product_walk =====
// The kernel itself, around TILE_STATE (the accumulators), TILE_STEP(a, b) (a stage's worth of
// work) and TILE_STORE() of the form.
//
// Where the result has too few tiles for the device, each is computed by `parts` work-groups, which
// share its depth and write results of their own, part_step after another; `gather` adds them.
kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void product(
    global const REAL* restrict first, global const REAL* restrict second, global T* restrict c,
    long offset, long ld, long rows, long columns, long depth, T alpha, T beta, int triangle,
    int hermitian, int range, int parts, long part_step) {
  local REAL __attribute__((aligned(16))) stages_a[STAGES * STAGE_A];
  local REAL __attribute__((aligned(16))) stages_b[STAGES * STAGE_B];
  const int item = get_local_id(0);
  const long row_end = (rows + ROWS - 1) / ROWS, column_end = (columns + COLUMNS - 1) / COLUMNS;
  long p, q;
  const int part = (int)(get_group_id(0) / (row_end * column_end));
  find_tile(get_group_id(0) % (row_end * column_end), row_end, column_end, &p, &q);
  const long i0 = p * ROWS, j0 = q * COLUMNS;
  if ((triangle == 1 && i0 + ROWS <= j0) || (triangle == 2 && j0 + COLUMNS <= i0)) return;
  // The depth that matters, in whole steps: beyond it the panels hold zeros.
  const long padded = (depth + STEP - 1) / STEP * STEP;
  const long begin = (range == 2 ? i0 : range == 3 ? j0 : 0) / STEP;
  const long end = range == 1   ? min(padded, i0 + ROWS) / STEP
                   : range == 4 ? min(padded, j0 + COLUMNS) / STEP
                                : padded / STEP;
  const long from = begin + (end - begin) * part / parts;
  const long to = begin + (end - begin) * (part + 1) / parts;
  first += (p * padded + from * STEP) * ROWS * PARTS;
  second += (q * padded + from * STEP) * COLUMNS * PARTS;
  const int steps = (int)(to - from);
  TILE_STATE
#define FETCH(step)                                                                             \
  {                                                                                             \
    copy_lines(stages_a + (step) % STAGES * STAGE_A, first + (long)(step)*STEP * ROWS * PARTS,   \
               STEP * PARTS, ROWS, LINE_A, item);                                               \
    copy_lines(stages_b + (step) % STAGES * STAGE_B,                                            \
               second + (long)(step)*STEP * COLUMNS * PARTS, STEP * PARTS, COLUMNS, LINE_B,     \
               item);                                                                           \
  }
  for (int step = 0; step < STAGES - 1; ++step) {
    if (step < steps) FETCH(step)
    COMMIT();
  }
  for (int step = 0; step < steps; ++step) {
    ARRIVED(STAGES);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (step + STAGES - 1 < steps) FETCH(step + STAGES - 1)
    COMMIT();
    TILE_STEP(stages_a + step % STAGES * STAGE_A, stages_b + step % STAGES * STAGE_B)
  }
  c += offset + part * part_step;
  TILE_STORE()
}

// C = alpha (the sum of the parts) + beta C, a column after another.
kernel void gather(global const T* restrict sums, long part_step, int parts, global T* restrict c,
                   long offset, long ld, long rows, long columns, long depth, T alpha, T beta,
                   int triangle, int hermitian, int range) {
  c += offset;
  for (long at = get_global_id(0); at < rows * columns; at += get_global_size(0)) {
    T sum = zero();
    for (int part = 0; part < parts; ++part) sum += sums[part * part_step + at];
    put_result(c, ld, at % rows, at / rows, rows, columns, sum, alpha, beta, triangle, hermitian);
  }
}
