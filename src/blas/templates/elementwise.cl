// Level 1: kernels that go over vectors element by element. They follow `vectors`.
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== pairs =====
// Kernels that change x and y element by element. A template defines what becomes of elements v of x
// and w of y, NEW_X(N) and NEW_Y(N): of type N, which is T or, where elements lie side by side, V.
#if UNIT_STRIDES
#define UPDATE_BLOCKS                                                         \
  {                                                                           \
    global REAL* restrict one = (global REAL*)x;                              \
    global REAL* restrict other = (global REAL*)y;                            \
    const long blocks = BLOCKS_OF(n, IS_ALIGNED(one) && IS_ALIGNED(other));   \
    FOR_MINE(b, blocks) {                                                     \
      V of_x[CHAINS], of_y[CHAINS];                                           \
      FOR_CHAINS(k) {                                                         \
        of_x[k] = load(one, VECTOR_OF(b, k, blocks));                         \
        of_y[k] = load(other, VECTOR_OF(b, k, blocks));                       \
      }                                                                       \
      FOR_CHAINS(k) {                                                         \
        const V v = of_x[k], w = of_y[k];                                     \
        store(NEW_X(V), one, VECTOR_OF(b, k, blocks));                        \
        store(NEW_Y(V), other, VECTOR_OF(b, k, blocks));                      \
      }                                                                       \
    }                                                                         \
    x += blocks * BLOCK;                                                      \
    y += blocks * BLOCK;                                                      \
    n -= blocks * BLOCK;                                                      \
    inc_x = inc_y = 1;                                                        \
  }
#else
#define UPDATE_BLOCKS
#endif
#define UPDATE_PAIRS                                                          \
  x += at_x;                                                                  \
  y += at_y;                                                                  \
  UPDATE_BLOCKS                                                               \
  FOR_MINE(i, n) {                                                            \
    const T v = x[i * inc_x], w = y[i * inc_y];                               \
    x[i * inc_x] = NEW_X(T);                                                  \
    y[i * inc_y] = NEW_Y(T);                                                  \
  }
//===== swap =====
// x and y change places.
#define NEW_X(N) w
#define NEW_Y(N) v

kernel void swap(long n, global T* restrict x, long at_x, long inc_x, global T* restrict y,
                 long at_y, long inc_y) {
  UPDATE_PAIRS
}
//===== scal =====
// x = alpha x, alpha real where REAL_ALPHA (csscal, zdscal). Every element is multiplied, as in
// reference BLAS: an alpha of 0 leaves NaN where x was NaN or infinite.
#if REAL_ALPHA
#define SCALAR REAL
#define SCALED(x) (alpha * (x))
#define SCALED_VECTOR(v) (alpha * (v))
#else
#define SCALAR T
#define SCALED(x) mul(alpha, x)
#define SCALED_VECTOR(v) times(a, v)
#endif

kernel void scal(long n, SCALAR alpha, global T* x, long at_x, long inc_x) {
  x += at_x;
#if UNIT_STRIDES
  global REAL* to = (global REAL*)x;
#if !REAL_ALPHA
  const Factor a = factor(alpha);
#endif
  const long blocks = BLOCKS_OF(n, IS_ALIGNED(to));
  FOR_MINE(b, blocks) {
    V scaled[CHAINS];
    FOR_CHAINS(k)
      scaled[k] = SCALED_VECTOR(load(to, VECTOR_OF(b, k, blocks)));
    FOR_CHAINS(k) store(scaled[k], to, VECTOR_OF(b, k, blocks));
  }
  x += blocks * BLOCK;
  FOR_MINE(i, n - blocks * BLOCK) x[i] = SCALED(x[i]);
#else
  FOR_MINE(i, n) x[i * inc_x] = SCALED(x[i * inc_x]);
#endif
}
//===== copy =====
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
//===== axpy =====
// y = alpha x + y
kernel void axpy(long n, T alpha, global const T* restrict x, long at_x, long inc_x,
                 global T* restrict y, long at_y, long inc_y) {
  x += at_x;
  y += at_y;
#if UNIT_STRIDES
  global const REAL* restrict from = (global const REAL*)x;
  global REAL* restrict to = (global REAL*)y;
  const Factor a = factor(alpha);
  const long blocks = BLOCKS_OF(n, IS_ALIGNED(from) && IS_ALIGNED(to));
  FOR_MINE(b, blocks) {
    V sum[CHAINS];
    FOR_CHAINS(k) {
      const long i = VECTOR_OF(b, k, blocks);
      sum[k] = times_add(a, load(from, i), load(to, i));
    }
    FOR_CHAINS(k) store(sum[k], to, VECTOR_OF(b, k, blocks));
  }
  x += blocks * BLOCK;
  y += blocks * BLOCK;
  FOR_MINE(i, n - blocks * BLOCK) y[i] = mul_add(alpha, x[i], y[i]);
#else
  FOR_MINE(i, n) y[i * inc_y] = mul_add(alpha, x[i * inc_x], y[i * inc_y]);
#endif
}
//===== axpy_batch =====
// y = alpha x + y for `items` pairs of vectors of N elements. A CPU's work-item goes through a stretch
// of the items, a GPU's take elements of all items side by side.
//   BY_ITEMS   1: a table says where the items are and what their alpha is, else they are `step`
//              elements apart
#if BY_ITEMS
// A record of the table.
typedef struct {
  T alpha, beta;
  long x, y, none;
} Item;
#define ITEM_TABLE , global const Item *table, long at_items
#define ALPHA_OF(item) table[at_items + (item)].alpha
#define X_OF(item) (x + table[at_items + (item)].x)
#define Y_OF(item) (y + table[at_items + (item)].y)
#else
#define ITEM_TABLE
#define ALPHA_OF(item) alpha
#define X_OF(item) (x + (item)*step_x)
#define Y_OF(item) (y + (item)*step_y)
#endif

