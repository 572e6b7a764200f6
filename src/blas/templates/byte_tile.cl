// Level 3 on CPUs with AVX-512 VNNI or AVX2: products of integers of 8 bits and fewer, in place of `pack` and
// `cpu_tile`.
//
// With VNNI an instruction adds the products of four bytes to each lane of int32, but one of its factors has no sign:
// the first factor's bytes are packed 128 larger, and the sums begin with -128 times those of the second factor's
// columns. All of it is modulo 2^32: what an int32 holds comes out exactly, -128 times -128 included. AVX2 multiplies
// pairs of 16 bits and adds the two: a vector of the first factor is cut into its even and its odd bytes, and the
// second factor's panels hold such pairs already, the even ones of four and then the odd ones.
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== byte_quads =====
// A panel's unit is an int: four bytes of a row, side by side in the depth. Before its columns of units lies one more,
// with what the sums begin with. The last unit of a block is filled up with zeros.
#define STEPS(columns) (((columns) + 3) / 4)
#define PANEL_SIZE(width, columns) ((long)(width) * (STEPS(columns) + 1))
#define SECOND_UNITS (VNNI ? 1 : 2)  // of the second factor, for four bytes
#define SECOND_SIZE(columns) ((long)COLUMNS * (SECOND_UNITS * STEPS(columns) + 1))
// What a triangle does not have is zeros in its panel, which the sums' beginnings count with.
#define WHOLE_BLOCKS 1

typedef JOIN(int, LANES) INTS;
typedef JOIN(uchar, LANES) BYTES;
typedef JOIN(uint, LANES) UINTS;
typedef INTS __attribute__((aligned(4))) INTS_ANYWHERE;
typedef int4 __attribute__((aligned(1))) INT4_ANYWHERE;
typedef int4 __attribute__((aligned(4))) INT4_IN_PANEL;

#if VNNI
// sum += products of four bytes in each lane: without sign in a, with it in b.
#define ADD_QUADS(sum, a, b) __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b))
#else
// sum += products of two numbers of 16 bits in each lane.
#define ADD_PAIRS(sum, a, b)                                           \
  {                                                                    \
    INTS products;                                                     \
    __asm__("vpmaddwd %2, %1, %0" : "=x"(products) : "x"(a), "x"(b)); \
    sum += products;                                                   \
  }
#endif
//===== pack_bytes =====
// As `pack`, with the same macros and the same arguments, but for units of four bytes. FLIP is what makes a
// factor's bytes 128 larger, or nothing. A line of a cache holds CHUNK bytes.
#undef CHUNK
#define CHUNK 64

inline int JOIN(PACK, _quad)(global const ELEMENT(KIND)* x, long at, long step_k, int count) {
  int quad = 0;
  for (int k = 0; k < count; ++k) quad |= ((int)GET(KIND, x, at + k * step_k) & 0xff) << (8 * k);
  return quad;
}

