// What level 1 has beyond the prelude: vectors of a device's width, and the way over them.
//   UNIT_STRIDES  1 where elements lie side by side, in every vector of the call
//   V             LANES reals: a CPU's native vector, a GPU's widest load (16 bytes). Complex
//                 numbers lie in it with their parts in turn
//   load, store   vector number i from an address
//   BLOCK         elements of T that a work-item takes at once: CHAINS vectors, whose results do
//                 not wait for one another
#if !ON_CPU || NATIVE_FLOATS < 8
#define FLOAT_LANES 4
#define DOUBLE_LANES 2
#elif NATIVE_FLOATS < 16
#define FLOAT_LANES 8
#define DOUBLE_LANES 4
#else
#define FLOAT_LANES 16
#define DOUBLE_LANES 8
#endif

#if DOUBLE
#define LANES DOUBLE_LANES
#else
#define LANES FLOAT_LANES
#endif
#define REALS(lanes) JOIN(REAL_NAME, lanes)
#define FLAGS JOIN(INTEGER_NAME, LANES)  // what a comparison of two V gives
typedef REALS(LANES) V;

#define CHAINS 4
#define ELEMENTS (LANES / (COMPLEX ? 2 : 1))
#define BLOCK (CHAINS * ELEMENTS)
// Unrolled by order: what is an array of CHAINS values has to end up in registers.
#define FOR_CHAINS(k) _Pragma("unroll") for (int k = 0; k < CHAINS; ++k)

// The vectors of block b: a CPU's prefetcher wants one stretch, a GPU's work-items neighbours.
#if ON_CPU
#define VECTOR_OF(b, chain, blocks) ((b) * CHAINS + (chain))
// vloadN and vstoreN in other words: PoCL makes four stores of a vstore16.
typedef V AnywhereV __attribute__((aligned(sizeof(REAL))));
inline V load(global const REAL* from, long i) { return ((global const AnywhereV*)from)[i]; }
inline void store(V value, global REAL* to, long i) { ((global AnywhereV*)to)[i] = value; }
#define BLOCKS_OF(n, aligned) ((n) / BLOCK)
#else
#define VECTOR_OF(b, chain, blocks) ((b) + (chain) * (blocks))
inline V load(global const REAL* from, long i) { return ((global const V*)from)[i]; }
inline void store(V value, global REAL* to, long i) { ((global V*)to)[i] = value; }
// The widest loads need aligned addresses; an offset may have spoilt them.
#define BLOCKS_OF(n, aligned) ((aligned) ? (n) / BLOCK : 0)
#endif
#define IS_ALIGNED(address) ((size_t)(address) % sizeof(V) == 0)

#if UNIT_STRIDES
#define VECTOR_AT(x, i, inc) load((global const REAL*)(x), i)
#else
// Vector i of elements that lie apart.
inline V VECTOR_AT(global const T* x, long i, long inc) {
  T elements[ELEMENTS];
#pragma unroll
  for (int k = 0; k < ELEMENTS; ++k) elements[k] = x[(i * ELEMENTS + k) * inc];
  return JOIN(vload, LANES)(0, (const REAL*)elements);
}
#endif

// (sum of the even lanes, sum of the odd lanes): real and imaginary parts where T is complex.
inline REAL2 fold(V v) {
#if LANES == 16
  const REALS(8) v8 = v.lo + v.hi;
  const REALS(4) v4 = v8.lo + v8.hi;
  return v4.lo + v4.hi;
#elif LANES == 8
  const REALS(4) v4 = v.lo + v.hi;
  return v4.lo + v4.hi;
#elif LANES == 4
  return v.lo + v.hi;
#else
  return v;
#endif
}

#define EXCHANGED_2 s10
#define EXCHANGED_4 s1032
#define EXCHANGED_8 s10325476
#define EXCHANGED_16 s1032547698badcfe
// Imaginary parts where the real parts were, and the reverse.
inline V exchanged(V v) { return v.JOIN(EXCHANGED_, LANES); }

// A scalar as a factor of vectors. times and times_add round as mul and mul_add do, so that an
// element's result does not depend on whether it lies in a whole block.
#if COMPLEX
typedef struct {
  V same, crossed;
} Factor;
inline Factor factor(T a) {
  Factor f;
  f.same = (V)(a.x);
  f.crossed.even = -a.y;
  f.crossed.odd = a.y;
  return f;
}
inline V times(Factor a, V x) { return fma(a.same, x, a.crossed * exchanged(x)); }
inline V times_add(Factor a, V x, V y) {
  return fma(a.same, x, fma(a.crossed, exchanged(x), y));
}
#else
typedef V Factor;
inline Factor factor(T a) { return (V)(a); }
inline V times(Factor a, V x) { return a * x; }
inline V times_add(Factor a, V x, V y) { return fma(a, x, y); }
#endif
