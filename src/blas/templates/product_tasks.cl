// C = alpha A B + beta C, whole, in one launch: the packing of both factors and the product of
// what is packed are tasks in one list, which the work-groups take one after another ("teams", as
// many as the device has compute units).
//
// The depth is cut into blocks of `block` columns. Block k is packed (task P) into slot k % slots
// of `first` and `second`, and multiplied (task M) `lead` blocks later, so that a team that has
// nothing left of one block packs the next. With lead == blocks all is packed before anything is
// written: C may lie where a factor does.
//
// In a slot the panels lie one after another (pack.cl). `triangle` 1 or 2: only where row >= column,
// or row <= column. `range`: the columns of A (the rows of B) that matter for a tile of rows i0 to
// i1 - 1 and columns j0 to j1 - 1 are 0: all, 1: those before i1, 2: those from i0 on, 3: those
// from j0 on, 4: those before j1. `hermitian`: the diagonal of C is real.
//
// `state` counts how much of each block is packed, and multiplied, and to which block each part of
// C has come (tasks.cl).

// Whether columns [k0, k1) of the depth matter to rows or columns [i0, i1) of a triangular factor.
inline bool matters(int range, bool is_first, long i0, long i1, long k0, long k1) {
  if (range == (is_first ? 1 : 4)) return k0 < i1;
  if (range == (is_first ? 2 : 3)) return k1 > i0;
  return true;
}

kernel void product(global const T* a, long a_offset, long a_step_i, long a_step_k, int a_stored,
                    int a_outside, int a_diagonal, int a_conjugated,  //
                    global const T* b, long b_offset, long b_step_i, long b_step_k, int b_stored,
                    int b_outside, int b_diagonal, int b_conjugated,  //
                    global T* c, long offset, long ld, long rows, long columns, long depth, T alpha,
                    T beta, int triangle, int hermitian, int range,  //
                    global REAL* first, global REAL* second, volatile global int* state, int block,
                    int slots, int lead, int first_panels, int second_panels, int row_panels,
                    int column_panels) {
  const Factor A = {a + a_offset, a_step_i, a_step_k, a_stored, a_outside, a_diagonal, a_conjugated};
  const Factor B = {b + b_offset, b_step_i, b_step_k, b_stored, b_outside, b_diagonal, b_conjugated};
  const long row_end = (rows + ROWS - 1) / ROWS, column_end = (columns + COLUMNS - 1) / COLUMNS;
  const int first_packs = (int)((row_end + first_panels - 1) / first_panels);
  const int packs = first_packs + (int)((column_end + second_panels - 1) / second_panels);
  const int parts_across = (int)((column_end + column_panels - 1) / column_panels);
  const int parts = (int)((row_end + row_panels - 1) / row_panels) * parts_across;
  const int blocks = (int)((depth + block - 1) / block);
  volatile global int* packed = state + counters;
  volatile global int* multiplied = packed + blocks;
  volatile global int* progress = multiplied + blocks;
  c += offset;

  const int begin = lead * packs, middle = (blocks - lead) * (packs + parts);
  const int tasks = blocks * (packs + parts);
  for (;;) {
    const int task = atomic_inc(state + taken);
    if (task >= tasks) break;
    int k, part;  // which block, and which part of its packing or of C
    bool packs_it = task < begin;
    if (packs_it) {
      k = task / packs;
      part = task % packs;
    } else if (task - begin < middle) {
      // In the middle of a block, when nobody is busy any more with the one whose slot is taken.
      k = (task - begin) / (packs + parts);
      part = (task - begin) % (packs + parts) - parts / 2;
      packs_it = part >= 0 && part < packs;
      if (packs_it) k += lead;
      else part += part < 0 ? parts / 2 : parts / 2 - packs;
    } else {
      k = blocks - lead + (task - begin - middle) / parts;
      part = (task - begin - middle) % parts;
    }
    const long k0 = (long)k * block;
    const int here = (int)min((long)block, depth - k0);
    global REAL* first_slot = first + (long)(k % slots) * block * row_end * ROWS * PARTS;
    global REAL* second_slot = second + (long)(k % slots) * block * column_end * COLUMNS * PARTS;
    if (packs_it) {
      if (k >= slots) wait_for(multiplied + k - slots, parts);
      if (part < first_packs) {
        long p0 = (long)part * first_panels, p1 = min(row_end, p0 + first_panels);
        // Panels that no tile of the block reads are left out: they stand at an end.
        while (p0 < p1 && !matters(range, true, p0 * ROWS, (p0 + 1) * ROWS, k0, k0 + here)) ++p0;
        while (p0 < p1 && !matters(range, true, (p1 - 1) * ROWS, p1 * ROWS, k0, k0 + here)) --p1;
        pack_first(A, p0, p1, rows, k0, here, first_slot);
      } else {
        long q0 = (long)(part - first_packs) * second_panels;
        long q1 = min(column_end, q0 + second_panels);
        while (q0 < q1 && !matters(range, false, q0 * COLUMNS, (q0 + 1) * COLUMNS, k0, k0 + here))
          ++q0;
        while (q0 < q1 && !matters(range, false, (q1 - 1) * COLUMNS, q1 * COLUMNS, k0, k0 + here))
          --q1;
        pack_second(B, q0, q1, columns, k0, here, second_slot);
      }
      announce(packed + k);
    } else {
      for (int other = lead == blocks ? 0 : k; other < (lead == blocks ? blocks : k + 1); ++other)
        wait_for(packed + other, packs);
      wait_for(progress + part, k);
      const long p0 = (long)(part / parts_across) * row_panels, p1 = min(row_end, p0 + row_panels);
      const long q0 = (long)(part % parts_across) * column_panels;
      const long q1 = min(column_end, q0 + column_panels);
      // While the tiles of a panel of B are computed, a share of the next one comes nearer with each.
      const int step = (int)((COLUMNS * PARTS + p1 - p0 - 1) / (p1 - p0));
      for (long q = q0; q < q1; ++q) {
        global const REAL* next = second_slot + min(q + 1, q1 - 1) * COLUMNS * here * PARTS;
        for (long p = p0; p < p1; ++p) {
          const long i0 = p * ROWS, j0 = q * COLUMNS;
          if (triangle == 1 && i0 + ROWS <= j0) continue;
          if (triangle == 2 && j0 + COLUMNS <= i0) continue;
          const long from = range == 2 ? i0 : range == 3 ? j0 : 0;
          const long to = range == 1 ? i0 + ROWS : range == 4 ? j0 + COLUMNS : depth;
          if (from >= k0 + here || to <= k0) continue;
          tile((int)max(from - k0, 0L), (int)min(to - k0, (long)here),
               first_slot + i0 * here * PARTS, second_slot + j0 * here * PARTS, c + j0 * ld + i0,
               ld, (int)min(rows - i0, (long)ROWS), (int)min(columns - j0, (long)COLUMNS), alpha,
               from >= k0 ? beta : one(), i0 - j0, triangle, hermitian,
               next + (p - p0) * here * step, step);
        }
      }
      FENCE();
      progress[part] = k + 1;
      announce(multiplied + k);
    }
  }

  FENCE();
  if (atomic_inc(state + ended) == (int)get_global_size(0) - 1) {
    for (int i = 0; i < 2 * blocks + parts; ++i) packed[i] = 0;
    state[taken] = state[ended] = 0;
  }
}
