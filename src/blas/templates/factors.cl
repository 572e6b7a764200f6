// Level 3: the factors of a product: their elements, whatever they are, and vectors of them. packs.cl
// has how they are copied into panels.
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
#define SECOND_SIZE(columns) PANEL_SIZE(COLUMNS, columns)
#define WHOLE_BLOCKS 0