// `columns` columns of a panel with `there` rows, all of them stored, from element `at` on.
inline void JOIN(PACK, _stretch)(global const ELEMENT(KIND)* x, long at, long step_i, long step_k, int there,
                                 int columns, global int* out) {
  int k = 0;
#if KIND == 5
  if (there == WIDTH && step_i == 1) {
    for (; k + 4 <= columns; k += 4) {
      global const uchar* from = (global const uchar*)x + at + k * step_k;
      global int* to = out + k / 4 * WIDTH;
      int i = 0;
      __attribute__((opencl_unroll_hint)) for (; i + LANES <= WIDTH; i += LANES) {
        const UINTS quads = JOIN(convert_uint, LANES)(JOIN(vload, LANES)(0, from + i)) |
                            JOIN(convert_uint, LANES)(JOIN(vload, LANES)(0, from + step_k + i)) << 8 |
                            JOIN(convert_uint, LANES)(JOIN(vload, LANES)(0, from + 2 * step_k + i)) << 16 |
                            JOIN(convert_uint, LANES)(JOIN(vload, LANES)(0, from + 3 * step_k + i)) << 24;
        *(global INTS_ANYWHERE*)(to + i) = JOIN(as_int, LANES)(quads) ^ FLIP;
      }
      __attribute__((opencl_unroll_hint)) for (; i + 4 <= WIDTH; i += 4) {
        const uint4 quads = convert_uint4(vload4(0, from + i)) | convert_uint4(vload4(0, from + step_k + i)) << 8 |
                            convert_uint4(vload4(0, from + 2 * step_k + i)) << 16 |
                            convert_uint4(vload4(0, from + 3 * step_k + i)) << 24;
        *(global INT4_IN_PANEL*)(to + i) = as_int4(quads) ^ FLIP;
      }
      for (; i < WIDTH; ++i)
        to[i] = (int)((uint)from[i] | (uint)from[step_k + i] << 8 | (uint)from[2 * step_k + i] << 16 |
                      (uint)from[3 * step_k + i] << 24) ^
                FLIP;
    }
  } else if (there == WIDTH && step_k == 1) {
    for (; k + 16 <= columns; k += 16) {
      global const char* from = x + at + k;
      global int* to = out + k / 4 * WIDTH;
      int i = 0;
      __attribute__((opencl_unroll_hint)) for (; i + 4 <= WIDTH; i += 4) {
        const int4 a = *(global const INT4_ANYWHERE*)(from + i * step_i) ^ FLIP;
        const int4 b = *(global const INT4_ANYWHERE*)(from + (i + 1) * step_i) ^ FLIP;
        const int4 c = *(global const INT4_ANYWHERE*)(from + (i + 2) * step_i) ^ FLIP;
        const int4 d = *(global const INT4_ANYWHERE*)(from + (i + 3) * step_i) ^ FLIP;
        *(global INT4_IN_PANEL*)(to + i) = (int4)(a.x, b.x, c.x, d.x);
        *(global INT4_IN_PANEL*)(to + WIDTH + i) = (int4)(a.y, b.y, c.y, d.y);
        *(global INT4_IN_PANEL*)(to + 2 * WIDTH + i) = (int4)(a.z, b.z, c.z, d.z);
        *(global INT4_IN_PANEL*)(to + 3 * WIDTH + i) = (int4)(a.w, b.w, c.w, d.w);
      }
      for (; i < WIDTH; ++i) {
        const int4 a = *(global const INT4_ANYWHERE*)(from + i * step_i) ^ FLIP;
        to[i] = a.x;
        to[WIDTH + i] = a.y;
        to[2 * WIDTH + i] = a.z;
        to[3 * WIDTH + i] = a.w;
      }
    }
  }
#endif
  for (; k < columns; k += 4)
    for (int i = 0; i < WIDTH; ++i)
      out[k / 4 * WIDTH + i] =
          FLIP ^ (i < there ? JOIN(PACK, _quad)(x, at + i * step_i + k * step_k, step_k, min(4, columns - k)) : 0);
}

// Columns [k1, k1 + count) of a panel with rows from i0 on, of which `there` exist.
inline void JOIN(PACK, _piece)(const Factor x, long i0, int there, long k1, int count, global int* to) {
  global const ELEMENT(KIND)* elements = (global const ELEMENT(KIND)*)x.at;
  const long k2 = k1 + count;
  const bool below = k2 <= i0, above = k1 >= i0 + WIDTH;
  const bool mirrored = (x.stored == 1 && above) || (x.stored == 2 && below);
  const bool stored = (x.stored == 0 && x.diagonal == 0) || (x.stored == 1 && below) || (x.stored == 2 && above);
  if (stored)
    JOIN(PACK, _stretch)(elements, x.first + i0 * x.step_i + k1 * x.step_k, x.step_i, x.step_k, there, count, to);
  else if (mirrored && x.outside != 0)
    JOIN(PACK, _stretch)(elements, x.first + k1 * x.step_i + i0 * x.step_k, x.step_k, x.step_i, there, count, to);
  else
    for (int k = 0; k < count; k += 4)
      for (int i = 0; i < WIDTH; ++i) {
        int quad = 0;
        for (int part = 0; part < min(4, count - k) && i < there; ++part)
          quad |= ((int)MATRIX_ELEMENT(KIND)(elements, x.first, x.step_i, x.step_k, x.stored, x.outside, x.diagonal,
                                             x.conjugated, i0 + i, k1 + k + part) &
                   0xff)
                  << (8 * part);
        to[k / 4 * WIDTH + i] = quad ^ FLIP;
      }
}

