// Copies a matrix into panels, so that a product reads it side by side: PACK copies one panel of
// WIDTH rows of one block of columns, column by column, WIDTH elements a column, padded with zeros
// at the bottom. Of complex numbers a column holds the real parts, then the imaginary parts.
//
// LANES reals make a vector. Included once for each kind of panel, after matrix_element.cl.
#ifndef PACK_TOOLS
#define PACK_TOOLS
typedef JOIN(REAL_NAME, LANES) VEC;
typedef JOIN(REAL_NAME, 4) REAL4;
#define LOAD JOIN(vload, LANES)
#define STORE JOIN(vstore, LANES)
// What a line of a cache holds is used up before the next is read, where a panel lies across them.
#define CHUNK 16
#endif

// `columns` columns of a panel with `there` rows, all of them stored.
inline void JOIN(PACK, _stretch)(global const T* x, long step_i, long step_k, bool conjugated,
                                 int there, int columns, global REAL* out) {
  if (there < WIDTH) {
    for (int k = 0; k < columns; ++k)
      for (int i = 0; i < WIDTH; ++i) {
        const T value = i < there ? x[i * step_i + k * step_k] : zero();
        put_element(out + k * WIDTH * PARTS, WIDTH, i, conjugated ? conjugate(value) : value);
      }
  } else if (step_i == 1) {
    for (int k = 0; k < columns; ++k) {
      global const REAL* from = (global const REAL*)(x + k * step_k);
      global REAL* to = out + k * WIDTH * PARTS;
#if COMPLEX
      __attribute__((opencl_unroll_hint)) for (int i = 0; i < WIDTH; ++i) {
        to[i] = from[2 * i];
        to[WIDTH + i] = conjugated ? -from[2 * i + 1] : from[2 * i + 1];
      }
#else
      __attribute__((opencl_unroll_hint)) for (int i = 0; i < WIDTH; ++i) to[i] = from[i];
#endif
    }
  } else {
    int i = 0;
#if !COMPLEX
    for (; i + 4 <= WIDTH && step_k == 1; i += 4) {
      global const REAL* from = x + i * step_i;
      global REAL* to = out + i;
      int k = 0;
      for (; k + 4 <= columns; k += 4) {
        const REAL4 a = vload4(0, from + k), b = vload4(0, from + step_i + k);
        const REAL4 c = vload4(0, from + 2 * step_i + k), d = vload4(0, from + 3 * step_i + k);
        vstore4((REAL4)(a.x, b.x, c.x, d.x), 0, to + k * WIDTH);
        vstore4((REAL4)(a.y, b.y, c.y, d.y), 0, to + (k + 1) * WIDTH);
        vstore4((REAL4)(a.z, b.z, c.z, d.z), 0, to + (k + 2) * WIDTH);
        vstore4((REAL4)(a.w, b.w, c.w, d.w), 0, to + (k + 3) * WIDTH);
      }
      for (; k < columns; ++k)
        vstore4((REAL4)(from[k], from[step_i + k], from[2 * step_i + k], from[3 * step_i + k]), 0,
                to + k * WIDTH);
    }
#endif
    for (; i < WIDTH; ++i)
      for (int k = 0; k < columns; ++k) {
        const T value = x[i * step_i + k * step_k];
        put_element(out + k * WIDTH * PARTS, WIDTH, i, conjugated ? conjugate(value) : value);
      }
  }
}

// Rows from i0 on, of which `there` exist, and columns [k0, k0 + columns).
inline void PACK(const Factor x, long i0, int there, long k0, int columns, global REAL* out) {
  for (int from = 0; from < columns; from += CHUNK) {
    const int count = min(CHUNK, columns - from);
    const long k1 = k0 + from, k2 = k1 + count;  // columns k1 to k2 - 1, rows i0 to i0 + WIDTH - 1
    const bool below = k2 <= i0, above = k1 >= i0 + WIDTH;
    const bool mirrored = (x.stored == 1 && above) || (x.stored == 2 && below);
    const bool stored = (x.stored == 0 && x.diagonal == 0) ||
                        (x.stored == 1 && below) || (x.stored == 2 && above);
    global REAL* to = out + (long)from * WIDTH * PARTS;
    if (stored)
      JOIN(PACK, _stretch)(x.at + i0 * x.step_i + k1 * x.step_k, x.step_i, x.step_k,
                           x.conjugated != 0, there, count, to);
    else if (mirrored && x.outside != 0)
      JOIN(PACK, _stretch)(x.at + k1 * x.step_i + i0 * x.step_k, x.step_k, x.step_i,
                           (x.conjugated != 0) != (x.outside == 2), there, count, to);
    else
      for (int k = 0; k < count; ++k)
        for (int i = 0; i < WIDTH; ++i)
          put_element(to + k * WIDTH * PARTS, WIDTH, i,
                      i < there ? matrix_element(x.at, x.step_i, x.step_k, x.stored, x.outside,
                                                 x.diagonal, x.conjugated, i0 + i, k1 + k)
                                : zero());
  }
}
#undef PACK
#undef WIDTH
