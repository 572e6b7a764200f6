// Many small products in one launch: C = alpha op(A) op(B) + beta C for each item, with C of M x N
// and a depth of K, by columns. It follows the prelude.
//   TRANS_A, CONJ_A, TRANS_B, CONJ_B   what op() does
//   TIGHT       1: the leading dimensions are the least that there are, so that they are known here
//   BY_ITEMS    1: a table says where the items are and what their scalars are, else they are `step`
//               elements apart. 2: the same, and the table's A is the second factor here, B the first
// Sizes are constants, so that loops unroll and every index of a tile is known.
#define PARTS (1 + COMPLEX)
#if TIGHT
#define LD_A (TRANS_A ? K : M)
#define LD_B (TRANS_B ? N : K)
#define LD_C M
#else
#define LD_A lda
#define LD_B ldb
#define LD_C ldc
#endif
#define UNROLLED(i, end) _Pragma("unroll") for (int i = 0; i < (end); ++i)

// A record of the table.
typedef struct {
  T alpha, beta;
  long a, b, c;
} Item;

#define ARGUMENTS                                                                             \
  global const T *a, long offset_a, long lda, long step_a, global const T *b, long offset_b,  \
      long ldb, long step_b, global T *c, long offset_c, long ldc, long step_c, T alpha,      \
      T beta, long first, long items, int depth, global const Item *table, long offset_items

// Makes `a`, `b`, `c`, alpha and beta those of item i of the launch.
#if BY_ITEMS
#define OPEN_ITEM(i)                                        \
  const Item item = table[offset_items + first + (i)];      \
  global const T *at_a = a + offset_a + (BY_ITEMS == 2 ? item.b : item.a); \
  global const T *at_b = b + offset_b + (BY_ITEMS == 2 ? item.a : item.b); \
  global T *at_c = c + offset_c + item.c;                   \
  alpha = item.alpha;                                       \
  beta = item.beta;
#else
#define OPEN_ITEM(i)                                        \
  global const T *at_a = a + offset_a + (first + (i)) * step_a; \
  global const T *at_b = b + offset_b + (first + (i)) * step_b; \
  global T *at_c = c + offset_c + (first + (i)) * step_c;
#endif

inline bool is_one(T value) { return is_zero(value - one()); }

#if ON_CPU
// A work-item goes through a stretch of the batch. A column of C is a vector of HEIGHT reals, of
// which LANES make a machine's vector; of complex numbers the parts lie in turn. A tile of C, a few
// vectors x a few columns, is kept in registers, while columns of A are read as vectors and
// elements of B broadcast. Where vectors do not divide a column, its last one begins before the one
// before has ended, and computes some elements twice: so nothing is masked, nothing outside of the
// matrices is read, and an item's size costs what the next multiple of LANES does.
#if LANES == 1
typedef REAL VEC;
#else
typedef JOIN(REAL_NAME, LANES) VEC;
#endif
typedef VEC __attribute__((aligned(sizeof(REAL)))) VEC_ANYWHERE;
#define HEIGHT (M * PARTS)
#define VECTORS ((HEIGHT + LANES - 1) / LANES)
// Strips of TILE_VECTORS, of which the last has the rest: never one vector that is not full, which
// would overlap with what another strip has stored.
#define STRIPS (VECTORS == 1 ? 1 : (VECTORS + TILE_VECTORS - 2) / TILE_VECTORS)
#define LAST_VECTORS (VECTORS - (STRIPS - 1) * TILE_VECTORS)
#define MOST_VECTORS (LAST_VECTORS > TILE_VECTORS ? LAST_VECTORS : TILE_VECTORS)
#define COLUMN_TILES ((N + TILE_COLUMNS - 1) / TILE_COLUMNS)
#define LAST_COLUMNS (N - (COLUMN_TILES - 1) * TILE_COLUMNS)

// Of A that is transposed a strip is copied first, so that its columns are vectors.
#if TRANS_A
#define A_SPACE private
#define A_STEP (MOST_VECTORS * LANES)
#else
#define A_SPACE global
#define A_STEP (LD_A * PARTS)
#endif
#define LOAD(space, p) (*(space const VEC_ANYWHERE *)(p))
#define STORE(v, p) (*(global VEC_ANYWHERE *)(p) = (v))
// Where vector v of a tile's column begins.
#define PLACE(v) ((v) + 1 < vectors ? (v) * LANES : last)