kernel void axpy_batch(long items, T alpha, global const T* restrict x, long at_x, long inc_x,
                       long step_x, global T* restrict y, long at_y, long inc_y,
                       long step_y ITEM_TABLE) {
  x += at_x;
  y += at_y;
#if ON_CPU
  FOR_MINE(item, items) {
    const T alpha_here = ALPHA_OF(item);
    global const T* restrict from = X_OF(item);
    global T* restrict to = Y_OF(item);
    long i = 0;
#if UNIT_STRIDES
    const Factor a = factor(alpha_here);
    for (; i + ELEMENTS <= N; i += ELEMENTS) {
      global REAL* at = (global REAL*)(to + i);
      store(times_add(a, load((global const REAL*)(from + i), 0), load(at, 0)), at, 0);
    }
    for (; i < N; ++i) to[i] = mul_add(alpha_here, from[i], to[i]);
#else
    for (; i < N; ++i) to[i * inc_y] = mul_add(alpha_here, from[i * inc_x], to[i * inc_y]);
#endif
  }
#else
  FOR_MINE(e, items * N) {
    const long item = e / N, i = e % N;
    global T* to = Y_OF(item) + i * (UNIT_STRIDES ? 1 : inc_y);
    *to = mul_add(ALPHA_OF(item), X_OF(item)[i * (UNIT_STRIDES ? 1 : inc_x)], *to);
  }
#endif
}
//===== had =====
// z = alpha x y + beta z, element by element; z is not read where beta is 0.
#if COMPLEX
inline V products(V a, V b) {
  V c;
  c.even = fma(a.even, b.even, -(a.odd * b.odd));
  c.odd = fma(a.even, b.odd, a.odd * b.even);
  return c;
}
#else
#define products(a, b) ((a) * (b))
#endif

kernel void had(long n, T alpha, T beta, global const T* x, long at_x, long inc_x,
                global const T* y, long at_y, long inc_y, global T* z, long at_z, long inc_z) {
  x += at_x;
  y += at_y;
  z += at_z;
  const bool adds = !is_zero(beta);
#if UNIT_STRIDES
  global const REAL* one = (global const REAL*)x;
  global const REAL* other = (global const REAL*)y;
  global REAL* to = (global REAL*)z;
  const Factor a = factor(alpha), b = factor(beta);
  const long blocks = BLOCKS_OF(n, IS_ALIGNED(one) && IS_ALIGNED(other) && IS_ALIGNED(to));
  FOR_MINE(i, blocks) {
    V made[CHAINS];
    FOR_CHAINS(k) {
      const long at = VECTOR_OF(i, k, blocks);
      made[k] = times(a, products(load(one, at), load(other, at)));
      if (adds) made[k] = times_add(b, load(to, at), made[k]);
    }
    FOR_CHAINS(k) store(made[k], to, VECTOR_OF(i, k, blocks));
  }
  x += blocks * BLOCK;
  y += blocks * BLOCK;
  z += blocks * BLOCK;
  n -= blocks * BLOCK;
  inc_x = inc_y = inc_z = 1;
#endif
  FOR_MINE(i, n) {
    const T made = mul(alpha, mul(x[i * inc_x], y[i * inc_y]));
    z[i * inc_z] = adds ? mul_add(beta, z[i * inc_z], made) : made;
  }
}
//===== rot =====
// (x, y) = (c x + s y, c y - s x), the plane rotation; c and s are real, and where T is complex
// their imaginary parts are not looked at.
#define NEW_X(N) fma((N)(c), v, s * w)
#define NEW_Y(N) fma((N)(c), w, -s * v)

kernel void rot(long n, T c_given, T s_given, global T* restrict x, long at_x, long inc_x,
                global T* restrict y, long at_y, long inc_y) {
#if COMPLEX
  const REAL c = c_given.x, s = s_given.x;
#else
  const REAL c = c_given, s = s_given;
#endif
  UPDATE_PAIRS
}
//===== rotm =====
// The modified rotation: (x, y) = H (x, y) with H from rotmg's five parameters. The first, the
// flag, says which elements of H the others give; those that it implies are 1 or -1, whatever lies
// in their place, and a flag of -2 means that x and y stay untouched.
#define NEW_X(N) fma((N)(h11), v, h12 * w)
#define NEW_Y(N) fma((N)(h22), w, h21 * v)

kernel void rotm(long n, global T* restrict x, long at_x, long inc_x, global T* restrict y,
                 long at_y, long inc_y, global const T* restrict param, long at_param) {
  param += at_param;
  const T flag = param[0];
  if (flag == -2) return;
  const T h11 = flag == 0 ? (T)1 : param[1], h21 = flag > 0 ? (T)-1 : param[2];
  const T h12 = flag > 0 ? (T)1 : param[3], h22 = flag == 0 ? (T)1 : param[4];
  UPDATE_PAIRS
}
