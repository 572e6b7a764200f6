// Many small products of halves or bfloat16 in one launch, by the matrix units of NVIDIA devices from compute capability
// 8.0 on: C = alpha op(A) op(B) + beta C with C M x N and a depth of K, all by columns, for each item of a batch.
//   FACTOR, RESULT    1: halves   2: bfloat16   0 (the result alone): floats
//   TIGHT             lines lie one behind another, without gaps
//   WIDE_A, WIDE_B, WIDE_C   elements that lie well for one access: all lines and items begin at multiples of them
//   STEP              columns of A and rows of B that are in local memory at a time, a multiple of 16
//   WARPS_M, WARPS_N  warps that share the rows and the columns of an item
//   ITEMS             items of a work-group
//
// These products are bound by memory: an item's factors are all asked for at once, and work-groups are small, so that
// a compute unit has many, some of which wait for memory while others multiply. A factor lies in local memory as it
// does in memory, its lines an odd number of times 16 bytes apart, so that the eight rows that ldmatrix takes have no
// bank conflicts. The columns of C are the rows of mma.sync (m16n8k16): so a work-item's sums are neighbours in memory.
#define INLINE inline __attribute__((always_inline))
#define UNROLLED(i, end) _Pragma("unroll") for (int i = 0; i < (end); ++i)
#define ROUNDED(n, unit) (((n) + (unit) - 1) / (unit) * (unit))
#define TEAM (32 * WARPS_M * WARPS_N)
// Rows and columns of a warp, and of all; what is beyond M and N is computed of anything, and not stored.
#define TILE_M (ROUNDED(M, 16 * WARPS_M) / WARPS_M)
#define TILE_N (ROUNDED(N, 16 * WARPS_N) / WARPS_N)
#define ALL_M (TILE_M * WARPS_M)
#define ALL_N (TILE_N * WARPS_N)
#define LINE(length) (((length) / 8 | 1) * 8)
#define LINE_A LINE(TRANS_A ? STEP : ALL_M)
#define LINE_B LINE(TRANS_B ? ALL_N : STEP)
#define LINE_C LINE(ALL_M)
#define SIZE_A ((TRANS_A ? ALL_M : STEP) * LINE_A)
#define SIZE_B ((TRANS_B ? STEP : ALL_N) * LINE_B)
#define SIZE_C (RESULT == 0 ? 0 : ALL_N * LINE_C)
#define SPACE (SIZE_A + SIZE_B > SIZE_C ? SIZE_A + SIZE_B : SIZE_C)
#if TIGHT
#define LD_A (TRANS_A ? K : M)
#define LD_B (TRANS_B ? N : K)
#define LD_C M
#else
#define LD_A lda
#define LD_B ldb
#define LD_C ldc
#endif
#if RESULT == 0
typedef float OUT;
#else
typedef ushort OUT;
#endif

// Work-items that share an item wait for one another.
#if TEAM == 32
#define TOGETHER() asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#else
#define TOGETHER() barrier(CLK_LOCAL_MEM_FENCE)
#endif
#define ARRIVED() asm volatile("cp.async.wait_all;" ::: "memory")