#if COMPLEX
inline VEC in_turn(REAL even, REAL odd) {
  VEC v;
  v.even = even;
  v.odd = odd;
  return v;
}
inline VEC swapped(VEC v) {
  VEC w;
  w.even = v.odd;
  w.odd = v.even;
  return w;
}
inline VEC times(T f, VEC v) { return f.x * v + in_turn(-f.y, f.y) * swapped(v); }
// The product of the sums over k of both parts of A times the real, and times the imaginary, part
// of B.
inline VEC joined(VEC by_real, VEC by_imaginary) {
  const VEC crossed = swapped(by_imaginary);
  return (CONJ_A ? in_turn(1, -1) * by_real : by_real) +
         in_turn(CONJ_A == CONJ_B ? -1 : 1, CONJ_B ? -1 : 1) * crossed;
}
#else
#define times(f, v) ((f) * (v))
#define joined(sum, unused) (sum)
#endif

// `vectors` x `columns` of C; `last` is where the last vector begins. These numbers are constants once
// this is inlined. `depth` is K, and must not be known to be: compilers would unroll the loop
// altogether, and then keep the columns of A on the stack.
inline __attribute__((always_inline)) void tile(A_SPACE const REAL *a, global const T *b,
                                                global REAL *c, long lda, long ldb, long ldc,
                                                int depth, T alpha, T beta, const int vectors,
                                                const int columns, const int last) {
  VEC sum[PARTS][TILE_COLUMNS][MOST_VECTORS];
  UNROLLED(part, PARTS) UNROLLED(j, TILE_COLUMNS) UNROLLED(v, MOST_VECTORS) sum[part][j][v] = 0;
  for (int k = 0; k < depth; ++k) {
    VEC x[MOST_VECTORS];
    UNROLLED(v, MOST_VECTORS)
      if (v < vectors) x[v] = LOAD(A_SPACE, a + k * A_STEP + PLACE(v));
    UNROLLED(j, TILE_COLUMNS) if (j < columns) {
      global const REAL *y = (global const REAL *)(b + (TRANS_B ? k * LD_B + j : j * LD_B + k));
      UNROLLED(part, PARTS) UNROLLED(v, MOST_VECTORS)
        if (v < vectors) sum[part][j][v] = fma(x[v], (VEC)(y[part]), sum[part][j][v]);
    }
  }
  UNROLLED(j, TILE_COLUMNS) UNROLLED(v, MOST_VECTORS)
    if (j < columns && v < vectors)
      sum[0][j][v] = times(alpha, joined(sum[0][j][v], sum[PARTS - 1][j][v]));
  // All of C is read before any of it is written: vectors may overlap.
  if (!is_zero(beta))
    UNROLLED(j, TILE_COLUMNS) UNROLLED(v, MOST_VECTORS)
      if (j < columns && v < vectors)
        sum[0][j][v] += times(beta, LOAD(global, c + j * LD_C * PARTS + PLACE(v)));
  UNROLLED(j, TILE_COLUMNS) UNROLLED(v, MOST_VECTORS)
    if (j < columns && v < vectors) STORE(sum[0][j][v], c + j * LD_C * PARTS + PLACE(v));
}

#if TRANS_A
// `rows` rows of A become columns: of reals in squares of 4 x 4, which are a few vectors each.
inline void transpose(global const T *a, long lda, const int rows, private REAL *to) {
  int i = 0;
#if !COMPLEX
  typedef JOIN(REAL_NAME, 4) REAL4;
  for (; i + 4 <= rows; i += 4) {
    global const REAL *row = a + i * LD_A;
    int k = 0;
    for (; k + 4 <= K; k += 4) {
      const REAL4 p = vload4(0, row + k), q = vload4(0, row + LD_A + k);
      const REAL4 r = vload4(0, row + 2 * LD_A + k), s = vload4(0, row + 3 * LD_A + k);
      vstore4((REAL4)(p.x, q.x, r.x, s.x), 0, to + k * A_STEP + i);
      vstore4((REAL4)(p.y, q.y, r.y, s.y), 0, to + (k + 1) * A_STEP + i);
      vstore4((REAL4)(p.z, q.z, r.z, s.z), 0, to + (k + 2) * A_STEP + i);
      vstore4((REAL4)(p.w, q.w, r.w, s.w), 0, to + (k + 3) * A_STEP + i);
    }
    for (; k < K; ++k)
      vstore4((REAL4)(row[k], row[LD_A + k], row[2 * LD_A + k], row[3 * LD_A + k]), 0,
              to + k * A_STEP + i);
  }
#endif
  for (; i < rows; ++i)
    for (int k = 0; k < K; ++k) *(private T *)(to + k * A_STEP + i * PARTS) = a[i * LD_A + k];
}
#endif

