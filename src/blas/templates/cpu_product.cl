// Level 3 on CPUs: a list of tasks that work-groups take from, and the two kernels that are made so:
// a product, and the solution of a triangular system.
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== tasks =====
// What kernels share whose work-groups ("teams", of one work-item, on CPUs) take tasks from one
// list. `state` is zero before and after: [taken] how many tasks are, [ended] how many teams, and
// from [counters] on what the kernel counts.
//
// A task may wait for others, but only for such as stand before it in the list: they have been
// taken by teams that run, as a work-group of a CPU runs to its end once begun. So one always goes
// on, also where the device runs its work-groups one after another.
#if defined(__x86_64__) || defined(__i386__)
#define FENCE() __asm__ volatile("" ::: "memory")  // the machine keeps the order by itself
#define PAUSE() __asm__ volatile("pause" ::: "memory")
#elif defined(__aarch64__)
#define FENCE() __asm__ volatile("dmb ish" ::: "memory")
#define PAUSE() __asm__ volatile("yield" ::: "memory")
#else
#define FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#define PAUSE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif

enum { taken = 0, ended = 16, counters = 32 };  // on cache lines of their own

inline void wait_for(volatile global int* counter, int value) {
  while (*counter < value) PAUSE();
  FENCE();
}
inline void announce(volatile global int* counter) {
  FENCE();
  atomic_inc(counter);
}
//===== product_tasks =====
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

