// C = alpha A X + beta C with an X of a few columns, FEW, and an A of integers of 4 or 8 bits that lie along the depth,
// by the matrix units of NVIDIA devices from compute capability 8.0 on; skinny.cl has the parameters.
//
// The matrix units multiply bfloat16, which has 8 bits of precision, exactly, and add the products as floats. All
// integers of 8 bits are bfloat16. A float is the sum of three, its terms: x = x0 + x1 + x2. So an X of 8 columns, the
// width that the units take, holds two vectors, a slot of four columns for each: three terms and a column of zeros.
// Where a block of the depth has several groups (PER_BLOCK), a vector has a slot for each of them, with zeros for what
// belongs to the other groups: the sums of groups stay apart until they have got their scales.
//===== skinny_units =====
#define WARPS (THREADS / 32)
// A lane has 16 bytes, a chunk, of a row at a time; the four lanes of a quad have a block, side by side.
#define CHUNK_K (FIRST == 7 ? 32 : 16)
#define OCTETS (CHUNK_K / 8)
#define BLOCK_K (4 * CHUNK_K)
// What a warp has of X in local memory: a lane splits 8 elements of each vector into terms.
#define STAGE_K 256
#define BLOCKS (STAGE_K / BLOCK_K)
#define SLOTS (FEW * PER_BLOCK)
#define SLICES ((SLOTS + 1) / 2)
#define SCALES (PER_BLOCK > 2 ? 2 : 1)
#define ROWS_AT_ONCE (16 * TILES)
#define LINE_X 36  // octets of a term, with a gap against bank conflicts
#define UNROLL _Pragma("unroll")
#define TILES 1  // of 16 rows, of a work-group

// What a warp has of A in local memory: RING stages, what it computes with and what is on its way. A stage is
// ROWS_AT_ONCE lines of PIECES chunks; in odd lines their halves are exchanged, against bank conflicts.
#define CHUNKS (2 * TILES)
#define PIECES (STAGE_K / CHUNK_K)
#define STAGE_BYTES (ROWS_AT_ONCE * PIECES * 16)
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT_FOR_OLDEST() asm volatile("cp.async.wait_group %0;" ::"n"(RING - 1) : "memory")

inline void copy_chunk(uint to, global const char* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
inline uint4 chunk_at(uint from) {
  uint4 v;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(from) : "memory");
  return v;
}
inline float from_lane(float value, int distance) {
  float other;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=f"(other) : "f"(value), "r"(distance));
  return other;
}
inline void warp_barrier(void) { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }

// Two integers as two bfloat16: in the lower bits of both halves of `bits` are 4 or 8 bits of them. 128 + n is n in the
// last bits of the fraction of 128; of 8 bits the highest is the lowest of the exponent, which makes 128 of it twice as
// much.
inline uint pair_of(uint bits) {
  uint both;
#if FIRST == 7
  const uint raised = (bits & 0x000f000fu) ^ 0x43084308u;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(both) : "r"(raised), "r"(0x3f803f80u), "r"(0xc308c308u));
#else
  const uint raised = (bits & 0x007f007fu) | 0x43004300u, sign = (bits & 0x00800080u) | 0x43004300u;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(both) : "r"(sign), "r"(0xbf80bf80u), "r"(raised));
#endif
  return both;
}

