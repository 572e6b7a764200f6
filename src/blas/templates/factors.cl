// Level 3: the factors of a product, and how they are copied into panels, on CPUs (`factor` and `pack`)
// and on GPUs (`pack_gpu`).
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== gate =====
// Kernels that do nothing unless an int in memory is 0 (GATED 2) or is not (GATED 1).
#if GATED
#define GATE_PARAMETER , volatile global const int* gate
#define RETURN_AT_GATE \
  if ((*gate != 0) != (GATED == 1)) return;
#else
#define GATE_PARAMETER
#define RETURN_AT_GATE
#endif
//===== stored =====
// How elements lie in memory: kinds by the numbers of kiln::blas::Storage. ELEMENT(kind) is the type of what
// memory holds, GET(kind, p, i) its element i as a T, PUT(kind, p, i, value) writes one, rounded to the
// nearest, ties to even. Real types only, but for kind 0.
#define ELEMENT(kind) JOIN(ELEMENT_, kind)
#define GET(kind, p, i) JOIN(get_, kind)(p, i)
#define PUT(kind, p, i, value) JOIN(put_, kind)(p, i, value)

#define ELEMENT_0 T          // as T
#define ELEMENT_1 ushort     // half
#define ELEMENT_2 ushort     // bfloat16
#define ELEMENT_3 uchar      // e4m3
#define ELEMENT_4 uchar      // e5m2
#define ELEMENT_5 char       // int8
#define ELEMENT_6 int        // int32
#define ELEMENT_7 char       // int4: two in one
inline T get_0(global const T* p, long i) { return p[i]; }
inline void put_0(global T* p, long i, T value) { p[i] = value; }
#if !COMPLEX
inline REAL get_1(global const ushort* p, long i) { return vload_half(i, (global const half*)p); }
inline void put_1(global ushort* p, long i, REAL value) { vstore_half_rte(value, i, (global half*)p); }
inline REAL get_2(global const ushort* p, long i) { return as_float((uint)p[i] << 16); }
inline void put_2(global ushort* p, long i, REAL value) {
  const uint bits = as_uint((float)value);
  p[i] = isnan(value) ? (ushort)0x7fc0 : (ushort)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
// An e5m2 is the upper half of a half. An e4m3 has its exponent where a half has it, but for a bit: as a half it is
// 2^-8 of what it means.
inline REAL half_of(ushort bits) {
  const ushort one[1] = {bits};
  return vload_half(0, (const half*)one);
}
inline REAL get_3(global const uchar* p, long i) {
  const ushort bits = p[i];
  if ((bits & 0x7f) == 0x7f) return NAN;
  return half_of((ushort)((bits & 0x80) << 8 | (bits & 0x7f) << 7)) * 256;
}
inline REAL get_4(global const uchar* p, long i) { return half_of((ushort)(p[i] << 8)); }
// Floating point of 8 bits, `fraction` of them for the fraction, exponents from `least` on: what is below the
// smallest normal number is a multiple of the smallest one.
inline uchar small_float(REAL value, int fraction, int least, REAL most, bool has_infinity) {
  const uchar sign = signbit(value) ? 0x80 : 0;
  const REAL size = fabs(value);
  if (isnan(value)) return sign | 0x7f;
  if (has_infinity && isinf(value)) return sign | (uchar)(0x7f << fraction & 0x7f);
  if (size == 0) return sign;
  const int exponent = max(ilogb(size), least);
  const REAL units = rint(ldexp(size, fraction - exponent));  // ties to even
  if (ldexp(units, exponent - fraction) > most)
    return has_infinity ? sign | (uchar)(0x7f << fraction & 0x7f) : sign | 0x7e;
  // A carry into the exponent comes out right by itself.
  return sign | (uchar)(((exponent - least) << fraction) + (int)units);
}
inline void put_3(global uchar* p, long i, REAL value) { p[i] = small_float(value, 3, -6, 448, false); }
inline void put_4(global uchar* p, long i, REAL value) { p[i] = small_float(value, 2, -14, 57344, true); }
inline REAL get_5(global const char* p, long i) { return p[i]; }
inline void put_5(global char* p, long i, REAL value) { p[i] = convert_char_sat_rte(value); }
inline REAL get_6(global const int* p, long i) { return p[i]; }
inline void put_6(global int* p, long i, REAL value) { p[i] = convert_int_sat_rte(value); }
inline REAL get_7(global const char* p, long i) {
  const char pair = p[i / 2];
  return i % 2 == 0 ? (char)(pair << 4) >> 4 : pair >> 4;
}
#endif
//===== matrix_element =====
// Elements of matrices of which a triangle may stand for the whole. The element in row i, column k
// is number first + i * step_i + k * step_k of x where it is stored:
//   stored    0: everywhere   1: where k <= i   2: where k >= i
//   outside   what stands in the other triangle. 0: zeros   1: the mirror image   2: its conjugate
//   diagonal  0: as it is   1: ones, not read   2: without its imaginary part
//   conjugated  the whole is conjugated after all that
// MATRIX_ELEMENT(kind) is the function for one kind of elements.
#define PARTS (1 + COMPLEX)
#define MATRIX_ELEMENT(kind) JOIN(matrix_element_, kind)
#define DEFINE_MATRIX_ELEMENT(kind)                                                              \
  inline T MATRIX_ELEMENT(kind)(global const ELEMENT(kind) * x, long first, long step_i,         \
                                long step_k, int stored, int outside, int diagonal,              \
                                int conjugated, long i, long k) {                                \
    const bool is_outside = (stored == 1 && k > i) || (stored == 2 && k < i);                    \
    T value;                                                                                     \
    if (is_outside) {                                                                            \
      if (outside == 0) return zero();                                                           \
      value = GET(kind, x, first + k * step_i + i * step_k);                                     \
      if (outside == 2) value = conjugate(value);                                                \
    } else if (i == k && diagonal == 1) {                                                        \
      value = one();                                                                             \
    } else {                                                                                     \
      value = GET(kind, x, first + i * step_i + k * step_k);                                     \
      if (i == k && diagonal == 2) value = real_part(value);                                     \
    }                                                                                            \
    return conjugated ? conjugate(value) : value;                                                \
  }
DEFINE_MATRIX_ELEMENT(FIRST)
#if FIRST != SECOND
DEFINE_MATRIX_ELEMENT(SECOND)
#endif

// Panels hold reals, or where INTEGER is 1 on GPUs the integers that both factors are of, and on CPUs that have VNNI
// four of them in each int. (On other CPUs floats hold them, which multiply and add exactly as far as a block of the
// depth goes.)
#if INTEGER && (!ON_CPU || VNNI)
typedef int PANEL, PANEL_T;
#define TO_PANEL(value) convert_int(value)
#else
typedef REAL PANEL;
typedef T PANEL_T;
#define TO_PANEL(value) (value)
#endif

// Element i of a column of a panel.
inline void put_element(global PANEL* column, int width, int i, PANEL_T value) {
#if COMPLEX
  column[i] = value.x;
  column[width + i] = value.y;
#else
  column[i] = value;
#endif
}
//===== factor =====
// A factor of a product for CPUs, what matrix_element takes: its element in row i, column k is number
// first + i * step_i + k * step_k of `at` where it is stored. Where its kind is GROUPED, `scales` has a half for
// each `group` elements next to one another in k, `groups` of them a row.
typedef struct {
  global const void* at;
  long first, step_i, step_k;
  int stored, outside, diagonal, conjugated;
#if GROUPED_FIRST || GROUPED_SECOND
  global const ushort* scales;
  long group, groups;
#endif
} Factor;

#if GROUPED_FIRST || GROUPED_SECOND
#define GROUPS_PARAMETERS(x) \
  , global const ushort *x##_scales, long x##_scales_offset, long x##_group, long x##_groups
#define GROUPS_ARGUMENTS(x) , x##_scales + x##_scales_offset, x##_group, x##_groups
#else
#define GROUPS_PARAMETERS(x)
#define GROUPS_ARGUMENTS(x)
#endif
//===== cpu_vectors =====
// LANES reals make a vector: reading and writing them anywhere.
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

// GET and PUT for n elements side by side, as a vector.
#define GET_MANY(kind, n, p, i) JOIN(JOIN(get_many_, kind), JOIN(_, n))(p, i)
#define DEFINE_GET_MANY(n)                                                                              \
  inline JOIN(REAL_NAME, n) JOIN(get_many_1_, n)(global const ushort* p, long i) {                      \
    return JOIN(vload_half, n)(0, (global const half*)p + i);                                           \
  }                                                                                                     \
  inline JOIN(REAL_NAME, n) JOIN(get_many_2_, n)(global const ushort* p, long i) {                      \
    return JOIN(as_float, n)(JOIN(convert_uint, n)(JOIN(vload, n)(0, p + i)) << 16);                    \
  }                                                                                                     \
  inline JOIN(REAL_NAME, n) JOIN(get_many_5_, n)(global const char* p, long i) {                        \
    return JOIN(convert_float, n)(JOIN(vload, n)(0, p + i));                                            \
  }                                                                                                     \
  /* i is even */                                                                                       \
  inline JOIN(REAL_NAME, n) JOIN(get_many_7_, n)(global const char* p, long i) {                        \
    const JOIN(char, JOIN(HALF_OF_, n)) pairs = JOIN(vload, JOIN(HALF_OF_, n))(0, p + i / 2);           \
    JOIN(char, n) both;                                                                                 \
    both.even = (pairs << (char)4) >> (char)4;                                                          \
    both.odd = pairs >> (char)4;                                                                        \
    return JOIN(convert_float, n)(both);                                                                \
  }
#define HALF_OF_4 2
#define HALF_OF_8 4
#define HALF_OF_16 8
#if !COMPLEX
inline VEC JOIN(get_many_0_, LANES)(global const T* p, long i) { return LOAD(0, p + i); }
#endif
#if !COMPLEX && !DOUBLE && LANES >= 4
DEFINE_GET_MANY(4)
#if LANES != 4
DEFINE_GET_MANY(LANES)
#endif
#endif
//===== real_panels =====
// Columns that a tile goes through, and reals of a panel, for so many columns of the depth.
#define STEPS(columns) (columns)
#define PANEL_SIZE(width, columns) ((long)(width) * (columns) * PARTS)
#define WHOLE_BLOCKS 0
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
//===== pack_gpu =====
// Copies a matrix into panels for a GPU: panel p holds rows p * WIDTH to (p + 1) * WIDTH - 1,
// column by column, with zeros where the matrix has ended (below, and on the right up to `padded`
// columns). Which element is what says matrix_element. Included once for each kind of panel, with KIND and GROUPED as
// `pack`; `scales` with `group` and `groups` as in `factor`. Dimension 2 are the items of a batch, batch_step elements
// apart.
//
// A work-group of THREADS work-items copies a square of 32 x 32 by way of local memory, so that it reads and writes side
// by side whichever way the matrix lies.
kernel __attribute__((reqd_work_group_size(32, THREADS / 32, 1))) void PACK(
    global const ELEMENT(KIND)* restrict x, long offset, long step_i, long step_k, int stored,
    int outside, int diagonal, int conjugated, global const ushort* restrict scales,
    long scales_offset, long group, long groups, long scale_step, long batch_step, long rows, long depth, long padded,
    global PANEL* restrict out GATE_PARAMETER) {
  RETURN_AT_GATE
  local PANEL_T square[32][33];
  const long i0 = get_group_id(0) * 32, k0 = get_group_id(1) * 32;
  const int lane = get_local_id(0), line = get_local_id(1);
  offset += get_group_id(2) * batch_step;
  scales_offset += get_group_id(2) * scale_step;
  for (int step = line; step < 32; step += THREADS / 32) {
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
  for (int step = line; step < 32; step += THREADS / 32) {
    if (k0 + step >= padded) break;
    global PANEL* column = out + (panel * padded + k0 + step) * WIDTH * PARTS;
    put_element(column, WIDTH, (int)(i0 - panel * WIDTH) + lane, square[step][lane]);
  }
}
#undef PACK
#undef WIDTH
#undef KIND
#undef GROUPED
