// The number, from 1, of the first element whose size (|re| + |im| where T is complex) is the
// largest; 0 where there are no elements. As in reference BLAS, where a comparison with NaN is
// false, a NaN that comes first is the largest, and no other one is.
typedef struct {
  REAL size;
  uint place;  // from 0
} Candidate;
#define PART Candidate
#define RESULT uint
inline PART candidate(REAL size, long place) {
  PART made;
  made.size = size;
  made.place = (uint)place;
  return made;
}
inline PART nothing(void) { return candidate(-1, -1); }
inline PART join(PART a, PART b) {
  if (b.size > a.size || (b.size == a.size && b.place < a.place)) return b;
  return a;
}
inline RESULT outcome(PART best) { return best.place + 1; }
#if COMPLEX
#define SIZE_OF(element) (fabs((element).x) + fabs((element).y))
#define SIZES_OF(v) (fabs(v) + exchanged(fabs(v)))
#else
#define SIZE_OF(element) fabs(element)
#define SIZES_OF(v) fabs(v)
#endif

kernel void iamax(long n, global const T* restrict x, long at_x, long inc_x, global PART* partial,
                  global RESULT* result, long at_result) {
  x += at_x;
  PART best = nothing();
#if UNIT_STRIDES || ON_CPU
  const long vectors = BLOCKS_OF(n, IS_ALIGNED(x)) * CHAINS;
  V sizes = (V)(-1);      // the largest of each lane: ever later vectors, so the first of equals,
  FLAGS at = (FLAGS)(0);  // and the number of its vector
#pragma unroll 4
  FOR_MINE(i, vectors) {
    const V found = SIZES_OF(VECTOR_AT(x, i, inc_x));
    const FLAGS larger = found > sizes;
    at = select(at, (FLAGS)(i), larger);
    sizes = select(sizes, found, larger);
  }
  REAL size_of[LANES];
  JOIN(vstore, LANES)(sizes, 0, size_of);
#if DOUBLE
  long vector_of[LANES];
#else
  int vector_of[LANES];
#endif
  JOIN(vstore, LANES)(at, 0, vector_of);
  for (int lane = 0; lane < LANES; lane += LANES / ELEMENTS)
    if (size_of[lane] >= 0)
      best = join(best, candidate(size_of[lane], (long)vector_of[lane] * ELEMENTS +
                                                     lane / (LANES / ELEMENTS)));
  const long done = vectors * ELEMENTS;
#else
  const long done = 0;
#endif
  FOR_MINE(i, n - done)
    best = join(best, candidate(SIZE_OF(x[(done + i) * inc_x]), done + i));
  if (get_global_id(0) == 0 && n > 0 && isnan(SIZE_OF(x[0]))) best = candidate(INFINITY, 0);
  CONCLUDE(best)
}
AND_END(iamax)
