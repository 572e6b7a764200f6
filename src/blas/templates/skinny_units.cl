// C = alpha A X + beta C with an X of a few columns, FEW, and an A of integers of 4 or 8 bits that lie along the depth,
// by the matrix units of NVIDIA devices from compute capability 8.0 on; skinny.cl has the parameters.
//
// The matrix units multiply bytes, 16 rows x 32 of the depth by 8 columns, and add the products as integers: exactly.
// Weights are bytes, or become them by a mask. A vector of floats becomes eight columns: a number is a sum of four
// pieces of 15 bits, each in units 2^15 times smaller, and a piece has two bytes, its digits. The largest number is
// less than 2^14 of the first units, and the pieces hold every float from 2^-22 of them on exactly. What they do not
// hold is left over, smaller numbers, infinities and NaN, and multiplied as floats: as is everything where the lines
// of A do not begin at multiples of 16 bytes.
//
// A work-group has 32 rows, and its warps share the depth: so each splits other elements of X. Its size is what counts
// at the end of a short launch: instructions come from memory, in order.
//===== skinny_units =====
#define WARPS (THREADS / 32)
// A lane has 16 bytes, a chunk, of a row at a time; the four lanes of a quad have a block, side by side.
#define CHUNK_K (FIRST == 7 ? 32 : 16)
#define BLOCK_K (4 * CHUNK_K)
// What a warp splits of X at a time: a lane has 8 elements of each vector, an octet.
#define STAGE_K 256
#define BLOCKS (STAGE_K / BLOCK_K)
// What a lane reads of X at a time goes with half a chunk of weights of 4 bits, or with one of bytes.
#define READS (FIRST == 7 ? 2 : 1)
#if GROUPED_FIRST
#define PER_BLOCK (GROUP < BLOCK_K ? BLOCK_K / GROUP : 1)    // groups
#define OF_GROUP (GROUP < BLOCK_K ? 1 : GROUP / BLOCK_K)     // blocks
#else
#define PER_BLOCK 1
#endif
#define PIECES 4
#define USUAL_PIECES 3
#define X_BYTES (FEW * STAGE_K * 8)
#define RING 2  // blocks of A that are on their way
#define ROWS_AT_ONCE 32
#define CHUNKS (ROWS_AT_ONCE / 8)
#define LINE_SCALES (ROWS_AT_ONCE + 4)
#define UNROLL _Pragma("unroll")
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

inline void load_chunk(uint4* v, global const char* from, int number, int end) {
  asm volatile("{.reg .pred there; setp.lt.s32 there, %5, %6; "
               "@there ld.global.v4.u32 {%0, %1, %2, %3}, [%4];}"
               : "+r"(v->x), "+r"(v->y), "+r"(v->z), "+r"(v->w) : "l"(from), "r"(number), "r"(end));
}
inline float from_lane(float value, int distance) {
  float other;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=f"(other) : "f"(value), "r"(distance));
  return other;
}
inline uint most_of_warp(uint value) {
  uint most;
  asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(most) : "r"(value));
  return most;
}
inline uint all_bits_of_warp(uint value) {
  uint all;
  asm volatile("redux.sync.or.b32 %0, %1, 0xffffffff;" : "=r"(all) : "r"(value));
  return all;
}
inline bool any_of_warp(bool value) {
  uint any;
  asm volatile("{.reg .pred any; setp.ne.u32 any, %1, 0; vote.sync.any.pred any, any, 0xffffffff; "
               "selp.u32 %0, 1, 0, any;}" : "=r"(any) : "r"((uint)value));
  return any != 0;
}
inline void warp_barrier(void) { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }
inline uint permuted(uint a, uint b, uint selector) {
  uint bytes;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(a), "r"(b), "r"(selector));
  return bytes;
}
inline float float_of(ushort half_bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half_bits));
  return value;
}
// to = from + A B
inline void multiply_add(int to[4], const int from[4], uint a0, uint a1, uint a2, uint a3, uint b0, uint b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%10, %11, %12, %13};"
      : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "r"(from[0]), "r"(from[1]), "r"(from[2]),
        "r"(from[3]));
}
// Local memory: what is more than OpenCL tells of is declared behind marks (kernel/program/marked_assembly.hpp).
#if NEAR_BYTES > 40960
#define PTX(line) "//@@ " line "\n"
#else
#define PTX(line) line "\n"
#endif
#define OPEN_NEAR                                                               \
  uint near_address;                                                            \
  asm volatile(PTX(".shared .align 128 .b8 kiln_near[" TEXT(NEAR_BYTES) "];")); \
  asm volatile(PTX("mov.u32 %0, kiln_near;") : "=r"(near_address));             \
  local char* const near = (local char*)(ulong)near_address;

