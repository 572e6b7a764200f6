// Level 3: the factors of a product, and how they are copied into panels, on CPUs (`factor` and `pack`)
// and on GPUs (`pack_gpu`).
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== matrix_element =====
// Elements of matrices of which a triangle may stand for the whole. The element in row i, column k
// is x[i * step_i + k * step_k] where it is stored:
//   stored    0: everywhere   1: where k <= i   2: where k >= i
//   outside   what stands in the other triangle. 0: zeros   1: the mirror image   2: its conjugate
//   diagonal  0: as it is   1: ones, not read   2: without its imaginary part
//   conjugated  the whole is conjugated after all that
#define PARTS (1 + COMPLEX)

inline T matrix_element(global const T* x, long step_i, long step_k, int stored, int outside,
                        int diagonal, int conjugated, long i, long k) {
  const bool is_outside = (stored == 1 && k > i) || (stored == 2 && k < i);
  T value;
  if (is_outside) {
    if (outside == 0) return zero();
    value = x[k * step_i + i * step_k];
    if (outside == 2) value = conjugate(value);
  } else if (i == k && diagonal == 1) {
    value = one();
  } else {
    value = x[i * step_i + k * step_k];
    if (i == k && diagonal == 2) value = real_part(value);
  }
  return conjugated ? conjugate(value) : value;
}

// Element i of a column of a panel.
inline void put_element(global REAL* column, int width, int i, T value) {
#if COMPLEX
  column[i] = value.x;
  column[width + i] = value.y;
#else
  column[i] = value;
#endif
}
//===== factor =====
// A factor of a product for CPUs: its element in row i, column k is at[i * step_i + k * step_k]
// where it is stored; the rest is what matrix_element.cl takes.
typedef struct {
  global const T* at;
  long step_i, step_k;
  int stored, outside, diagonal, conjugated;
} Factor;
//===== pack =====
// Copies a matrix into panels, so that a product reads it side by side: PACK copies panels of WIDTH
// rows of one block of columns, column by column, WIDTH elements a column, padded with zeros at the
// bottom. Of complex numbers a column holds the real parts, then the imaginary parts.
//
// LANES reals make a vector. Included once for each kind of panel, after matrix_element.cl.
#ifndef PACK_TOOLS
#define PACK_TOOLS
typedef JOIN(REAL_NAME, LANES) VEC;
typedef JOIN(REAL_NAME, 4) REAL4;
// Vectors anywhere: where vload and vstore are functions, they are not always one instruction.
typedef VEC __attribute__((aligned(sizeof(REAL)))) VEC_ANYWHERE;
#define LOAD(i, p) (*((global const VEC_ANYWHERE*)(p) + (i)))
#define STORE(v, i, p) (*((global VEC_ANYWHERE*)(p) + (i)) = (v))
#define KEEP(v, p) (*(private VEC_ANYWHERE*)(p) = (v))
// Tells the caches what comes. A hint only: the address need not exist.
#if defined(__x86_64__)
#define WILL_READ(p) __asm__ volatile("prefetcht1 (%0)" ::"r"(p))
#define WILL_WRITE(p) __asm__ volatile("prefetcht0 (%0)" ::"r"(p))
#elif defined(__aarch64__)
#define WILL_READ(p) __asm__ volatile("prfm pldl2keep, [%0]" ::"r"(p))
#define WILL_WRITE(p) __asm__ volatile("prfm pstl1keep, [%0]" ::"r"(p))
#else
#define WILL_READ(p)
#define WILL_WRITE(p)
#endif
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
      // Columns are too far apart for the machine to see the next ones coming.
      for (int i = 0; i < WIDTH * PARTS * (int)sizeof(REAL); i += 64)
        WILL_READ((global const char*)(from + CHUNK * step_k * PARTS) + i);
#if COMPLEX
      __attribute__((opencl_unroll_hint)) for (int i = 0; i < WIDTH; ++i) {
        to[i] = from[2 * i];
        to[WIDTH + i] = conjugated ? -from[2 * i + 1] : from[2 * i + 1];
      }
#else
      int i = 0;
      __attribute__((opencl_unroll_hint)) for (; i + LANES <= WIDTH; i += LANES)
        STORE(LOAD(0, from + i), 0, to + i);
      __attribute__((opencl_unroll_hint)) for (; i < WIDTH; ++i) to[i] = from[i];
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

// Columns [k1, k1 + count) of a panel with rows from i0 on, of which `there` exist.
inline void JOIN(PACK, _piece)(const Factor x, long i0, int there, long k1, int count,
                               global REAL* to) {
  const long k2 = k1 + count;
  const bool below = k2 <= i0, above = k1 >= i0 + WIDTH;
  const bool mirrored = (x.stored == 1 && above) || (x.stored == 2 && below);
  const bool stored = (x.stored == 0 && x.diagonal == 0) || (x.stored == 1 && below) ||
                      (x.stored == 2 && above);
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
//===== pack_gpu =====
// Copies a matrix into panels for a GPU: panel p holds rows p * WIDTH to (p + 1) * WIDTH - 1,
// column by column, with zeros where the matrix has ended (below, and on the right up to `padded`
// columns). Which element is what says matrix_element.cl. Included once for each kind of panel.
//
// A work-group of THREADS work-items copies a square of 32 x 32 by way of local memory, so that it reads and writes side
// by side whichever way the matrix lies.
kernel __attribute__((reqd_work_group_size(32, THREADS / 32, 1))) void PACK(
    global const T* restrict x, long offset, long step_i, long step_k, int stored, int outside,
    int diagonal, int conjugated, long rows, long depth, long padded, global REAL* restrict out) {
  local T square[32][33];
  const long i0 = get_group_id(0) * 32, k0 = get_group_id(1) * 32;
  const int lane = get_local_id(0), line = get_local_id(1);
  x += offset;
  for (int step = line; step < 32; step += THREADS / 32) {
    // Neighbours in the group read neighbours in memory.
    const long i = i0 + (step_i == 1 ? lane : step), k = k0 + (step_i == 1 ? step : lane);
    const T value = i < rows && k < depth ? matrix_element(x, step_i, step_k, stored, outside,
                                                           diagonal, conjugated, i, k)
                                          : zero();
    square[k - k0][i - i0] = value;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const long panel = i0 / WIDTH;
  for (int step = line; step < 32; step += THREADS / 32) {
    if (k0 + step >= padded) break;
    global REAL* column = out + (panel * padded + k0 + step) * WIDTH * PARTS;
    put_element(column, WIDTH, (int)(i0 - panel * WIDTH) + lane, square[step][lane]);
  }
}
#undef PACK
#undef WIDTH
