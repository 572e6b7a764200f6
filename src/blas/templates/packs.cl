// Level 3: copies of factors in panels, which products read side by side; byte_tile.cl has those of bytes.
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== pack =====
// Copies a matrix into panels, so that a product reads it side by side: PACK copies panels of WIDTH
// rows of one block of columns, column by column, WIDTH elements a column, padded with zeros at the
// bottom. Of complex numbers a column holds the real parts, then the imaginary parts.
//
// Included once for each kind of panel, after matrix_element and cpu_vectors, with KIND, the elements' kind, and
// GROUPED, whether they have scales.
// Kinds that vectors are read of.
#define IN_VECTORS ((KIND == 0 && !COMPLEX) || (LANES >= 4 && (KIND == 1 || KIND == 2 || KIND == 5)))

#if IN_VECTORS
#if KIND == 0
#define GET_4(at) vload4(0, x + (at))
#else
#define GET_4(at) GET_MANY(KIND, 4, x, at)
#endif
// Rows that lie along the depth, `lines` of `columns` columns of a panel, in squares of 4 x 4; returns how many rows
// these are.
inline int JOIN(PACK, _squares)(global const ELEMENT(KIND)* x, long at, long step_i, const int lines,
                                int columns, global REAL* out) {
  int i = 0;
  for (; i + 4 <= lines; i += 4) {
    const long from = at + i * step_i;
    global REAL* to = out + i;
    int k = 0;
    for (; k + 4 <= columns; k += 4) {
      const REAL4 a = GET_4(from + k), b = GET_4(from + step_i + k);
      const REAL4 c = GET_4(from + 2 * step_i + k), d = GET_4(from + 3 * step_i + k);
      vstore4((REAL4)(a.x, b.x, c.x, d.x), 0, to + k * WIDTH);
      vstore4((REAL4)(a.y, b.y, c.y, d.y), 0, to + (k + 1) * WIDTH);
      vstore4((REAL4)(a.z, b.z, c.z, d.z), 0, to + (k + 2) * WIDTH);
      vstore4((REAL4)(a.w, b.w, c.w, d.w), 0, to + (k + 3) * WIDTH);
    }
    for (; k < columns; ++k)
      vstore4((REAL4)(GET(KIND, x, from + k), GET(KIND, x, from + step_i + k),
                      GET(KIND, x, from + 2 * step_i + k), GET(KIND, x, from + 3 * step_i + k)),
              0, to + k * WIDTH);
  }
  return i;
}
#undef GET_4
#endif

// `columns` columns of a panel that has fewer rows, `there`, all of them stored, from element `at` on, and zeros below.
inline void JOIN(PACK, _some)(global const ELEMENT(KIND)* x, long at, long step_i, long step_k,
                              bool conjugated, int there, int columns, global REAL* out) {
  for (int i = 0; i < columns * WIDTH * PARTS; ++i) out[i] = 0;
  int done = 0;
#if IN_VECTORS
  if (step_i == 1) {
    for (; done + LANES <= there; done += LANES)
      for (int k = 0; k < columns; ++k)
        STORE(GET_MANY(KIND, LANES, x, at + done + k * step_k), 0, out + k * WIDTH + done);
  } else if (step_k == 1) {
    done = JOIN(PACK, _squares)(x, at, step_i, there, columns, out);
  }
#endif
  for (int k = 0; k < columns; ++k)
    for (int i = done; i < there; ++i) {
      const T value = GET(KIND, x, at + i * step_i + k * step_k);
      put_element(out + k * WIDTH * PARTS, WIDTH, i, conjugated ? conjugate(value) : value);
    }
}