// The rows of C from `from` reals on that `vectors` vectors hold.
inline __attribute__((always_inline)) void strip(global const T *a, global const T *b, global T *c,
                                                 long lda, long ldb, long ldc, int depth, T alpha,
                                                 T beta, const int from, const int vectors,
                                                 const int last, private REAL *packed) {
  global REAL *to = (global REAL *)c + from;
#if TRANS_A
  transpose(a + from / PARTS * LD_A, lda, (last + LANES) / PARTS, packed);
  private const REAL *x = packed;
#else
  global const REAL *x = (global const REAL *)a + from;
#endif
  for (int q = 0; q < COLUMN_TILES - 1; ++q) {
    tile(x, b, to, lda, ldb, ldc, depth, alpha, beta, vectors, TILE_COLUMNS, last);
    b += TILE_COLUMNS * (TRANS_B ? 1 : LD_B);
    to += TILE_COLUMNS * LD_C * PARTS;
  }
  tile(x, b, to, lda, ldb, ldc, depth, alpha, beta, vectors, LAST_COLUMNS, last);
}

// C = beta C.
inline void scale(global T *c, long ldc, T beta) {
  for (int j = 0; j < N; ++j)
    for (int i = 0; i < M; ++i) {
      global T *at = c + j * LD_C + i;
      *at = is_zero(beta) ? zero() : mul(beta, *at);
    }
}

// Tells the caches of an operand of the next item, which their own predictions miss: it is not read
// from its first line to its last. A hint: the address need not exist.
#if defined(__x86_64__)
#define WILL_READ(p) __asm__ volatile("prefetcht0 (%0)" ::"r"(p))
#elif defined(__aarch64__)
#define WILL_READ(p) __asm__ volatile("prfm pldl1keep, [%0]" ::"r"(p))
#else
#define WILL_READ(p)
#endif
#define WILL_READ_ALL(p, elements)                                           \
  if (TIGHT != 0 && (elements) * sizeof(T) <= 16384)                         \
    for (int byte = 0; byte < (int)((elements) * sizeof(T)); byte += 64)     \
      WILL_READ((global const char *)(p) + byte);

kernel void small_product(ARGUMENTS) {
#if TRANS_A
  REAL packed[(K + 1) * A_STEP];
#else
  REAL packed[1];
#endif
  FOR_MINE(i, items) {
    OPEN_ITEM(i)
    if (K == 0 || is_zero(alpha)) {
      if (!is_one(beta)) scale(at_c, ldc, beta);
      continue;
    }
#if !BY_ITEMS
    WILL_READ_ALL(at_a + step_a, M * K)
    WILL_READ_ALL(at_b + step_b, K * N)
    WILL_READ_ALL(at_c + step_c, M * N)
#endif
    int from = 0;
    for (; from < (STRIPS - 1) * TILE_VECTORS * LANES; from += TILE_VECTORS * LANES)
      strip(at_a, at_b, at_c, lda, ldb, ldc, depth, alpha, beta, from, TILE_VECTORS,
            (TILE_VECTORS - 1) * LANES, packed);
    strip(at_a, at_b, at_c, lda, ldb, ldc, depth, alpha, beta, from, LAST_VECTORS,
          HEIGHT - LANES - (STRIPS - 1) * TILE_VECTORS * LANES, packed);
  }
}
#else
// A work-group computes ITEMS items, or a block of BLOCK_M x BLOCK_N of one that is larger, each by
// DOWN x ALONG work-items, of which each has ROWS x COLUMNS elements of C in registers: groups of WIDE side by side, which 16 bytes of local memory hold
// or one, DOWN (ALONG) groups apart, so that neighbours read neighbours. STEP columns of A and rows
// of B are in local memory at a time, each a line of LINE_A or LINE_B elements: all of them where
// there is room, so that each byte of the factors comes from memory once, and C goes there once.
#define TEAM (DOWN * ALONG)
#define BLOCKS_M ((M + BLOCK_M - 1) / BLOCK_M)
#define BLOCKS_N ((N + BLOCK_N - 1) / BLOCK_N)
#define IN_16 (16 / (int)sizeof(T))
typedef struct __attribute__((aligned(16))) {
  T element[IN_16];
} Chunk;
// Which row a work-item's element r is, where the work-items of a column are `apart`.
#define PLACE(r, apart, own) ((r) / WIDE * WIDE * (apart) + (own)*WIDE + (r) % WIDE)

// The work-item's elements of a line; those behind its end are not looked at.
#if WIDE > 1
#define TAKE(x, count, apart, own, line)                                                     \
  UNROLLED(g, (count) / WIDE) {                                                              \
    const Chunk chunk = *(local const Chunk *)((line) + PLACE(g * WIDE, apart, own));        \
    UNROLLED(u, WIDE) x[g * WIDE + u] = chunk.element[u];                                    \
  }
#else
#define TAKE(x, count, apart, own, line) \
  UNROLLED(r, count) x[r] = (line)[PLACE(r, apart, own)];
#endif

