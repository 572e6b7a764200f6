// Copies a matrix into panels, so that a product reads it side by side: PACK copies panels of WIDTH
// rows. Block b of DEPTH columns starts at b * DEPTH * (rows rounded up to whole panels); in it the
// panels lie one after another, each column by column, WIDTH elements a column, padded with zeros
// at the bottom. Of complex numbers a column holds the real parts, then the imaginary parts.
//
// The element in row i, column k is x[i * step_i + k * step_k] where it is stored:
//   stored    0: everywhere   1: where k <= i   2: where k >= i
//   outside   what stands in the other triangle. 0: zeros   1: the mirror image   2: its conjugate
//   diagonal  0: as it is   1: ones, not read   2: without its imaginary part
//   conjugated  the whole is conjugated after all that
//
// LANES reals make a vector. Included once for each kind of panel; a work-item copies one panel of
// one block.
#ifndef PACK_TOOLS
#define PACK_TOOLS
typedef JOIN(REAL_NAME, LANES) VEC;
#define LOAD JOIN(vload, LANES)
#define STORE JOIN(vstore, LANES)
#endif

// Whole columns of a whole panel, all of them stored.
inline void JOIN(PACK, _stretch)(global const T* restrict x, long step_i, long step_k,
                                 bool conjugated, int columns, global REAL* restrict out) {
  if (step_i == 1) {
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
    for (int k = 0; k < columns; ++k) {
      global REAL* to = out + k * WIDTH * PARTS;
      __attribute__((opencl_unroll_hint)) for (int i = 0; i < WIDTH; ++i) {
        const T value = x[i * step_i + k * step_k];
        put_element(to, WIDTH, i, conjugated ? conjugate(value) : value);
      }
    }
  }
}

kernel void PACK(global const T* restrict x, long offset, long step_i, long step_k, int stored,
                 int outside, int diagonal, int conjugated, long rows, long depth,
                 global REAL* restrict out) {
  const long i0 = (long)get_global_id(0) * WIDTH, k0 = (long)get_global_id(1) * DEPTH;
  const long padded = (long)get_global_size(0) * WIDTH;
  const int columns = (int)min((long)DEPTH, depth - k0);
  const int there = (int)min((long)WIDTH, rows - i0);
  x += offset;
  out += (k0 * padded + i0 * columns) * PARTS;
  for (int from = 0; from < columns; from += CHUNK) {
    const int count = min(CHUNK, columns - from);
    const long k1 = k0 + from, k2 = k1 + count;  // columns k1 to k2 - 1, rows i0 to i0 + WIDTH - 1
    const bool below = k2 <= i0, above = k1 >= i0 + WIDTH;
    const bool apart = stored == 0 || below || above;
    const bool mirrored = (stored == 1 && above) || (stored == 2 && below);
    global REAL* to = out + (long)from * WIDTH * PARTS;
    if (there == WIDTH && apart && !mirrored && (stored != 0 || diagonal == 0)) {
      JOIN(PACK, _stretch)(x + i0 * step_i + k1 * step_k, step_i, step_k, conjugated != 0, count, to);
    } else if (there == WIDTH && mirrored && outside != 0) {
      JOIN(PACK, _stretch)(x + k1 * step_i + i0 * step_k, step_k, step_i,
                           (conjugated != 0) != (outside == 2), count, to);
    } else {
      for (int k = 0; k < count; ++k)
        for (int i = 0; i < WIDTH; ++i)
          put_element(to + k * WIDTH * PARTS, WIDTH, i,
                      i < there ? matrix_element(x, step_i, step_k, stored, outside, diagonal,
                                                 conjugated, i0 + i, k1 + k)
                                : zero());
    }
  }
}
#undef PACK
#undef WIDTH