// `columns` columns of a panel with `there` rows, all of them stored, from element `at` on.
inline void JOIN(PACK, _stretch)(global const ELEMENT(KIND)* x, long at, long step_i, long step_k,
                                 bool conjugated, int there, int columns, global REAL* out) {
  if (there < WIDTH) {
    JOIN(PACK, _some)(x, at, step_i, step_k, conjugated, there, columns, out);
  } else if (step_i == 1) {
    for (int k = 0; k < columns; ++k) {
      const long from = at + k * step_k;
      global REAL* to = out + k * WIDTH * PARTS;
#if KIND == 0 && COMPLEX
      global const REAL* reals = (global const REAL*)(x + from);
      // Columns are too far apart for the machine to see the next ones coming.
      for (int i = 0; i < WIDTH * PARTS * (int)sizeof(REAL); i += 64)
        WILL_READ((global const char*)(x + from + CHUNK * step_k) + i);
      __attribute__((opencl_unroll_hint)) for (int i = 0; i < WIDTH; ++i) {
        to[i] = reals[2 * i];
        to[WIDTH + i] = conjugated ? -reals[2 * i + 1] : reals[2 * i + 1];
      }
#else
#if KIND != 7
      for (int i = 0; i < WIDTH * (int)sizeof(*x); i += 64)
        WILL_READ((global const char*)(x + from + CHUNK * step_k) + i);
#endif
      int i = 0;
#if KIND == 0
      __attribute__((opencl_unroll_hint)) for (; i + LANES <= WIDTH; i += LANES)
        STORE(LOAD(0, x + from + i), 0, to + i);
#elif IN_VECTORS
      __attribute__((opencl_unroll_hint)) for (; i + LANES <= WIDTH; i += LANES)
        STORE(GET_MANY(KIND, LANES, x, from + i), 0, to + i);
#endif
      __attribute__((opencl_unroll_hint)) for (; i < WIDTH; ++i) to[i] = GET(KIND, x, from + i);
#endif
    }
  } else {
    int i = 0;
#if IN_VECTORS
    if (step_k == 1) i = JOIN(PACK, _squares)(x, at, step_i, WIDTH, columns, out);
#endif
    for (; i < WIDTH; ++i)
      for (int k = 0; k < columns; ++k) {
        const T value = GET(KIND, x, at + i * step_i + k * step_k);
        put_element(out + k * WIDTH * PARTS, WIDTH, i, conjugated ? conjugate(value) : value);
      }
  }
}

// Columns [k1, k1 + count) of a panel with rows from i0 on, of which `there` exist.
inline void JOIN(PACK, _piece)(const Factor x, long i0, int there, long k1, int count,
                               global REAL* to) {
  global const ELEMENT(KIND)* elements = (global const ELEMENT(KIND)*)x.at;
  const long k2 = k1 + count;
  const bool below = k2 <= i0, above = k1 >= i0 + WIDTH;
  const bool mirrored = (x.stored == 1 && above) || (x.stored == 2 && below);
  const bool stored = (x.stored == 0 && x.diagonal == 0) || (x.stored == 1 && below) ||
                      (x.stored == 2 && above);
  if (stored)
    JOIN(PACK, _stretch)(elements, x.first + i0 * x.step_i + k1 * x.step_k, x.step_i, x.step_k,
                         x.conjugated != 0, there, count, to);
  else if (mirrored && x.outside != 0)
    JOIN(PACK, _stretch)(elements, x.first + k1 * x.step_i + i0 * x.step_k, x.step_k, x.step_i,
                         (x.conjugated != 0) != (x.outside == 2), there, count, to);
  else
    for (int k = 0; k < count; ++k)
      for (int i = 0; i < WIDTH; ++i)
        put_element(to + k * WIDTH * PARTS, WIDTH, i,
                    i < there ? MATRIX_ELEMENT(KIND)(elements, x.first, x.step_i, x.step_k,
                                                     x.stored, x.outside, x.diagonal, x.conjugated,
                                                     i0 + i, k1 + k)
                              : zero());
#if GROUPED
  for (int i = 0; i < there; ++i) {
    const long line = (i0 + i) * x.groups;
    for (int k = 0; k < count; ++k) {
      const long group = (k1 + k) / x.group;
      to[k * WIDTH + i] *= get_1(x.scales, line + group);
    }
  }
#endif
}

// Panels [p0, p1) of a matrix of `rows` rows, and columns [k0, k0 + columns) of them, into a slot
// that has panel 0 first.
inline void PACK(const Factor x, long p0, long p1, long rows, long k0, int columns,
                 global REAL* slot) {
  for (long p = p0; p < p1; ++p)
    for (int from = 0; from < columns; from += CHUNK)
      JOIN(PACK, _piece)(x, p * WIDTH, (int)min(rows - p * WIDTH, (long)WIDTH), k0 + from,
                         min(CHUNK, columns - from), slot + (p * columns + from) * WIDTH * PARTS);
}
#undef PACK
#undef WIDTH
#undef KIND
#undef GROUPED
#undef IN_VECTORS
//===== square_lines =====
// The lines of a square that a work-item of pack_gpu copies. NVIDIA's compiler has them all on their way
// at once where it sees how many there are.
#if ASYNC
#define EACH_LINE(step, first)                                        \
  _Pragma("unroll") for (int n = 0, step = first; n < 1024 / THREADS; \
                         ++n, step += THREADS / 32)
