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