// What lies side by side is asked for at once, where lines have no gaps.
#if TIGHT
#define AHEAD ".L2::128B"
#else
#define AHEAD
#endif
// Copies `wide` elements, of which the first bytes exist: zeros stand for the others.
INLINE void copy(uint to, global const ushort *from, const int wide, int bytes) {
  if (wide == 8)
    asm volatile("cp.async.cg.shared.global" AHEAD " [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
  else if (wide == 4)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

// Copies `lines` lines of `length` elements, `line` apart in local memory, of which `lines_there` and `there` exist:
// zeros stand for the others.
#define FETCH_ELEMENTS                                                                      \
  for (int q = id; q < lines * length; q += TEAM) {                                         \
    const int l = q / length, place = q % length;                                           \
    to[l * line + place] = l < lines_there && place < there ? from[l * ld + place] : 0;     \
  }
INLINE void fetch(local ushort *to, const int line, global const ushort *from, long ld, const int lines,
                  const int length, const int wide, int lines_there, int there, int id) {
  if (wide > 1 && (ulong)from % (2 * wide) == 0) {
    const int chunks = ROUNDED(length, wide) / wide, all = lines * chunks;
    UNROLLED(round, ROUNDED(all, TEAM) / TEAM) {
      const int q = round * TEAM + id, l = q / chunks, place = q % chunks * wide;
      const int left = l < lines_there ? clamp(there - place, 0, wide) : 0;
      if (all % TEAM == 0 || q < all)
        copy((uint)(ulong)(to + l * line + place), left > 0 ? from + (l * ld + place) : from, wide, 2 * left);
    }
  } else if (wide > 1) {  // an offset spoils what lines and items have
    _Pragma("unroll 1") FETCH_ELEMENTS
  } else {
    _Pragma("unroll 4") FETCH_ELEMENTS
  }
}
#undef FETCH_ELEMENTS

// Four matrices of 8 x 8, whose rows each work-item has the address of one of; or their transposes.
INLINE void load_4(uint to[4], local const ushort *row, const int transposed) {
  if (transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((uint)(ulong)row)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((uint)(ulong)row)
                 : "memory");
}

#if FACTOR == 1
#define KINDS "f16.f16"
#else
#define KINDS "bf16.bf16"
#endif
INLINE void multiply(float sum[4], const uint x[4], const uint y[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32." KINDS ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
}

// Adds the products of what is in local memory to a warp's tile.
INLINE void step(float sum[TILE_N / 16][TILE_M / 8][4], local const ushort *a, local const ushort *b, int m0, int n0,
                 int lane) {
  // The places of a work-item's row: of the first or second eight in turn, of the first or second pair.
  const int row = lane % 8, turn = lane / 8 % 2 * 8, pair = lane / 16 * 8;
  UNROLLED(k, STEP / 16) {
    uint x[TILE_N / 16][4], y[TILE_M / 8][2];
    UNROLLED(i, TILE_N / 16) {
      if (TRANS_B)
        load_4(x[i], b + (k * 16 + pair + row) * LINE_B + n0 + i * 16 + turn, 1);
      else
        load_4(x[i], b + (n0 + i * 16 + turn + row) * LINE_B + k * 16 + pair, 0);
    }
    UNROLLED(j, TILE_M / 16) {
      uint both[4];
      if (TRANS_A)
        load_4(both, a + (m0 + j * 16 + pair + row) * LINE_A + k * 16 + turn, 0);
      else
        load_4(both, a + (k * 16 + turn + row) * LINE_A + m0 + j * 16 + pair, 1);
      y[2 * j][0] = both[0];
      y[2 * j][1] = both[1];
      y[2 * j + 1][0] = both[2];
      y[2 * j + 1][1] = both[3];
    }
    UNROLLED(i, TILE_N / 16) UNROLLED(j, TILE_M / 8) multiply(sum[i][j], x[i], y[j]);
  }
}

#if RESULT != 0
// Two elements, the first in the lower half.
INLINE uint packed(float low, float high) {
  uint both;
#if RESULT == 1
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
#else
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
#endif
  return both;
}
INLINE float number_of(ushort bits) {
#if RESULT == 1
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
#else
  return as_float((uint)bits << 16);
#endif
}

// Writes the result from local memory.
INLINE void put_lines(global ushort *to, long ld, local const ushort *from, int id) {
  if (WIDE_C > 1 && (ulong)to % (2 * WIDE_C) == 0) {
    const int chunks = ROUNDED(M, WIDE_C) / WIDE_C, all = N * chunks;
    UNROLLED(round, ROUNDED(all, TEAM) / TEAM) {
      const int q = round * TEAM + id, l = q / chunks, place = q % chunks * WIDE_C;
      global ushort *at = to + (l * ld + place);
      local const ushort *own = from + l * LINE_C + place;
      if (all % TEAM == 0 || q < all) {
        if (place + WIDE_C > M)
          for (int e = 0; e < M - place; ++e) at[e] = own[e];
        else if (WIDE_C == 8)
          *(global uint4 *)at = *(local const uint4 *)own;
        else if (WIDE_C == 4)
          *(global uint2 *)at = *(local const uint2 *)own;
        else
          *(global uint *)at = *(local const uint *)own;
      }
    }
  } else {
    for (int q = id; q < M * N; q += TEAM) to[q / M * ld + q % M] = from[q / M * LINE_C + q % M];
  }
}
#endif

kernel __attribute__((reqd_work_group_size(ITEMS * TEAM, 1, 1))) void small_halves(
    global const ushort *a, long offset_a, long lda, long step_a, global const ushort *b, long offset_b, long ldb,
    long step_b, global OUT *c, long offset_c, long ldc, long step_c, float alpha, float beta, long first, long items,
    int depth) {
  local ushort __attribute__((aligned(16))) spaces[ITEMS][SPACE];
  const int mine = get_local_id(0) / TEAM, id = get_local_id(0) % TEAM, lane = id % 32, warp = id / 32;
  const int m0 = warp % WARPS_M * TILE_M, n0 = warp / WARPS_M * TILE_N;
  const long group_item = (long)get_group_id(0) * ITEMS + mine, item = first + group_item;
  const bool exists = group_item < items, reads = depth != 0 && alpha != 0;
  local ushort *near_a = spaces[mine], *near_b = near_a + SIZE_A;
  float sum[TILE_N / 16][TILE_M / 8][4];
  UNROLLED(i, TILE_N / 16) UNROLLED(j, TILE_M / 8) UNROLLED(e, 4) sum[i][j][e] = 0;
  if (reads)
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += STEP) {
      const int there = K % STEP == 0 ? STEP : min(STEP, K - k0);
      if (k0 > 0) TOGETHER();
      if (exists) {
        fetch(near_a, LINE_A, a + (offset_a + item * step_a + (TRANS_A ? k0 : k0 * LD_A)), LD_A, TRANS_A ? M : STEP,
              TRANS_A ? STEP : M, WIDE_A, TRANS_A ? M : there, TRANS_A ? there : M, id);
        fetch(near_b, LINE_B, b + (offset_b + item * step_b + (TRANS_B ? k0 * LD_B : k0)), LD_B, TRANS_B ? STEP : N,
              TRANS_B ? N : STEP, WIDE_B, TRANS_B ? there : N, TRANS_B ? N : there, id);
      }
      ARRIVED();
      TOGETHER();
      step(sum, near_a, near_b, m0, n0, lane);
    }
  const float scale = reads ? alpha : 0;
  const bool adds = beta != 0;
  global OUT *to = c + (offset_c + item * step_c);
  const int own_n = n0 + lane / 4, own_m = m0 + lane % 4 * 2;
#if RESULT == 0
  if (!exists) return;
  const bool is_wide = WIDE_C > 1 && (ulong)to % 8 == 0;
  UNROLLED(i, TILE_N / 8) UNROLLED(j, TILE_M / 8) {
    const int n = own_n + i * 8, m = own_m + j * 8;
    global float *at = to + (n * LD_C + m);
    float2 value = (float2)(scale * sum[i / 2][j][i % 2 * 2], scale * sum[i / 2][j][i % 2 * 2 + 1]);
    if (n < N && m + 1 < M && is_wide) {
      if (adds) value = fma((float2)(beta), *(global float2 *)at, value);
      *(global float2 *)at = value;
    } else if (n < N) {
      if (m < M) at[0] = adds ? fma(beta, at[0], value.x) : value.x;
      if (m + 1 < M) at[1] = adds ? fma(beta, at[1], value.y) : value.y;
    }
  }
#else
  local ushort *near_c = spaces[mine];
#define NEAR(i, j) (local uint *)(near_c + (own_n + (i) * 8) * LINE_C + own_m + (j) * 8)
  TOGETHER();
  UNROLLED(i, TILE_N / 16) UNROLLED(j, TILE_M / 8) UNROLLED(e, 4) sum[i][j][e] *= scale;
  if (adds) {
    if (exists) fetch(near_c, LINE_C, to, LD_C, N, M, WIDE_C, N, M, id);
    ARRIVED();
    TOGETHER();
    UNROLLED(i, TILE_N / 8) UNROLLED(j, TILE_M / 8) {
      float *own = sum[i / 2][j] + i % 2 * 2;
      const uint both = *NEAR(i, j);
      own[0] = fma(beta, number_of((ushort)both), own[0]);
      own[1] = fma(beta, number_of((ushort)(both >> 16)), own[1]);
    }
  }
  UNROLLED(i, TILE_N / 8) UNROLLED(j, TILE_M / 8)
    *NEAR(i, j) = packed(sum[i / 2][j][i % 2 * 2], sum[i / 2][j][i % 2 * 2 + 1]);
  TOGETHER();
  if (exists) put_lines(to, LD_C, near_c, id);
#endif
}
