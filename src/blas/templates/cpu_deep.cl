// A product with a small result and a great depth on CPUs: work-items share the depth. Nothing of the factors is packed
// twice then, and none waits for another.
//===== deep_parts =====
// Work-item `part` of deep_product packs its part of the depth block by block into memory of its own, `own` reals, and
// sums what it multiplies into tiles of its own, one after another. join_parts adds these in the order of the depth, so
// that a result has the same bits each time, and does to the sums what the kernel `product` does.
#if SPECIAL
typedef SUM PART_SUM;
#else
typedef T PART_SUM;
#define AFTER_KERNEL_PARAMETERS
#endif
enum { tile_sums = ROWS * COLUMNS };

inline bool is_other_triangle(long i0, long j0, int triangle) {
  return (triangle == 1 && i0 + ROWS <= j0) || (triangle == 2 && j0 + COLUMNS <= i0);
}

kernel void deep_product(global const ELEMENT(FIRST)* a, long a_offset, long a_step_i,
                         long a_step_k, int a_stored, int a_outside, int a_diagonal,
                         int a_conjugated,  //
                         global const ELEMENT(SECOND)* b, long b_offset, long b_step_i,
                         long b_step_k, int b_stored, int b_outside, int b_diagonal,
                         int b_conjugated,  //
                         long rows, long columns, long depth, int triangle, global REAL* packed,
                         long own, int block,
                         global PART_SUM* sums GROUPS_PARAMETERS(a) GROUPS_PARAMETERS(b)) {
  const Factor A = {a, a_offset, a_step_i, a_step_k, a_stored, a_outside, a_diagonal,
                    a_conjugated GROUPS_ARGUMENTS(a)};
  const Factor B = {b, b_offset, b_step_i, b_step_k, b_stored, b_outside, b_diagonal,
                    b_conjugated GROUPS_ARGUMENTS(b)};
#if SPECIAL
  const After after = {0};
#endif
  const long part = get_global_id(0), parts = get_global_size(0);
  const long row_end = (rows + ROWS - 1) / ROWS, column_end = (columns + COLUMNS - 1) / COLUMNS;
  const long blocks = (depth + block - 1) / block;
  const long begin = blocks * part / parts, end = blocks * (part + 1) / parts;
  global REAL* first = packed + part * own;
  global REAL* second = first + block * row_end * ROWS * PARTS;
  sums += part * row_end * column_end * tile_sums;
  for (long k = begin; k < end; ++k) {
    const long k0 = k * block;
    const int here = (int)min((long)block, depth - k0);
    pack_first(A, 0, row_end, rows, k0, here, first);
    pack_second(B, 0, column_end, columns, k0, here, second);
    for (long q = 0; q < column_end; ++q)
      for (long p = 0; p < row_end; ++p) {
        if (is_other_triangle(p * ROWS, q * COLUMNS, triangle)) continue;
        global PART_SUM* to = sums + (q * row_end + p) * tile_sums;
        tile(0, here, first + p * ROWS * here * PARTS, second + q * COLUMNS * here * PARTS,
#if SPECIAL
             (Target){0, 0, 0, to, k == begin, false, 0, 0},
#else
             to, ROWS,
#endif
             ROWS, COLUMNS, one(), k == begin ? zero() : one(), 0, 0, 0, first, 0 AFTER_ARGUMENTS);
      }
  }
}

kernel void join_parts(global const PART_SUM* sums, int parts, global ELEMENT(RESULT)* c,
                       long offset, long ld, long rows, long columns, T alpha, T beta,
                       int triangle, int hermitian AFTER_KERNEL_PARAMETERS) {
#if SPECIAL
  AFTER_FROM_PARAMETERS
#endif
  const long row_end = (rows + ROWS - 1) / ROWS, column_end = (columns + COLUMNS - 1) / COLUMNS;
  const long all = row_end * column_end * tile_sums;
  FOR_MINE(number, row_end * column_end) {
    const long i0 = number % row_end * ROWS, j0 = number / row_end * COLUMNS;
    if (is_other_triangle(i0, j0, triangle)) continue;
    const int there = (int)min(rows - i0, (long)ROWS), across = (int)min(columns - j0, (long)COLUMNS);
    global const PART_SUM* from = sums + number * tile_sums;
#if SPECIAL
    SUMS sum[COLUMNS][VECTORS];
    FOR_TILE(j, v) sum[j][v] = 0;
    for (int part = 0; part < parts; ++part)
      FOR_TILE(j, v)
        sum[j][v] += *(global const SUMS_ANYWHERE*)(from + part * all + j * ROWS + v * LANES);
    finish(sum, (Target){c, offset + j0 * ld + i0, ld, 0, true, true, i0, j0}, there, across, alpha,
           beta, i0 - j0, triangle AFTER_ARGUMENTS);
#else
    for (int j = 0; j < across; ++j)
      for (int i = 0; i < there; ++i) {
        const long under = i0 + i - j0 - j;  // the diagonal
        if ((triangle == 1 && under < 0) || (triangle == 2 && under > 0)) continue;
        T value = zero();
        for (int part = 0; part < parts; ++part) value += from[part * all + j * ROWS + i];
        value = mul(alpha, value);
        global T* at = c + offset + (j0 + j) * ld + i0 + i;
        const bool real = hermitian && under == 0;
        if (!is_zero(beta)) value = mul_add(beta, real ? real_part(*at) : *at, value);
        if (real) value = real_part(value);
        *at = value;
      }
#endif
  }
}