inline void multiply_add(float c[4], uint a0, uint a1, uint a2, uint a3, uint b0, uint b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// Eight elements of X as terms, in pairs as pair_of() finds them; sets bits of the lower half of *left where they are
// not the sum of their terms: infinities, NaN and the smallest numbers.
inline void split(const float x[8], local uint4* to, uint* left) {
  uint term[3][8];
  UNROLL for (int e = 0; e < 8; ++e) {
    term[0][e] = as_uint(x[e]);
    const float low = x[e] - as_float(term[0][e] & 0xffff0000u);
    term[1][e] = as_uint(low);
    term[2][e] = as_uint(low - as_float(term[1][e] & 0xffff0000u));
    *left |= term[2][e];
  }
  UNROLL for (int s = 0; s < 3; ++s) {
    uint pairs[4];
    UNROLL for (int p = 0; p < 4; ++p) {
      const int e = FIRST == 7 ? p : p / 2 * 4 + p % 2;
      pairs[p] = term[s][e] >> 16 | (term[s][e + (FIRST == 7 ? 4 : 2)] & 0xffff0000u);
    }
    to[s * LINE_X] = (uint4)(pairs[0], pairs[1], pairs[2], pairs[3]);
  }
}

#define WORD(v, n) ((n) == 0 ? (v).x : (n) == 1 ? (v).y : (n) == 2 ? (v).z : (v).w)

// The sums of a block's rows and slots, as the units leave them.
inline void multiply_block(const uint4 chunks[CHUNKS], local const uint4* const x[SLICES], int at,
                           float sums[TILES][SLICES][4]) {
  UNROLL for (int m = 0; m < TILES; ++m)
    UNROLL for (int n = 0; n < SLICES; ++n)
      UNROLL for (int e = 0; e < 4; ++e) sums[m][n][e] = 0;
  UNROLL for (int q = 0; q < OCTETS; ++q) {
    uint4 y[SLICES];
    UNROLL for (int n = 0; n < SLICES; ++n) y[n] = x[n][(at + q) * 4];
    UNROLL for (int m = 0; m < TILES; ++m) {
      const uint4 low = chunks[2 * m], high = chunks[2 * m + 1];
#if FIRST == 7
      const uint l = WORD(low, q), h = WORD(high, q);
      const uint a[8] = {pair_of(l), pair_of(h), pair_of(l >> 4), pair_of(h >> 4),
                         pair_of(l >> 8), pair_of(h >> 8), pair_of(l >> 12), pair_of(h >> 12)};
#else
      const uint l0 = WORD(low, 2 * q), l1 = WORD(low, 2 * q + 1);
      const uint h0 = WORD(high, 2 * q), h1 = WORD(high, 2 * q + 1);
      const uint a[8] = {pair_of(l0), pair_of(h0), pair_of(l0 >> 8), pair_of(h0 >> 8),
                         pair_of(l1), pair_of(h1), pair_of(l1 >> 8), pair_of(h1 >> 8)};
#endif
      UNROLL for (int n = 0; n < SLICES; ++n) {
        multiply_add(sums[m][n], a[0], a[1], a[2], a[3], y[n].x, y[n].y);
        multiply_add(sums[m][n], a[4], a[5], a[6], a[7], y[n].z, y[n].w);
      }
    }
  }
}

kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void skinny_rows(SKINNY_PARAMETERS) {
  const uint shares = (uint)get_num_groups(0) / parts;
  const uint part = parts == 1 ? 0 : (uint)get_group_id(0) / shares, number = (uint)get_group_id(0) - part * shares;
  const int item = get_local_id(0);
  const Result to = {c, first, row_step, column_step, alpha, beta};
  AFTER_FROM_PARAMETERS
  local uint4 near_x[WARPS][FEW * 3][LINE_X];
  local uint4 zeros[LINE_X];
  local float near_sums[WARPS][ROWS_AT_ONCE][SLOTS + FEW];
  const int warp = item / 32, lane = item % 32, quad = lane / 4, t = lane % 4;
  const long i0 = (long)number * ROWS_AT_ONCE;

  asm volatile(".shared .align 16 .b8 kiln_ring[" TEXT(RING_BYTES) "];");  // more than OpenCL tells of
  uint ring;
  asm volatile("mov.u32 %0, kiln_ring;" : "=r"(ring));
  ring += warp * (RING * STAGE_BYTES);

  // Blocks that the units multiply, and the part of this warp.
  const bool is_wide = (ulong)a % 16 == 0 && a_first % CHUNK_K == 0 && line % CHUNK_K == 0;
  const int whole = is_wide ? (int)(depth / BLOCK_K) : 0;
  const int workers = parts * WARPS, worker = part * WARPS + warp;
  const int most = parts == 1 ? (whole + WARPS - 1) / WARPS : (whole + workers - 1) / workers;
  const int b0 = min(whole, worker * most), b1 = min(whole, b0 + most);

  // A lane copies a chunk of every (32 / PIECES)th row.
  const int piece = lane % PIECES, row_of_lane = lane / PIECES;
  const int rows_left = (int)min((long)ROWS_AT_ONCE, rows - i0) - row_of_lane;
  const long next_rows = line * 16 / CHUNK_K * (32 / PIECES);
  global const char* from = (global const char*)a + (a_first + (i0 + row_of_lane) * line) * 16 / CHUNK_K + piece * 16 +
                            b0 * 64L;
  const uint place = (row_of_lane * PIECES + (piece ^ row_of_lane % 2 * 4)) * 16;
  int to_copy = b0;
  uint copy_to = ring;
#define COPY_STAGE()                                                                             \
  {                                                                                              \
    if (to_copy + piece / 4 < b1)                                                                \
      UNROLL for (int r = 0; r < ROWS_AT_ONCE; r += 32 / PIECES)                                 \
        if (r < rows_left)                                                                       \
          copy_chunk(copy_to + place + r * PIECES * 16, from + r * PIECES / 32 * next_rows);     \
    COMMIT();                                                                                    \
    from += PIECES * 16;                                                                         \
    to_copy += BLOCKS;                                                                           \
    copy_to = copy_to == ring + (RING - 1) * STAGE_BYTES ? ring : copy_to + STAGE_BYTES;         \
  }
  UNROLL for (int r = 0; r < RING; ++r) COPY_STAGE()
#if GROUPED_FIRST
  // A lane has the sums of row quad + 8 (t % 2) of each 16, of slots t / 2 + 2 n.
  const uint groups = ((uint)depth + (uint)group - 1) / (uint)group;
  global const ushort* scales_of[TILES];
  UNROLL for (int m = 0; m < TILES; ++m)
    scales_of[m] = scales + scales_first + min(i0 + 16 * m + t % 2 * 8 + quad, rows - 1) * groups;
  const int length = PER_BLOCK == 1 ? (uint)group / BLOCK_K : 1;  // blocks of a group
  int of_group = b0 / length, left_in_group = length - b0 % length;
  ushort far_scales[BLOCKS][TILES][SCALES];
#define LOAD_SCALES(from)                                                                               \
  UNROLL for (int b = 0; b < BLOCKS; ++b)                                                               \
    if ((from) + b < b1) {                                                                              \
      UNROLL for (int m = 0; m < TILES; ++m)                                                            \
        UNROLL for (int s = 0; s < SCALES; ++s)                                                         \
          far_scales[b][m][s] = scales_of[m][PER_BLOCK == 1                                             \
                                                 ? of_group                                             \
                                                 : ((from) + b) * PER_BLOCK + (2 * s + t / 2) % PER_BLOCK]; \
      if (PER_BLOCK == 1 && --left_in_group == 0) {                                                     \
        ++of_group;                                                                                     \
        left_in_group = length;                                                                         \
      }                                                                                                 \
    }
#else
#define LOAD_SCALES(from)
#endif

  float far_x[FEW][8];
  const bool is_wide_x = X_KIND == 0 && x_step == 1 && (ulong)(x + x_first) % 16 == 0 &&
                         (FEW == 1 || x_column_step % 4 == 0);
#define LOAD_X(b)                                                                                       \
  {                                                                                                     \
    const long k = (long)(b) * BLOCK_K + lane * 8;                                                      \
    const bool is_there = k < (long)b1 * BLOCK_K;                                                       \
    FOR_FEW(j) {                                                                                        \
      const long at = x_first + k * x_step + j * x_column_step;                                         \
      UNROLL for (int e = 0; e < 8; ++e) far_x[j][e] = 0;                                               \
      if (is_there && is_wide_x) {                                                                      \
        const float4 low = *(global const float4*)((global const float*)x + at);                        \
        const float4 high = *(global const float4*)((global const float*)x + at + 4);                   \
        far_x[j][0] = low.x, far_x[j][1] = low.y, far_x[j][2] = low.z, far_x[j][3] = low.w;             \
        far_x[j][4] = high.x, far_x[j][5] = high.y, far_x[j][6] = high.z, far_x[j][7] = high.w;         \
      } else if (is_there) {                                                                            \
        UNROLL for (int e = 0; e < 8; ++e) far_x[j][e] = GET(X_KIND, x, at + e * x_step);               \
      }                                                                                                 \
    }                                                                                                   \
  }
  LOAD_X(b0)
  LOAD_SCALES(b0)

  // Where a lane's octet belongs, and where it reads: column quad of X, of each slice.
  const int octet = (lane / (4 * OCTETS) * OCTETS + lane % OCTETS) * 4 + lane / OCTETS % 4;
  local const uint4* my_x[SLICES];
  UNROLL for (int n = 0; n < SLICES; ++n) {
    const int slot = 2 * n + quad / 4, term = quad % 4;
    const bool is_mine = slot < SLOTS && term < 3 && t * PER_BLOCK / 4 == slot % PER_BLOCK;
    my_x[n] = is_mine ? &near_x[warp][slot / PER_BLOCK * 3 + term][t] : &zeros[t];
  }
  if (item < LINE_X) zeros[item] = (uint4)(0);
  for (int at = item; at < WARPS * ROWS_AT_ONCE * FEW; at += THREADS)
    near_sums[at / (ROWS_AT_ONCE * FEW)][at / FEW % ROWS_AT_ONCE][SLOTS + at % FEW] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  float total[TILES][SLICES];
  UNROLL for (int m = 0; m < TILES; ++m)
    UNROLL for (int n = 0; n < SLICES; ++n) total[m][n] = 0;
  // A block element by element: a lane has its chunk of each row. The sums are in local memory.
#define ADD_PLAIN(b)                                                                                    \
  {                                                                                                     \
    const long k0 = (long)(b) * BLOCK_K + t * CHUNK_K, k1 = min(k0 + CHUNK_K, depth);                   \
    _Pragma("unroll 1") for (int r = quad; r < ROWS_AT_ONCE; r += 8) {                                  \
      const long row = min(i0 + r, rows - 1);                                                           \
      float sum[FEW];                                                                                   \
      FOR_FEW(j) sum[j] = 0;                                                                            \
      _Pragma("unroll 1") for (long k = k0; k < k1; ++k) {                                              \
        const float v = GET(FIRST, a, a_first + row * line + k);                                        \
        FOR_FEW(j) sum[j] = fma(v, GET(X_KIND, x, x_first + k * x_step + j * x_column_step), sum[j]);   \
      }                                                                                                 \
      const float scale = GROUPED_FIRST && k0 < k1 ? SCALE_AT(row, k0) : 1;                             \
      FOR_FEW(j) {                                                                                      \
        float of_quad = scale * sum[j];                                                                 \
        of_quad += from_lane(of_quad, 1);                                                               \
        of_quad += from_lane(of_quad, 2);                                                               \
        if (t == 0) near_sums[warp][r][SLOTS + j] += of_quad;                                           \
      }                                                                                                 \
    }                                                                                                   \
  }
#if GROUPED_FIRST
#define SCALE_AT(row, k) get_1(scales, scales_first + (row) * groups + (k) / group)
#else
#define SCALE_AT(row, k) 1
#endif

  uint use_from = ring + (quad * PIECES + t) * 16;
  const int swap = quad % 2 * 4;
  for (int here = b0; here < b1; here += BLOCKS) {
    uint left = 0;
    FOR_FEW(j) split(far_x[j], &near_x[warp][3 * j][octet], &left);
    WAIT_FOR_OLDEST();
    asm volatile("redux.sync.or.b32 %0, %0, 0xffffffff;" : "+r"(left));
    warp_barrier();
    LOAD_X(here + BLOCKS)
#if GROUPED_FIRST
    float scale[BLOCKS][TILES][SCALES];
    UNROLL for (int b = 0; b < BLOCKS; ++b)
      UNROLL for (int m = 0; m < TILES; ++m)
        UNROLL for (int s = 0; s < SCALES; ++s)
          asm volatile("cvt.f32.f16 %0, %1;" : "=f"(scale[b][m][s]) : "h"(far_scales[b][m][s]));
#endif
    LOAD_SCALES(here + BLOCKS)
    UNROLL for (int b = 0; b < BLOCKS; ++b) {
      if (here + b < b1) {
        uint4 chunks[CHUNKS];
        UNROLL for (int h = 0; h < CHUNKS; ++h)
          chunks[h] = chunk_at(use_from + (8 * h * PIECES + (b * 4 ^ swap)) * 16);
        if ((left & 0xffffu) == 0) {
          float sums[TILES][SLICES][4];
          multiply_block(chunks, my_x, b * OCTETS, sums);
          UNROLL for (int m = 0; m < TILES; ++m)
            UNROLL for (int n = 0; n < SLICES; ++n) {
              const float low = sums[m][n][0] + sums[m][n][1], high = sums[m][n][2] + sums[m][n][3];
              const float sum = (t % 2 ? high : low) + from_lane(t % 2 ? low : high, 1);
#if GROUPED_FIRST
              total[m][n] = fma(scale[b][m][n % SCALES], sum, total[m][n]);
#else
              total[m][n] += sum;
#endif
            }
        } else {
          ADD_PLAIN(here + b)
        }
      }
    }
    warp_barrier();
    COPY_STAGE()
    use_from += STAGE_BYTES;
    if (use_from >= ring + RING * STAGE_BYTES) use_from -= RING * STAGE_BYTES;
  }
  const int blocks = (int)((depth + BLOCK_K - 1) / BLOCK_K);
  for (int b = whole + worker; b < blocks; b += workers) ADD_PLAIN(b)

  UNROLL for (int m = 0; m < TILES; ++m)
    UNROLL for (int n = 0; n < SLICES; ++n) {
      const int slot = 2 * n + t / 2;
      if (slot < SLOTS) near_sums[warp][16 * m + t % 2 * 8 + quad][slot] = total[m][n];
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int at = item; at < ROWS_AT_ONCE * FEW; at += THREADS) {
    const int r = at % ROWS_AT_ONCE, j = at / ROWS_AT_ONCE;
    float sum = 0;
    UNROLL for (int w = 0; w < WARPS; ++w) {
      for (int s = 0; s < PER_BLOCK; ++s) sum += near_sums[w][r][j * PER_BLOCK + s];
      sum += near_sums[w][r][SLOTS + j];
    }
    if (i0 + r < rows) KEEP_SUM(i0 + r, j, sum)
  }
}
