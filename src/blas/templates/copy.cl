// y = x. BEYOND_CACHE: y is so long that it would not stay in a CPU's cache; its lines are then
// written without being read first, where the compiler knows how.
#if ON_CPU && BEYOND_CACHE && defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define STREAMS 1
#endif
#endif

kernel void copy(long n, global const T* restrict x, long at_x, long inc_x, global T* restrict y,
                 long at_y, long inc_y) {
  x += at_x;
  y += at_y;
#if UNIT_STRIDES
  global const REAL* restrict from = (global const REAL*)x;
  global REAL* restrict to = (global REAL*)y;
#if STREAMS
  // Such writes want aligned addresses: what comes before the first is the first work-item's.
  n *= sizeof(T) / sizeof(REAL);
  const long before = min(n, (long)(-(size_t)to / sizeof(REAL) % LANES));
  if (get_global_id(0) == 0)
    for (long i = 0; i < before; ++i) to[i] = from[i];
  from += before;
  to += before;
  n -= before;
  const long blocks = n / (CHAINS * LANES);
  FOR_MINE(b, blocks)
    FOR_CHAINS(k) {
      const long i = VECTOR_OF(b, k, blocks);
      __builtin_nontemporal_store(load(from, i), (global V*)to + i);
    }
  // Others must see what went past the cache.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  from += blocks * CHAINS * LANES;
  to += blocks * CHAINS * LANES;
  FOR_MINE(i, n - blocks * CHAINS * LANES) to[i] = from[i];
#else
  const long blocks = BLOCKS_OF(n, IS_ALIGNED(from) && IS_ALIGNED(to));
  FOR_MINE(b, blocks) {
    V v[CHAINS];
    FOR_CHAINS(k) v[k] = load(from, VECTOR_OF(b, k, blocks));
    FOR_CHAINS(k) store(v[k], to, VECTOR_OF(b, k, blocks));
  }
  x += blocks * BLOCK;
  y += blocks * BLOCK;
  FOR_MINE(i, n - blocks * BLOCK) y[i] = x[i];
#endif
#else
  FOR_MINE(i, n) y[i * inc_y] = x[i * inc_x];
#endif
}
