// Level 3 on GPUs: a product of panels through local memory, with ordinary arithmetic (product_simt) or
// by matrix units (product_mma), between what both share. gpu_stages.cl has how the panels get there.
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
#define REALS_16 (16 / (int)sizeof(PANEL))
#ifndef FLIPPED
#define FLIPPED 0
#endif

// Sums of a tile: PANEL_T. Of integers a result of int32 is made by integers alone, with whole alpha and beta.
#if INTEGER
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#else
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#endif
#if !SPECIAL
#define AFTER_PARAMETERS
#define AFTER_ARGUMENTS
#define AFTER_KERNEL_PARAMETERS
#define AFTER_FROM_PARAMETERS
#endif

// Writes one element of the result: alpha value + beta old, and what becomes of that, where the triangle has it.
inline void put_result(global ELEMENT(RESULT)* c, long first, long ld, long i, long j, long rows,
                       long columns, PANEL_T sum, T alpha, T beta, int triangle,
                       int hermitian AFTER_PARAMETERS) {
  if (i >= rows || j >= columns || (triangle == 1 && i < j) || (triangle == 2 && i > j)) return;
  const long at = first + j * ld + i;
#if INTEGER && RESULT == 6
  long value = (long)alpha * sum;
  if (beta != 0) value += (long)beta * c[at];
  c[at] = convert_int_sat(value);
#else
#if INTEGER
  T value = alpha * convert_float(sum);
#else
  T value = mul(alpha, sum);
#endif
  const bool real = hermitian && i == j;  // what stands there for an imaginary part is not read
  if (!is_zero(beta)) {
    const T old = GET(RESULT, c, at);
    value = mul_add(beta, real ? real_part(old) : old, value);
  }
  if (real) value = real_part(value);
#if SPECIAL
  value = finished(value, after, i, j, 1);
#endif
  PUT(RESULT, c, at, value);
#endif
}

// What a work-group computes: steps [from, to) of the depth of a tile of one item of a batch, which are
// the `part`-th of `parts` that one of their work-groups joins. `number`: of the tile, of those that
// are cut into such parts.
typedef struct {
  int of_batch, p, q, from, to, number, part, parts;
} Work;
// The tiles of a result, and which of them and of their depth matter.
typedef struct {
  int row_end, column_end, steps, triangle, range, parts;
} Sizes;

// A tile by its number: strips of 8 columns of tiles, so that the work-groups of one moment share
// panels in the cache.
inline void find_tile(int number, const Sizes* sizes, Work* work) {
  const int strip = number / (sizes->row_end * 8) * 8;
  const int width = min(8, sizes->column_end - strip), inside = number - strip * sizes->row_end;
  work->p = inside / width;
  work->q = strip + inside % width;
}

