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
  const Factor A = {a + a_offset, a_step_i, a_step_k, 0, 0, 0, a_conjugated};
  // Right-hand sides as the other factor: their own number along the panel, the unknown across.
  const Factor X = {b + b_offset, is_left ? ld : 1, is_left ? 1 : ld, 0, 0, 0, 0};
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
        const Factor whole = {inverse, inverse_step_i, inverse_step_k,
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