#define WORD(v, n) ((n) == 0 ? (v).x : (n) == 1 ? (v).y : (n) == 2 ? (v).z : (v).w)
// Four of a word's eight weights of 4 bits, as bytes, times 16.
#define EVEN(word) ((word) << 4 & 0xf0f0f0f0u)
#define ODD(word) ((word)&0xf0f0f0f0u)
// 1.5 * 2^23: a float of which the lowest bits are an integer.
#define RAISE 12582912.0f

// One piece of a number, and 128, in the lowest bits of the result; the piece is subtracted from the number, which is in
// units from then on.
inline float piece_of(float* x, int p, float factor) {
  const float step = 1.0f / (1ul << 15 * p), raise = (RAISE + 128) * step;
  const float raised = p == 0 ? fma(*x, factor, raise) : *x + raise;
  *x = p == 0 ? fma(*x, factor, raise - raised) : *x - (raised - raise);
  return raised;
}

// An octet's digits of a piece. In the pieces' bytes, the lower one has 128 too much.
inline void put_digits(const uint raised[8], int p, local char* to, int turn) {
  uint low[2], high[2];
  UNROLL for (int w = 0; w < 2; ++w) {
    const int first = FIRST == 7 ? w : 4 * w, next = FIRST == 7 ? 2 : 1;
    const uint two = permuted(raised[first], raised[first + next], 0x5140);
    const uint others = permuted(raised[first + 2 * next], raised[first + 3 * next], 0x5140);
    low[w] = permuted(two, others, 0x5410) ^ 0x80808080u;
    high[w] = permuted(two, others, 0x7632);
  }
  *(local uint2*)(to + (2 * p * 64 ^ turn)) = (uint2)(low[0], low[1]);
  *(local uint2*)(to + ((2 * p + 1) * 64 ^ turn)) = (uint2)(high[0], high[1]);
}

// The exponent of the largest of a warp's octets: 255 where that is infinite; NaN do not count.
inline uint top_of(const float x[8]) {
  float most = 0;
  UNROLL for (int e = 0; e < 8; ++e) most = fmax(most, fabs(x[e]));
  return most_of_warp(as_uint(most)) >> 23;
}
// The units of a vector are given by `limit`, the largest exponent of numbers that are less than 2^14 of them. It is
// raised where a larger number comes, by more than is needed then. The least one suits the smallest floats.
#define LEAST_LIMIT 27u
#define FACTOR_OF(limit) as_float((267u - (limit)) << 23)
#define RAISE_LIMIT(limit, top, before)   \
  if ((top) > (limit) && (top) != 255) {  \
    before                                \
    limit = (top) + 2;                    \
  }
// What is not split: octets that A has no whole chunks for, and stages with infinities.
#define IS_OUT(here, top) ((here) * BLOCK_K + lane * 8 >= chunks * CHUNK_K || (top) == 255)
#if GROUPED_FIRST
#define SCALE_AT(row, k) get_1(scales, scales_first + (row) * ((depth + GROUP - 1) / GROUP) + (k) / GROUP)
#else
#define SCALE_AT(row, k) 1
#endif