// A part of a tile by its number, of all items' parts of tiles. False where there is nothing to compute.
inline bool find_part(int number, const Sizes* sizes, Work* work) {
  const int tiles = sizes->row_end * sizes->column_end, parts = sizes->parts;
  find_tile(number % tiles, sizes, work);
  work->part = number / tiles % parts;
  work->parts = 1;
  work->number = 0;
  work->of_batch = number / tiles / parts;
  const int i0 = work->p * ROWS, j0 = work->q * COLUMNS;
  // The depth that matters, in whole steps: beyond it the panels hold zeros.
  const int range = sizes->range;
  const int begin = (range == 2 ? i0 : range == 3 ? j0 : 0) / STEP;
  const int end = min(sizes->steps, range == 1   ? (i0 + ROWS + STEP - 1) / STEP
                                    : range == 4 ? (j0 + COLUMNS + STEP - 1) / STEP
                                                 : sizes->steps);
  work->from = begin + (int)((long)(end - begin) * work->part / parts);
  work->to = begin + (int)((long)(end - begin) * (work->part + 1) / parts);
  return !((sizes->triangle == 1 && i0 + ROWS <= j0) || (sizes->triangle == 2 && j0 + COLUMNS <= i0));
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
#if INTEGER
typedef int4 PANEL4;
#else
typedef JOIN(REAL_NAME, 4) PANEL4;
#endif

#define TILE_STATE                                                              \
  const int warp = item / 32, lane = item % 32;                                 \
  const int row = warp % WARPS_DOWN * 4 * TR + lane % 4 * 4;                    \
  const int column = warp / WARPS_DOWN * 8 * TC + lane / 4 * 4;                 \
  PANEL acc[PARTS][TR][TC];
#define TILE_CLEAR                                                              \
  _Pragma("unroll") for (int part = 0; part < PARTS; ++part)                    \
      _Pragma("unroll") for (int i = 0; i < TR; ++i)                            \
          _Pragma("unroll") for (int j = 0; j < TC; ++j) acc[part][i][j] = 0;

inline void tile_step(local const PANEL* a, local const PANEL* b, int row, int column,
                      PANEL acc[PARTS][TR][TC]) {
// More would leave the cache of instructions.
#if COMPLEX
#pragma unroll 8
#else
#pragma unroll 16
#endif
  for (int k = 0; k < STEP; ++k) {
    PANEL x[PARTS][TR], y[PARTS][TC];
#pragma unroll
    for (int part = 0; part < PARTS; ++part)
#pragma unroll
      for (int i = 0; i < TR; i += 4)
        vstore4(*(local const PANEL4*)(a + (k * PARTS + part) * LINE_A + row + i * 4), 0,
                &x[part][i]);
#pragma unroll
    for (int part = 0; part < PARTS; ++part)
#pragma unroll
      for (int j = 0; j < TC; j += 4)
        vstore4(*(local const PANEL4*)(b + (k * PARTS + part) * LINE_B + column + j * 8), 0,
                &y[part][j]);
    // Without COMPLEX there and back, so that an instruction at the turn has an operand of the one
    // before, too.
#pragma unroll
    for (int i = 0; i < TR; ++i)
#pragma unroll
      for (int n = 0; n < TC; ++n) {
        const int j = COMPLEX || i % 2 == 0 ? n : TC - 1 - n;
        acc[0][i][j] = MULTIPLY_ADD(x[0][i], y[0][j], acc[0][i][j]);
#if COMPLEX
        acc[0][i][j] = fma(-x[1][i], y[1][j], acc[0][i][j]);
        // Where the factors are exchanged, these sums have the bits that they have where they are not.
        acc[1][i][j] = fma(x[FLIPPED][i], y[1 - FLIPPED][j], acc[1][i][j]);
        acc[1][i][j] = fma(x[1 - FLIPPED][i], y[FLIPPED][j], acc[1][i][j]);
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
#define TILE_STORE(put)                                                                    \
  _Pragma("unroll") for (int j = 0; j < TC; ++j)                                           \
      _Pragma("unroll") for (int i = 0; i < TR; ++i)                                       \
          put(i0 + row + i / 4 * 16 + i % 4, j0 + column + j / 4 * 32 + j % 4, ACCUMULATED(i, j))
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
  double acc[PARTS][MI][NI][4];
#define TILE_CLEAR                                                      \
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
    // Without COMPLEX there and back, as in product_simt.
#pragma unroll
    for (int i = 0; i < MI; ++i)
#pragma unroll
      for (int n = 0; n < NI; ++n) {
        const int j = COMPLEX || i % 2 == 0 ? n : NI - 1 - n;
        mma(acc[0][i][j], x[0][i][0], x[0][i][1], y[0][j]);
#if COMPLEX
        mma(acc[0][i][j], x[1][i][0], x[1][i][1], -y[1][j]);
        // In the order of product_simt.
        mma(acc[1][i][j], x[FLIPPED][i][0], x[FLIPPED][i][1], y[1 - FLIPPED][j]);
        mma(acc[1][i][j], x[1 - FLIPPED][i][0], x[1 - FLIPPED][i][1], y[FLIPPED][j]);
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
#define TILE_STORE(put)                                                                   \
  _Pragma("unroll") for (int j = 0; j < NI; ++j)                                          \
      _Pragma("unroll") for (int i = 0; i < MI; ++i)                                      \
          _Pragma("unroll") for (int e = 0; e < 4; ++e)                                   \
              put(i0 + row + i * 16 + group + e / 2 * 8,                                  \
                  j0 + column + j * 8 + member * 2 + e % 2, ACCUMULATED(i, j, e))
//===== product_walk =====
// The kernel itself, around OPEN_STAGES (the stages' local memory, and who fills them), EACH_WORK (what
// the work-group computes), WALK (all steps of one, through the stages), TILE_STATE (where a work-item's
// elements are), TILE_CLEAR and TILE_STEP(a, b) (a stage's worth of work) and TILE_STORE(put) of the
// form, which has put(i, j, sum) for each element.
//
// Where the result has too few tiles for the device, each is computed by `parts` work-groups, which
// share its depth and write into `sums`, part_step sums after another; `gather` adds them. The items of
// a batch: their results, and what belongs to them, lie item steps apart.
#define ITEM_PARAMETERS                                                                          \
  , long item_step, long bias_item_step, long scale_item_step, long residual_item_step
#if SPECIAL
#define MOVE_BY_ITEMS(items)                       \
  offset += (items)*item_step;                     \
  bias_first += (items)*bias_item_step;            \
  scale_first += (items)*scale_item_step;          \
  residual_first += (items)*residual_item_step;
#else
#define MOVE_BY_ITEMS(items) offset += (items)*item_step;
#endif

// Where the work's first element of a factor is.
#define PLACE_OF(x, width, end, number) \
  (x + (((long)work.of_batch * sizes.end + work.number) * sizes.steps + work.from) * (STEP * width * PARTS))
#define FIRST_PLACE PLACE_OF(first, ROWS, row_end, p)
#define SECOND_PLACE PLACE_OF(second, COLUMNS, column_end, q)

kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void product(
    global const PANEL* restrict first, global const PANEL* restrict second,
    global ELEMENT(RESULT)* restrict c, long offset, long ld, long rows, long columns, long depth,
    T alpha, T beta, int triangle, int hermitian, int range, int parts, long part_step,
    global PANEL_T* restrict sums STREAM_PARAMETERS ITEM_PARAMETERS AFTER_KERNEL_PARAMETERS
        GATE_PARAMETER) {
  RETURN_AT_GATE
  const int item = get_local_id(0);
  const Sizes sizes = {(int)((rows + ROWS - 1) / ROWS), (int)((columns + COLUMNS - 1) / COLUMNS),
                       (int)((depth + STEP - 1) / STEP), triangle, range, parts};
  OPEN_STAGES
  TILE_STATE
  int of_batch = 0;
  Work work;
  EACH_WORK {
    const int steps = work.to - work.from;
    const long i0 = work.p * (long)ROWS, j0 = work.q * (long)COLUMNS;
    TILE_CLEAR
    WALK
    if (parts > 1) {
      global PANEL_T* to = sums + ((long)work.of_batch * parts + work.part) * part_step;
#define PUT_SUM(i, j, sum) \
  if ((i) < rows && (j) < columns) to[(j)*rows + (i)] = sum;
      TILE_STORE(PUT_SUM)
      continue;
    }
    JOIN_PARTS
    MOVE_BY_ITEMS(work.of_batch - of_batch)
    of_batch = work.of_batch;
    AFTER_FROM_PARAMETERS
#define PUT_RESULT(i, j, sum)                                                               \
  put_result(c, offset, ld, i, j, rows, columns, sum, alpha, beta, triangle, hermitian AFTER_ARGUMENTS);
    TILE_STORE(PUT_RESULT)
  }
}

// C = alpha (the sum of the parts) + beta C, a column after another, and what becomes of that.
kernel void gather(global const PANEL_T* restrict sums, long part_step, int parts,
                   global ELEMENT(RESULT)* restrict c, long offset, long ld, long rows,
                   long columns, long depth, T alpha, T beta, int triangle, int hermitian,
                   int range ITEM_PARAMETERS AFTER_KERNEL_PARAMETERS GATE_PARAMETER) {
  RETURN_AT_GATE
  const long of_batch = get_global_id(1);
  sums += of_batch * parts * part_step;
  MOVE_BY_ITEMS(of_batch)
  AFTER_FROM_PARAMETERS
  // A work-group goes down columns, its items side by side: nothing is divided.
  for (long j = get_group_id(0); j < columns; j += get_num_groups(0))
    for (long i = get_local_id(0); i < rows; i += get_local_size(0)) {
      PANEL_T sum = 0;
      for (int part = 0; part < parts; ++part) sum += sums[part * part_step + j * rows + i];
      put_result(c, offset, ld, i, j, rows, columns, sum, alpha, beta, triangle,
                 hermitian AFTER_ARGUMENTS);
    }
}

#if SPECIAL
// A result without a product, beta C and what becomes of that.
kernel void finish_only(global ELEMENT(RESULT)* restrict c, long offset, long ld, long rows,
                        long columns, T beta, int triangle AFTER_KERNEL_PARAMETERS) {
  AFTER_FROM_PARAMETERS
#if !(BIAS || SCALE || ACTIVATION || RESIDUAL)
  if (beta == 1) return;
#endif
  for (long at = get_global_id(0); at < rows * columns; at += get_global_size(0))
    put_result(c, offset, ld, at % rows, at / rows, rows, columns, 0, zero(), beta, triangle,
               0 AFTER_ARGUMENTS);
}
#endif