#if VNNI
// What sums begin with: -128 times the sum of each of a panel's rows.
inline void JOIN(PACK, _begin)(global int* panel, int steps) {
  int sums[WIDTH];
  for (int i = 0; i < WIDTH; ++i) sums[i] = 0;
  for (int k = 1; k <= steps; ++k) {
    int i = 0;
    const int4 ones = (int4)(0x01010101);
    __attribute__((opencl_unroll_hint)) for (; i + 4 <= WIDTH; i += 4) {
      int4 sum = *(private const INT4_IN_PANEL*)(sums + i);
      ADD_QUADS(sum, ones, *(global const INT4_IN_PANEL*)(panel + k * WIDTH + i));
      *(private INT4_IN_PANEL*)(sums + i) = sum;
    }
    for (; i < WIDTH; ++i) {
      const char4 quad = as_char4(panel[k * WIDTH + i]);
      sums[i] += quad.x + quad.y + quad.z + quad.w;
    }
  }
  for (int i = 0; i < WIDTH; ++i) panel[i] = -128 * sums[i];
}
#else
// The same, and the panel's four bytes, which lie in its last half, become pairs.
inline void JOIN(PACK, _begin)(global int* panel, int steps) {
  int sums[WIDTH];
  for (int i = 0; i < WIDTH; ++i) sums[i] = 0;
  global const int* from = panel + (long)WIDTH * (steps + 1);
  global int* to = panel + WIDTH;
  for (int k = 0; k < steps; ++k, from += WIDTH, to += 2 * WIDTH) {
    // All are read before their places are written.
    int quads[WIDTH];
    for (int i = 0; i < WIDTH; ++i) quads[i] = from[i];
    for (int i = 0; i < WIDTH; ++i) {
      const int quad = quads[i];
      const int byte0 = quad << 24 >> 24, byte1 = quad << 16 >> 24, byte2 = quad << 8 >> 24, byte3 = quad >> 24;
      sums[i] += byte0 + byte1 + byte2 + byte3;
      to[2 * i] = (byte0 & 0xffff) | (int)((uint)byte2 << 16);
      to[2 * i + 1] = (byte1 & 0xffff) | (int)((uint)byte3 << 16);
    }
  }
  for (int i = 0; i < WIDTH; ++i) panel[i] = -128 * sums[i];
}
#endif

// Panels [p0, p1) of a matrix of `rows` rows, and columns [k0, k0 + columns) of them, into a slot
// that has panel 0 first.
inline void PACK(const Factor x, long p0, long p1, long rows, long k0, int columns, global int* slot) {
  for (long p = p0; p < p1; ++p) {
    const bool is_second = FLIP == 0;
    global int* panel = slot + p * (is_second ? SECOND_SIZE(columns) : PANEL_SIZE(WIDTH, columns));
    global int* quads = panel + (long)WIDTH * (is_second && !VNNI ? STEPS(columns) + 1 : 1);
    for (int from = 0; from < columns; from += CHUNK)
      JOIN(PACK, _piece)(x, p * WIDTH, (int)min(rows - p * WIDTH, (long)WIDTH), k0 + from,
                         min(CHUNK, columns - from), quads + from / 4 * WIDTH);
    if (is_second) JOIN(PACK, _begin)(panel, STEPS(columns));
  }
}
#undef PACK
#undef WIDTH
#undef KIND
#undef GROUPED
#undef FLIP
//===== byte_tile =====
// The micro-kernel, as in `cpu_tile`: [from, to) are units of the panels.
inline void tile(int from, int to, global const int* restrict a, global const int* restrict b,
                 const Target target, int rows, int columns, T alpha, T beta, long above, int triangle,
                 int hermitian, global const int* next, int step AFTER_PARAMETERS) {
  global ELEMENT(RESULT)* c = target.c + target.first;
  for (int j = 0; j < min(columns, COLUMNS); ++j)
    for (int i = 0; i < ROWS * (int)sizeof(*c); i += 64)
      WILL_WRITE((global const char*)(c + j * target.ld) + i);
  SUMS sums[COLUMNS][VECTORS];
  FOR_TILE(j, v) sums[j][v] = (SUMS)(b[j]);
  a += (long)(from + 1) * ROWS;
  b += (long)(from * SECOND_UNITS + 1) * COLUMNS;
  for (int k = from; k < to; ++k) {
    WILL_READ(next);
    next += step;
    SUMS x[VECTORS];
    UNROLLED(v, VECTORS) x[v] = ((global const INTS_ANYWHERE*)a)[v];
#if VNNI
    UNROLLED(j, COLUMNS) {
      const SUMS y = (SUMS)(b[j]);
      UNROLLED(v, VECTORS) ADD_QUADS(sums[j][v], x[v], y);
    }
#else
    SUMS odd[VECTORS];
    UNROLLED(v, VECTORS) {
      odd[v] = JOIN(as_int, LANES)(JOIN(as_uint, LANES)(x[v]) >> 8) & 0x00ff00ff;
      x[v] &= 0x00ff00ff;
    }
    UNROLLED(j, COLUMNS) {
      const SUMS y = (SUMS)(b[2 * j]), y_odd = (SUMS)(b[2 * j + 1]);
      UNROLLED(v, VECTORS) {
        ADD_PAIRS(sums[j][v], x[v], y)
        ADD_PAIRS(sums[j][v], odd[v], y_odd)
      }
    }
#endif
    a += ROWS;
    b += COLUMNS * SECOND_UNITS;
  }
  finish(sums, target, rows, columns, alpha, beta, above, triangle AFTER_ARGUMENTS);
}