// Where the kernel is SPECIAL, `sums` holds what is summed so far of each tile (cpu_finish), one tile after another.
kernel void product(global const ELEMENT(FIRST)* a, long a_offset, long a_step_i, long a_step_k,
                    int a_stored, int a_outside, int a_diagonal, int a_conjugated,  //
                    global const ELEMENT(SECOND)* b, long b_offset, long b_step_i, long b_step_k,
                    int b_stored, int b_outside, int b_diagonal, int b_conjugated,  //
                    global ELEMENT(RESULT)* c, long offset, long ld, long rows, long columns,
                    long depth, T alpha, T beta, int triangle, int hermitian, int range,  //
                    global PANEL* first, global PANEL* second, volatile global int* state, int block,
                    int slots, int lead, int first_panels, int second_panels, int row_panels,
                    int column_panels GROUPS_PARAMETERS(a) GROUPS_PARAMETERS(b)
#if SPECIAL
                    , global SUM* sums AFTER_KERNEL_PARAMETERS
#endif
                    GATE_PARAMETER) {
  RETURN_AT_GATE
  const Factor A = {a, a_offset, a_step_i, a_step_k, a_stored, a_outside, a_diagonal,
                    a_conjugated GROUPS_ARGUMENTS(a)};
  const Factor B = {b, b_offset, b_step_i, b_step_k, b_stored, b_outside, b_diagonal,
                    b_conjugated GROUPS_ARGUMENTS(b)};
#if SPECIAL
  AFTER_FROM_PARAMETERS
#else
  c += offset;
#endif
  const long row_end = (rows + ROWS - 1) / ROWS, column_end = (columns + COLUMNS - 1) / COLUMNS;
  const int first_packs = (int)((row_end + first_panels - 1) / first_panels);
  const int packs = first_packs + (int)((column_end + second_panels - 1) / second_panels);
  const int parts_across = (int)((column_end + column_panels - 1) / column_panels);
  const int parts = (int)((row_end + row_panels - 1) / row_panels) * parts_across;
  const int blocks = (int)((depth + block - 1) / block);
  volatile global int* packed = state + counters;
  volatile global int* multiplied = packed + blocks;
  volatile global int* progress = multiplied + blocks;

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
      // In the middle of a block, when no team works any more on the one whose slot is taken.
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
    global PANEL* first_slot = first + k % slots * row_end * PANEL_SIZE(ROWS, block);
    global PANEL* second_slot = second + k % slots * column_end * SECOND_SIZE(block);
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
        global const PANEL* next = second_slot + min(q + 1, q1 - 1) * SECOND_SIZE(here);
        for (long p = p0; p < p1; ++p) {
          const long i0 = p * ROWS, j0 = q * COLUMNS;
          if (triangle == 1 && i0 + ROWS <= j0) continue;
          if (triangle == 2 && j0 + COLUMNS <= i0) continue;
          const long from = range == 2 ? i0 : range == 3 ? j0 : 0;
          const long to = range == 1 ? i0 + ROWS : range == 4 ? j0 + COLUMNS : depth;
          if (from >= k0 + here || to <= k0) continue;
          tile(WHOLE_BLOCKS ? 0 : (int)max(from - k0, 0L),
               WHOLE_BLOCKS ? STEPS(here) : (int)min(to - k0, (long)here),
               first_slot + p * PANEL_SIZE(ROWS, here), second_slot + q * SECOND_SIZE(here),
#if SPECIAL
               (Target){c, offset + j0 * ld + i0, ld, sums + (q * row_end + p) * ROWS * COLUMNS,
                        from >= k0, min(to, depth) <= k0 + here, i0, j0},
#else
               c + j0 * ld + i0, ld,
#endif
               (int)min(rows - i0, (long)ROWS), (int)min(columns - j0, (long)COLUMNS), alpha,
               SPECIAL || from >= k0 ? beta : one(), i0 - j0, triangle, hermitian,
               next + (p - p0) * STEPS(here) * step, step AFTER_ARGUMENTS);
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
//===== solve_tasks =====
// Solves op(A) X = alpha B (`left`) or X op(A) = alpha B for X, in the memory of B, in one launch.
// A is triangular with `size` unknowns, B has `others` right-hand sides. The work is tasks in one
// list, which the work-groups ("teams") take one after another, as in product_tasks.cl:
//
//   strip   of a diagonal block: a few columns of its inverse; the last of a block packs the block
//   panel   of A: packed, as far as the unknowns are known that come before it
//   group   of right-hand sides: solved by one team from the first unknown to the last
//
// A group takes what is known of its unknowns out of the next block of them, and multiplies that by
// the block's inverse: all by tiles of the product. What a team has solved lies packed in `solved`,
// where it is a factor of what follows. A group waits for blocks of A only, which stand before it
// in the list.
//
// Right-hand sides do not meet, so that nothing is waited for in between: a launch for each step of
// the substitution costs more than the step on a device of many cores.
//
// `forward`: the unknowns with low numbers come first. Panels of A and of what is solved are `size`
// long and hold what is known at its place. `upper`, `unit`, `ld_a`: of A as it is stored.
// `inverse_step_i` and `_k`: through op() of an inverted block, which has `block` rows. `state`
// counts what of each block is packed, and how many strips of it are inverted (tasks.cl).
//
// On the accuracy of inverted blocks see Du Croz and Higham, Stability of methods for matrix
// inversion, 1992.
enum { strip = 16, most_block = 128 };

// 1 / b without overflow on the way to what is finite (Smith 1962).
inline T reciprocal(T b) {
#if COMPLEX
  if (fabs(b.x) >= fabs(b.y)) {
    const REAL r = b.y / b.x, d = b.x + b.y * r;
    return (T)(1 / d, -r / d);
  }
  const REAL r = b.x / b.y, d = b.x * r + b.y;
  return (T)(r / d, -1 / d);
#else
  return 1 / b;
#endif
}

// Columns [j0, j0 + strip) of the inverse of a triangle of n rows, `block` elements apart, by
// substitution, side by side: A's element is the same for all of them. What lies in the other
// triangle is not written, but next to the diagonal.
inline void invert_strip(global const T* a, long ld, int n, bool upper, bool unit, int j0, int block,
                         global T* restrict inverse) {
  T x[most_block * strip];
  // Rows that are not zero, in the order in which they depend on one another.
  const int first = upper ? min(n, j0 + strip) - 1 : j0, count = upper ? first + 1 : n - j0;
  const int down = upper ? -1 : 1;
  for (int step = 0; step < count; ++step) {
    const int i = first + down * step;
    T row[strip];
    for (int j = 0; j < strip; ++j) row[j] = i == j0 + j ? one() : zero();
    for (int k = first; k != i; k += down) {
      const T factor = -a[i + k * ld];
      for (int j = 0; j < strip; ++j) row[j] = mul_add(factor, x[k * strip + j], row[j]);
    }
    const T scale = unit ? one() : reciprocal(a[i + i * ld]);
    for (int j = 0; j < strip; ++j) x[i * strip + j] = mul(scale, row[j]);
  }
  for (int j = 0; j < min(strip, n - j0); ++j)
    for (int step = 0; step < count; ++step) {
      const int i = first + down * step;
      inverse[(j0 + j) * block + i] = x[i * strip + j];
    }
}

// Columns [k0, k1) of a panel of the first or of the second kind, each at its place in `panel`.
inline void pack_panel(bool is_first, const Factor x, long number, long rows, long k0, long k1,
                       global REAL* panel) {
  const int width = is_first ? ROWS : COLUMNS;
  const int there = (int)min(rows - number * width, (long)width);
  for (long k = k0; k < k1; k += CHUNK) {
    const int count = (int)min((long)CHUNK, k1 - k);
    if (is_first)
      pack_first_piece(x, number * ROWS, there, k, count, panel + k * ROWS * PARTS);
    else
      pack_second_piece(x, number * COLUMNS, there, k, count, panel + k * COLUMNS * PARTS);
  }
}

kernel void solve(global const T* a, long a_offset, long a_step_i, long a_step_k, int a_conjugated,
                  long ld_a, int upper, int unit,  //
                  global T* inverses, long inverse_step_i, long inverse_step_k,
                  global T* b, long b_offset, long ld, long size, long others, T alpha, int left,
                  int forward, global REAL* packed, global REAL* packed_inverses,
                  global REAL* solved, volatile global int* state, int block, int depth, int groups,
                  int group_panels) {
  const bool is_left = left != 0;
  const int width = is_left ? ROWS : COLUMNS;        // of panels of A
  const int other_width = is_left ? COLUMNS : ROWS;  // of panels of right-hand sides
  const long panel_reals = size * width * PARTS, solved_reals = size * other_width * PARTS;
  const long inverse_reals = (long)block * block * PARTS;
  const int blocks = (int)((size + block - 1) / block), block_panels = block / width;
  const int panels = (int)((size + width - 1) / width);
  const int strips = (block + strip - 1) / strip;
  const long other_panels = (others + other_width - 1) / other_width;
  const Factor A = {a, a_offset, a_step_i, a_step_k, 0, 0, 0, a_conjugated};
  // Right-hand sides as the other factor: their own number along the panel, the unknown across.
  const Factor X = {b, b_offset, is_left ? ld : 1, is_left ? 1 : ld, 0, 0, 0, 0};
  volatile global int* ready = state + counters;  // by block
  volatile global int* inverted = ready + blocks;
  solved += get_global_id(0) * group_panels * solved_reals;
  b += b_offset;

  const int before = blocks * (strips + block_panels);
  for (;;) {
    const int task = atomic_inc(state + taken);
    if (task >= before + groups) break;
    if (task < before) {
      const int turn = task / (strips + block_panels), part = task % (strips + block_panels);
      const int number = forward ? turn : blocks - 1 - turn;
      const long k0 = (long)number * block;
      const int here = (int)min((long)block, size - k0);
      if (part < strips) {
        global T* inverse = inverses + k0 * block;
        if (part * strip < here)
          invert_strip(a + a_offset + k0 * (ld_a + 1), ld_a, here, upper != 0, unit != 0,
                       part * strip, block, inverse);
        FENCE();
        if (atomic_inc(inverted + number) < strips - 1) continue;
        FENCE();
        // What is stored of op() of the inverse: lower for the left in the order of the unknowns.
        const Factor whole = {inverse, 0, inverse_step_i, inverse_step_k,
                              forward ? 1 : 2, 0, 0, a_conjugated};
        for (int panel = 0; panel * width < here; ++panel)
          pack_panel(is_left, whole, panel, here, 0, here,
                     packed_inverses + number * inverse_reals + (long)panel * block * width * PARTS);
        announce(ready + number);
      } else {
        const int panel = number * block_panels + part - strips;
        if (panel < panels)
          pack_panel(is_left, A, panel, size, forward ? 0 : k0 + here, forward ? k0 : size,
                     packed + panel * panel_reals);
        announce(ready + number);
      }
      continue;
    }

    const int group = task - before;
    const long g0 = other_panels * group / groups, g1 = other_panels * (group + 1) / groups;
    for (int turn = 0; turn < blocks; ++turn) {
      const int number = forward ? turn : blocks - 1 - turn;
      const long k0 = (long)number * block, k1 = min(size, k0 + block);
      const int here = (int)(k1 - k0), inner = (here + width - 1) / width;
      wait_for(ready + number, block_panels + 1);
      const long from = forward ? 0 : k1, to = forward ? k0 : size;
      const int stretches = (int)((to - from + depth - 1) / depth);
      // The last round multiplies by the inverse what the rounds before have left.
      for (int round = 0; round <= stretches; ++round) {
        const bool is_last = round == stretches;
        const long r0 = is_last ? 0 : from + (to - from) * round / stretches;
        const long r1 = is_last ? here : from + (to - from) * (round + 1) / stretches;
        if (is_last)
          for (long g = g0; g < g1; ++g)
            pack_panel(!is_left, X, g, others, k0, k1, solved + (g - g0) * solved_reals);
        global const REAL* coefficients = is_last ? packed_inverses + number * inverse_reals
                                                  : packed + number * block_panels * panel_reals;
        const long coefficients_reals = is_last ? (long)block * width * PARTS : panel_reals;
        global const REAL* known = solved + (is_last ? k0 * other_width * PARTS : 0);
        const T factor = !is_last ? -one() : stretches == 0 ? alpha : one();
        const T keeps = is_last ? zero() : round == 0 ? alpha : one();
        // Panels of the second kind stay near, those of the first pass by.
        const long outer_end = is_left ? g1 - g0 : inner, inner_end = is_left ? inner : g1 - g0;
        for (long q = 0; q < outer_end; ++q)
          for (long p = 0; p < inner_end; ++p) {
            const long of_a = is_left ? p : q, of_x = is_left ? q : p;
            const long at = k0 + of_a * width, other = (g0 + of_x) * other_width;
            const long i = is_left ? at : other, j = is_left ? other : at;
            // The inverse is a triangle, too.
            const int t0 = (int)(is_last && !forward ? of_a * width : r0);
            const int t1 = (int)(is_last && forward ? min((long)here, (of_a + 1) * width) : r1);
            global const REAL* from_a = coefficients + of_a * coefficients_reals;
            global const REAL* from_x = known + of_x * solved_reals;
            tile(t0, t1, is_left ? from_a : from_x, is_left ? from_x : from_a, b + i + j * ld, ld,
                 (int)min((is_left ? k1 : others) - i, (long)ROWS),
                 (int)min((is_left ? others : k1) - j, (long)COLUMNS), factor, keeps, 0, 0, 0,
                 from_x, 0);
          }
      }
      for (long g = g0; g < g1; ++g)
        pack_panel(!is_left, X, g, others, k0, k1, solved + (g - g0) * solved_reals);
    }
  }

  FENCE();
  if (atomic_inc(state + ended) == (int)get_global_size(0) - 1) {
    for (int i = 0; i < 2 * blocks; ++i) ready[i] = 0;
    state[taken] = state[ended] = 0;
  }
}