// Element e of `width` x STEP of a factor, in the order of memory, goes to its line and its place
// there. `across`: what lies side by side is the depth.
inline void keep(local T *to, const int line, const int width, const int across, const int conj,
                 int e, T value) {
  const int side = across ? STEP : width;
  const int place = across ? e / side : e % side, k = across ? e % side : e / side;
  to[k * line + place] = conj ? conjugate(value) : value;
}

// Copies columns [0, end) of a block of a factor, of whose `width` rows `there` exist. `all`: the
// rows of the factor.
inline void fetch(local T *to, const int line, global const T *from, long ld, const int width,
                  const int all, const int across, const int conj, int there, int end, int id) {
  const int count = width * STEP, side = across ? STEP : width;
  int e = id;
#if TIGHT
  // Without gaps it is one stretch, for loads of 16 bytes where it begins at a multiple.
  const int is_stretch = width != all ? 0 : STEP == K ? 1 : !across && end == STEP;
  if (is_stretch && (size_t)from % 16 == 0) {
    global const Chunk *chunks = (global const Chunk *)from;
    for (int q = id; q < count / IN_16; q += TEAM) {
      const Chunk chunk = chunks[q];
      const int f = q * IN_16;
      if (WIDE == IN_16 && !across && !conj && width % IN_16 == 0)
        *(local Chunk *)(to + f / side * line + f % side) = chunk;
      else
        UNROLLED(u, IN_16) keep(to, line, width, across, conj, f + u, chunk.element[u]);
    }
    e += count / IN_16 * IN_16;
  }
#endif
  for (; e < count; e += TEAM) {
    const int slow = e / side, fast = e % side;
    if (slow < (across ? there : end) && fast < (across ? end : there))
      keep(to, line, width, across, conj, e, from[slow * ld + fast]);
  }
}

kernel __attribute__((reqd_work_group_size(ITEMS * TEAM, 1, 1))) void small_product(ARGUMENTS) {
  local T __attribute__((aligned(16))) lines_a[ITEMS][STEP * LINE_A + BEYOND];
  local T __attribute__((aligned(16))) lines_b[ITEMS][STEP * LINE_B + BEYOND];
  const int mine = get_local_id(0) / TEAM, id = get_local_id(0) % TEAM;
  const int row = id % DOWN, column = id / DOWN;
  const int block = get_group_id(0) % (BLOCKS_M * BLOCKS_N);
  const long i = get_group_id(0) / (BLOCKS_M * BLOCKS_N) * (long)ITEMS + mine;
  const int m0 = block % BLOCKS_M * BLOCK_M, n0 = block / BLOCKS_M * BLOCK_N;
  const int rows = min(M - m0, BLOCK_M), columns = min(N - n0, BLOCK_N);
  const bool exists = i < items;
  OPEN_ITEM(exists ? i : 0)
  const bool reads = exists && K > 0 && !is_zero(alpha);
  T sum[ROWS][COLUMNS];
  UNROLLED(r, ROWS) UNROLLED(s, COLUMNS) sum[r][s] = zero();
  for (int k0 = 0; k0 < K; k0 += STEP) {
    const int end = min(STEP, K - k0);
    if (k0 > 0) barrier(CLK_LOCAL_MEM_FENCE);
    if (reads) {
      fetch(lines_a[mine], LINE_A, at_a + (TRANS_A ? m0 * LD_A + k0 : k0 * LD_A + m0), LD_A,
            BLOCK_M, M, TRANS_A, CONJ_A, rows, end, id);
      fetch(lines_b[mine], LINE_B, at_b + (TRANS_B ? k0 * LD_B + n0 : n0 * LD_B + k0), LD_B,
            BLOCK_N, N, !TRANS_B, CONJ_B, columns, end, id);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!reads) continue;
    for (int k = 0; k < end; ++k) {
      T x[ROWS], y[COLUMNS];
      TAKE(x, ROWS, DOWN, row, lines_a[mine] + k * LINE_A)
      TAKE(y, COLUMNS, ALONG, column, lines_b[mine] + k * LINE_B)
      UNROLLED(r, ROWS) UNROLLED(s, COLUMNS) sum[r][s] = mul_add(x[r], y[s], sum[r][s]);
    }
  }
  if (!exists || (!reads && is_one(beta))) return;
  const bool adds = !is_zero(beta);
  UNROLLED(s, COLUMNS) UNROLLED(r, ROWS) {
    const int in_row = PLACE(r, DOWN, row), in_column = PLACE(s, ALONG, column);
    if (in_row < rows && in_column < columns) {
      global T *at = at_c + (n0 + in_column) * LD_C + m0 + in_row;
      const T value = reads ? mul(alpha, sum[r][s]) : zero();
      *at = adds ? mul_add(beta, *at, value) : value;
    }
  }
}
#endif