#else
#define EACH_LINE(step, first) for (int step = first; step < 32; step += THREADS / 32)
#endif
//===== pack_gpu =====
// Copies a matrix into panels for a GPU: panel p holds rows p * WIDTH to (p + 1) * WIDTH - 1,
// column by column, with zeros where the matrix has ended (below, and on the right up to `padded`
// columns). Which element is what says matrix_element. Included once for each kind of panel, with KIND and GROUPED as
// `pack`; `scales` with `group` and `groups` as in `factor`. Dimension 2 are the items of a batch, batch_step elements
// apart.
//
// A work-group of THREADS work-items copies a square of 32 x 32, the `number`-th along the rows, by way of local memory,
// so that it reads and writes side by side whichever way the matrix lies.
inline void PACK(long number, global const ELEMENT(KIND)* restrict x, long offset, long step_i,
                 long step_k, int stored, int outside, int diagonal, int conjugated,
                 global const ushort* restrict scales, long scales_offset, long group, long groups,
                 long scale_step, long batch_step, long rows, long depth, long padded,
                 global PANEL* restrict out, local PANEL_T square[32][33]) {
  const long i0 = number * 32, k0 = get_group_id(1) * 32;
  const int lane = get_local_id(0), line = get_local_id(1);
  offset += get_group_id(2) * batch_step;
  scales_offset += get_group_id(2) * scale_step;
  EACH_LINE(step, line) {
    // Neighbours in the group read neighbours in memory.
    const long i = i0 + (step_i == 1 ? lane : step), k = k0 + (step_i == 1 ? step : lane);
    T value = i < rows && k < depth
                  ? MATRIX_ELEMENT(KIND)(x, offset, step_i, step_k, stored, outside, diagonal,
                                         conjugated, i, k)
                  : zero();
#if GROUPED
    if (i < rows && k < depth) value *= get_1(scales, scales_offset + i * groups + k / group);
#endif
    square[k - k0][i - i0] = TO_PANEL(value);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const long panel = i0 / WIDTH;
  out += get_group_id(2) * ((rows + WIDTH - 1) / WIDTH) * WIDTH * padded * PARTS;
  EACH_LINE(step, line) {
    if (k0 + step >= padded) break;
    global PANEL* column = out + (panel * padded + k0 + step) * WIDTH * PARTS;
    put_element(column, WIDTH, (int)(i0 - panel * WIDTH) + lane, square[step][lane]);
  }
}
#undef PACK
#undef WIDTH
#undef KIND
#undef GROUPED
//===== pack_both =====
// Both factors in one launch: the work-groups along dimension 0 are those of the first one's panels,
// then those of the second one's.
#define FACTOR_ARGUMENTS(x)                                                                       \
  x, x##_offset, x##_step_i, x##_step_k, x##_stored, x##_outside, x##_diagonal, x##_conjugated,   \
      x##_scales, x##_scales_offset, x##_group, x##_groups, x##_scale_step, x##_batch_step, x##_rows
#define NAMED_PARAMETERS(x, kind)                                                                 \
  global const ELEMENT(kind)*restrict x, long x##_offset, long x##_step_i, long x##_step_k,       \
      int x##_stored, int x##_outside, int x##_diagonal, int x##_conjugated,                      \
      global const ushort *restrict x##_scales, long x##_scales_offset, long x##_group,           \
      long x##_groups, long x##_scale_step, long x##_batch_step, long x##_rows

kernel __attribute__((reqd_work_group_size(32, THREADS / 32, 1))) void pack_both(
    NAMED_PARAMETERS(first, FIRST), global PANEL* restrict first_out,
    NAMED_PARAMETERS(second, SECOND), global PANEL* restrict second_out, long depth,
    long padded GATE_PARAMETER) {
  RETURN_AT_GATE
  local PANEL_T square[32][33];
  const long number = get_group_id(0), of_first = (first_rows + ROWS - 1) / ROWS * (ROWS / 32);
  if (number < of_first)
    pack_first(number, FACTOR_ARGUMENTS(first), depth, padded, first_out, square);
  else
    pack_second(number - of_first, FACTOR_ARGUMENTS(second), depth, padded, second_out, square);
}