// What was left over of the blocks of a warp from vector j, times the work-group's rows, and of `plain` rows, which
// have scales that are not finite, all: octet by octet. Lane r has the sum of row r. Limits are raised as the kernel
// does. Not inline, so that the kernel's code is short.
__attribute__((noinline)) float sum_of_left(global const ELEMENT(FIRST)* a, long a_first, long line,
                                            global const ELEMENT(X_KIND)* x, long x_first, long x_step, long rows,
                                            int depth, global const ushort* scales, long scales_first, int i0, int b0,
                                            int b1, int chunks, uint plain) {
  const int lane = get_local_id(0) % 32, end = min(depth, b1 * BLOCK_K);
  uint limit = LEAST_LIMIT;
  float others = 0;
  _Pragma("unroll 1") for (int here = b0; here < b1; here += BLOCKS) {
    const int k = here * BLOCK_K + lane * 8;
    float left[8], original[8];
    UNROLL for (int e = 0; e < 8; ++e) original[e] = k + e < end ? GET(X_KIND, x, x_first + (k + e) * x_step) : 0;
    const uint top = top_of(original);
    RAISE_LIMIT(limit, top, )
    bool is_any = plain != 0;
    UNROLL for (int e = 0; e < 8; ++e) {
      left[e] = original[e];
      UNROLL for (int p = 0; p < PIECES; ++p) piece_of(&left[e], p, FACTOR_OF(limit));
      const bool is_apart = IS_OUT(here, top) || !isfinite(original[e]);
      left[e] = is_apart ? original[e] : left[e] * as_float((limit - 13) << 23);
      is_any |= left[e] != 0;
    }
    if (!any_of_warp(is_any)) continue;
    _Pragma("unroll 1") for (int r = 0; r < ROWS_AT_ONCE; r += 4) {
      float sum[4];
      UNROLL for (int q = 0; q < 4; ++q) {
        const long row = min(i0 + r + q, (int)rows - 1);
        const bool is_plain = plain >> (r + q) & 1;
        sum[q] = 0;
        UNROLL for (int e = 0; e < 8; ++e)
          if (k + e < end)
            sum[q] = fma(GET(FIRST, a, a_first + row * line + k + e), is_plain ? original[e] : left[e], sum[q]);
        if (GROUPED_FIRST && k < end) sum[q] *= SCALE_AT(row, k);
      }
      UNROLL for (int q = 0; q < 4; ++q) {
        UNROLL for (int distance = 1; distance < 32; distance *= 2) sum[q] += from_lane(sum[q], distance);
        if (lane == r + q) others += sum[q];
      }
    }
  }
  return others;
}

kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void skinny_rows(SKINNY_PARAMETERS) {
  const int number = get_group_id(0), part = get_group_id(1);
  const int item = get_local_id(0);
  const Result to = {c, first, row_step, column_step, alpha, beta};
  AFTER_FROM_PARAMETERS
  OPEN_NEAR
  local float near_sums[WARPS][ROWS_AT_ONCE][FEW];
  local uint near_bad[WARPS];
  const int warp = item / 32, lane = item % 32, quad = lane / 4, t = lane % 4;
  const int i0 = number * ROWS_AT_ONCE;

  // The blocks of this warp, and where those of its work-group begin.
  const bool is_wide = (ulong)a % 16 == 0 && a_first % CHUNK_K == 0 && line % CHUNK_K == 0;
  const int chunks = is_wide ? (int)depth / CHUNK_K : 0;
  const int blocks = ((int)depth + BLOCK_K - 1) / BLOCK_K, workers = parts * WARPS;
  const int most = parts == 1 ? (blocks + WARPS - 1) / WARPS : (blocks + workers - 1) / workers;
  const int part_begin = part * WARPS * most, b0 = min(blocks, part_begin + warp * most), b1 = min(blocks, b0 + most);
  const int end = min((int)depth, b1 * BLOCK_K), chunks_end = min(chunks, b1 * 4);

  float far_x[FEW][8];
  const bool is_wide_x = X_KIND == 0 && x_step == 1 && (ulong)(x + x_first) % 16 == 0 &&
                         (FEW == 1 || x_column_step % 4 == 0);
#define LOAD_X(b)                                                                                       \
  {                                                                                                     \
    const int k = (b) * BLOCK_K + lane * 8;                                                             \
    FOR_FEW(j) {                                                                                        \
      UNROLL for (int e = 0; e < 8; ++e) far_x[j][e] = 0;                                               \
      if (is_wide_x && k + 8 <= end) {                                                                  \
        global const float* const at = (global const float*)x + x_first + j * x_column_step + k;        \
        const float4 low = *(global const float4*)at, high = *(global const float4*)(at + 4);           \
        far_x[j][0] = low.x, far_x[j][1] = low.y, far_x[j][2] = low.z, far_x[j][3] = low.w;             \
        far_x[j][4] = high.x, far_x[j][5] = high.y, far_x[j][6] = high.z, far_x[j][7] = high.w;         \
      } else if (k < end) {                                                                             \
        const long at = x_first + k * x_step + j * x_column_step;                                       \
        UNROLL for (int e = 0; e < 8; ++e)                                                              \
          if (k + e < end) far_x[j][e] = GET(X_KIND, x, at + e * x_step);                               \
      }                                                                                                 \
    }                                                                                                   \
  }
  LOAD_X(b0)

#if GROUPED_FIRST
  // Scales of the work-group's part as floats, a line for each group: the four that a lane needs lie side by side.
  const int groups = ((int)depth + GROUP - 1) / GROUP, first_group = part_begin / OF_GROUP * PER_BLOCK;
  const int part_end = min(blocks, part_begin + WARPS * most);
  const int group_count = ((part_end + OF_GROUP - 1) / OF_GROUP) * PER_BLOCK - first_group;
  const int there = PER_BLOCK == 1 ? group_count : min(group_count, groups - first_group);
  local float* const near_scales = (local float*)(near + WARPS * X_BYTES);
#define LINES ((ROWS_AT_ONCE + WARPS - 1) / WARPS)
  global const ushort* scale_lines[LINES];
  UNROLL for (int r = 0; r < LINES; ++r)
    scale_lines[r] =
        scales + scales_first + min(i0 + r * WARPS + warp, (int)rows - 1) * (long)groups + first_group + lane;
  ushort far_scales[LINES][4];
#define LOAD_SCALES(g0)                                                                   \
  UNROLL for (int r = 0; r < LINES; ++r) UNROLL for (int q = 0; q < 4; ++q) {             \
    far_scales[r][q] = 0;                                                                 \
    if ((g0) + q * 32 + lane < there) far_scales[r][q] = scale_lines[r][(g0) + q * 32];   \
  }
  LOAD_SCALES(0)
#endif

  // What is on its way of A: chunks of RING blocks. What is not there, and not loaded, is multiplied by zeros.
  uint4 ring[RING][CHUNKS];
  global const char* from[CHUNKS];
  UNROLL for (int h = 0; h < CHUNKS; ++h) {
    const int row = i0 + quad + 8 * h;  // where there are no more, one again
    const long line_bytes = line / CHUNK_K * 16;
    if (h == 0)
      from[h] = (global const char*)a + (a_first / CHUNK_K + b0 * 4L + t) * 16 + min(row, (int)rows - 1) * line_bytes;
    else
      from[h] = from[h - 1] + (row < rows ? 8 * line_bytes : 0);
    UNROLL for (int r = 0; r < RING; ++r) load_chunk(&ring[r][h], from[h] + r * 64, (b0 + r) * 4 + t, chunks_end);
  }

#if GROUPED_FIRST
  float nothing[LINES];  // 0, or NaN where a scale is not finite
  UNROLL for (int r = 0; r < LINES; ++r) nothing[r] = 0;
  for (int g0 = 0; g0 < group_count; g0 += 128) {
    if (g0 != 0) LOAD_SCALES(g0)
    UNROLL for (int r = 0; r < LINES; ++r) {
      const int row = r * WARPS + warp;
      UNROLL for (int q = 0; q < 4; ++q) {
        const float scale = float_of(far_scales[r][q]);
        nothing[r] = fma(scale, 0.0f, nothing[r]);
        if (g0 + q * 32 + lane < group_count && (ROWS_AT_ONCE % WARPS == 0 || row < ROWS_AT_ONCE))
          near_scales[(g0 + q * 32 + lane) * LINE_SCALES + row % 8 * 4 + row / 8] = scale;
      }
    }
  }
  uint bad = 0;  // rows with scales that are not finite
  UNROLL for (int r = 0; r < LINES; ++r)
    if (nothing[r] != 0 && r * WARPS + warp < ROWS_AT_ONCE) bad |= 1u << (r * WARPS + warp);
  bad = all_bits_of_warp(bad);
  if (lane == 0) near_bad[warp] = bad;
  barrier(CLK_LOCAL_MEM_FENCE);
  local const float4* scale_from =
      (local const float4*)(near_scales + (b0 / OF_GROUP * PER_BLOCK - first_group) * LINE_SCALES + quad * 4);
  int left_in_group = OF_GROUP - b0 % OF_GROUP;
#endif

  // Where a lane's octet belongs, and where it reads: the digits `quad` of its own chunk.
  const int unit = FIRST == 7 ? lane / 16 * 2 + lane % 4 / 2 : lane / 8;
  const int chunk = FIRST == 7 ? lane % 16 / 4 : lane % 8 / 2;
  local char* const near_x = near + warp * X_BYTES;
  local char* const octet = near_x + unit * 512 + chunk * 16 + lane % 2 * 8;
  const int turn = unit % 2 * 64;
  const int is_of_slot = t * PER_BLOCK / 4;

  float total[CHUNKS][FEW], kept[CHUNKS][FEW];
  uint limit[FEW];
  bool had_more[FEW];
  const float piece = as_float((127u - 15 * t) << 23);
  FOR_FEW(j) {
    limit[j] = LEAST_LIMIT;
    had_more[j] = true;
    UNROLL for (int h = 0; h < CHUNKS; ++h) total[h][j] = kept[h][j] = 0;
  }
  // The digits' sums as the numbers that they stand for.
#define KEEP(j)                                                                                         \
  {                                                                                                     \
    const float back = as_float((limit[j] - 13 - (FIRST == 7 ? 4 : 0)) << 23);                          \
    UNROLL for (int h = 0; h < CHUNKS; ++h) {                                                           \
      float sum = total[h][j] * piece;                                                                  \
      sum += from_lane(sum, 1);                                                                         \
      sum += from_lane(sum, 2);                                                                         \
      kept[h][j] = fma(sum, back, kept[h][j]);                                                          \
      total[h][j] = 0;                                                                                  \
    }                                                                                                   \
  }
  const int whole = chunks / 4;  // blocks
  bool is_left = false;
  const int zeros[4] = {0, 0, 0, 0};

  for (int here = b0; here < b1; here += BLOCKS) {
    FOR_FEW(j) {
      const uint top = top_of(far_x[j]);
      if (min(here + BLOCKS, b1) > whole || top == 255) {
        is_left = true;
        if (IS_OUT(here, top)) UNROLL for (int e = 0; e < 8; ++e) far_x[j][e] = 0;
      }
      RAISE_LIMIT(limit[j], top, if (here > b0) KEEP(j))
      // Three pieces do for most vectors; the fourth one's digits are zeros then.
      local char* const to_x = octet + j * (STAGE_K * 8);
      float left[8];
      uint raised[8];
      UNROLL for (int e = 0; e < 8; ++e) left[e] = far_x[j][e];
      UNROLL for (int p = 0; p < USUAL_PIECES; ++p) {
        UNROLL for (int e = 0; e < 8; ++e) raised[e] = as_uint(piece_of(&left[e], p, FACTOR_OF(limit[j])));
        put_digits(raised, p, to_x, turn);
      }
      bool has_more = false;
      UNROLL for (int e = 0; e < 8; ++e) has_more |= left[e] != 0;
      has_more = any_of_warp(has_more);
      if (has_more) {
        UNROLL for (int e = 0; e < 8; ++e) {
          raised[e] = as_uint(piece_of(&left[e], USUAL_PIECES, 0));
          is_left |= left[e] != 0;
        }
        put_digits(raised, USUAL_PIECES, to_x, turn);
      } else if (had_more[j]) {
        *(local uint2*)(to_x + (2 * USUAL_PIECES * 64 ^ turn)) = (uint2)(0);
        *(local uint2*)(to_x + ((2 * USUAL_PIECES + 1) * 64 ^ turn)) = (uint2)(0);
      }
      had_more[j] = has_more;
    }
    warp_barrier();
    LOAD_X(here + BLOCKS)
    UNROLL for (int b = 0; b < BLOCKS; ++b) {
      const int slot = b % RING;
      if (here + b < b1) {
        UNROLL for (int n = 0; n < PER_BLOCK; ++n) {
          const uint mask = PER_BLOCK == 1 || is_of_slot == n ? ~0u : 0u;
          int sums[CHUNKS / 2][FEW][4];
          UNROLL for (int u = 0; u < READS; ++u) {
            FOR_FEW(j) {
              const int unit = b * READS + u;
              const int at = j * (STAGE_K * 8) + unit * 512 + (lane * 16 ^ unit % 2 * 64);
              const uint4 y = *(local const uint4*)(near_x + at);
              UNROLL for (int m = 0; m < CHUNKS / 2; ++m) {
                const uint4 low = ring[slot][2 * m], high = ring[slot][2 * m + 1];
#if FIRST == 7
                const uint l0 = WORD(low, 2 * u), h0 = WORD(high, 2 * u);
                const uint l1 = WORD(low, 2 * u + 1), h1 = WORD(high, 2 * u + 1);
                multiply_add(sums[m][j], u == 0 ? zeros : sums[m][j], EVEN(l0), EVEN(h0), ODD(l0), ODD(h0),
                             y.x & mask, y.y & mask);
                multiply_add(sums[m][j], sums[m][j], EVEN(l1), EVEN(h1), ODD(l1), ODD(h1), y.z & mask, y.w & mask);
#else
                multiply_add(sums[m][j], zeros, low.x, high.x, low.y, high.y, y.x & mask, y.y & mask);
                multiply_add(sums[m][j], sums[m][j], low.z, high.z, low.w, high.w, y.z & mask, y.w & mask);
#endif
              }
            }
          }
#if GROUPED_FIRST
          const float4 scale4 = scale_from[n * LINE_SCALES / 4];
          const float scale[4] = {scale4.x, scale4.y, scale4.z, scale4.w};
#else
          const float scale[4] = {1, 1, 1, 1};
#endif
          UNROLL for (int h = 0; h < CHUNKS; ++h)
            FOR_FEW(j) {
              const int low = sums[h / 2][j][h % 2 * 2], high = sums[h / 2][j][h % 2 * 2 + 1];
              total[h][j] = fma(scale[h], (float)(high * 256 + low), total[h][j]);
            }
        }
#if GROUPED_FIRST
        if (OF_GROUP == 1 || --left_in_group == 0) {
          scale_from += PER_BLOCK * LINE_SCALES / 4;
          left_in_group = OF_GROUP;
        }
#endif
      }
      UNROLL for (int h = 0; h < CHUNKS; ++h)
        load_chunk(&ring[slot][h], from[h] + (b + RING) * 64, (here + b + RING) * 4 + t, chunks_end);
    }
    UNROLL for (int h = 0; h < CHUNKS; ++h) from[h] += BLOCKS * 64;
    warp_barrier();
  }

  uint plain = 0;
#if GROUPED_FIRST
  UNROLL for (int w = 0; w < WARPS; ++w) plain |= near_bad[w];
#endif
  FOR_FEW(j) {
    KEEP(j)
    if (t == 0)
      UNROLL for (int h = 0; h < CHUNKS; ++h)
        near_sums[warp][8 * h + quad][j] = plain >> (8 * h + quad) & 1 ? 0 : kept[h][j];
  }
  if (any_of_warp(is_left || plain != 0)) {
    warp_barrier();
    FOR_FEW(j)
      near_sums[warp][lane][j] += sum_of_left(a, a_first, line, x, x_first + j * x_column_step, x_step, rows,
                                              (int)depth, scales, scales_first, i0, b0, b1, chunks, plain);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int at = item; at < ROWS_AT_ONCE * FEW; at += THREADS) {
    const int r = at % ROWS_AT_ONCE, j = at / ROWS_AT_ONCE;
    float sum = 0;
    UNROLL for (int w = 0; w < WARPS; ++w) sum += near_sums[w][r][j];
    if (i0 + r < rows) KEEP_SUM(i0 + r, j, sum)
  }
}
