// How the tiles of matrix_units.cl come and go.
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== matrix_unit_fetch =====
// From global memory to a stage of local memory: by the copy engine, or by work-items.
#define REPLACE(what) "tensormap.replace.tile." what ".shared::cta.b1024"
// Makes the tensor map of `items` matrices `next` elements apart: `lines` lines of `length` elements
// each, which begin `ld` elements apart. One fetch brings 128 bytes of `box` lines. `map` is in local
// memory, where making it takes less time.
INLINE void make_map(uint map, global const uchar* from, long length, long lines, long ld,
                     long items, long next, int box) {
  for (int i = 0; i < 128; i += 8)
    asm volatile(PTX("st.shared.u64 [%0], %1;")::"r"(map + i), "l"(0UL) : "memory");
  asm volatile(
      PTX(REPLACE("global_address") ".b64 [%0], %1;") PTX(REPLACE("rank") ".b32 [%0], 2;")
      PTX(REPLACE("box_dim") ".b32 [%0], 0, " TEXT(BOX) ";")
      PTX(REPLACE("box_dim") ".b32 [%0], 1, %2;") PTX(REPLACE("box_dim") ".b32 [%0], 2, 1;")
      PTX(REPLACE("element_stride") ".b32 [%0], 0, 1;")
      PTX(REPLACE("element_stride") ".b32 [%0], 1, 1;")
      PTX(REPLACE("element_stride") ".b32 [%0], 2, 1;")
      PTX(REPLACE("elemtype") ".b32 [%0], " TEXT(MAP_KIND) ";")
      PTX(REPLACE("interleave_layout") ".b32 [%0], 0;")
      PTX(REPLACE("swizzle_mode") ".b32 [%0], 3;") PTX(REPLACE("fill_mode") ".b32 [%0], 0;")
      ::"r"(map), "l"(from), "r"(box) : "memory");
  asm volatile(
      PTX(REPLACE("global_dim") ".b32 [%0], 0, %1;") PTX(REPLACE("global_dim") ".b32 [%0], 1, %2;")
      PTX(REPLACE("global_dim") ".b32 [%0], 2, %3;")
      PTX(REPLACE("global_stride") ".b64 [%0], 0, %4;")
      PTX(REPLACE("global_stride") ".b64 [%0], 1, %5;")
      ::"r"(map), "r"((uint)length), "r"((uint)lines), "r"((uint)(next ? items : 1)),
        "l"(ld * SIZE), "l"((next ? next : ld) * SIZE) : "memory");
}

// Puts a map where the copy engine reads it, which it does by a way of its own. By a whole warp.
INLINE void publish_map(global ulong* to, uint map) {
  asm volatile(PTX("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu"
                   ".sync.aligned [%0], [%1], 128;")
               PTX("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;")
               ::"l"(to), "r"(map) : "memory");
}

INLINE void fetch(uint to, global const ulong* map, int along, int line, int item, uint barrier) {
  asm volatile(
      PTX("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
          "[%0], [%1, {%2, %3, %4}], [%5];")
      ::"r"(to), "l"(map), "r"(along), "r"(line), "r"(item), "r"(barrier) : "memory");
}

// Fetches a stage of a factor: STEP columns from k on of `width` rows from i on.
INLINE void fetch_factor(uint to, global const ulong* map, int along_k, int width, int k, int i,
                         int item, uint barrier) {
  if (along_k) {
    fetch(to, map, k, i, item, barrier);
  } else {
#pragma unroll
    for (int block = 0; block < width / 64; ++block)
      fetch(to + block * BLOCK_BYTES, map, i + block * 64, k, item, barrier);
  }
}

// 16 bytes from an address that may be no multiple of 16: by the two multiples around it, which both
// hold bytes that are asked for.
INLINE ulong2 load_16(global const FACTOR* from) {
  const uint by = (uint)((ulong)from & 15), bits = by % 8 * 8;
  global const ulong2* at = (global const ulong2*)((global const uchar*)from - by);
  const ulong2 low = at[0];
  if (by == 0) return low;
  const ulong2 high = at[1];
  const ulong x = by < 8 ? low.x : low.y, y = by < 8 ? low.y : high.x;
  const ulong z = by < 8 ? high.x : high.y;
  if (bits == 0) return (ulong2)(x, y);
  return (ulong2)(x >> bits | y << (64 - bits), y >> bits | z << (64 - bits));
}

INLINE void put_16(uint to, ulong2 bytes) {
  asm volatile(PTX("st.shared.v2.u64 [%0], {%1, %2};")::"r"(to), "l"(bytes.x), "l"(bytes.y)
               : "memory");
}

// The same by the producer's work-items: of a factor at `from`, of which there are `rows` rows and
// `depth` columns from there on.
INLINE void copy_factor(uint to, global const FACTOR* from, long ld, int along_k, int width,
                        long rows, long depth, int thread) {
  for (int piece = thread; piece < width * 8; piece += 128) {
    const int line = along_k ? piece / 8 : piece / 8 % 64, first = piece % 8 * (16 / SIZE);
    const int block = along_k ? 0 : piece / 512;
    const long i = along_k ? line : block * 64 + first, k = along_k ? first : line;
    global const FACTOR* at = from + (along_k ? i * ld + k : k * ld + i);
    const long there = along_k ? (i < rows ? depth - k : 0) : (k < depth ? rows - i : 0);
    ulong2 bytes = 0;
    if (there >= 16 / SIZE) {
      bytes = load_16(at);
    } else {
#pragma unroll
      for (int e = 0; e < 16 / SIZE; ++e)
        if (e < there) {
          const ulong element = (ulong)at[e] << e * SIZE % 8 * 8;
          if (e < 8 / SIZE) bytes.x |= element;
          else bytes.y |= element;
        }
    }
    put_16(to + block * BLOCK_BYTES + line * 128 + ((piece % 8 ^ line % 8) << 4), bytes);
  }
}
//===== matrix_unit_results =====
// Elements of C, and the ways of a warp's lanes to them.
#if RESULT == 3
typedef int OUT;
typedef int2 OUT2;
typedef double2 WIDE2;
typedef double WIDE;  // in which integers of 32 bits are exact
INLINE WIDE from_out(OUT x) { return x; }
INLINE OUT to_out(WIDE x) { return convert_int_sat_rte(x); }
#elif RESULT == 4
typedef uchar OUT;
typedef int WIDE;
#else
typedef float WIDE;
typedef float2 WIDE2;
#endif
#if RESULT == 0
typedef float OUT;
typedef float2 OUT2;
INLINE WIDE from_out(OUT x) { return x; }
INLINE OUT to_out(WIDE x) { return x; }
#elif RESULT == 1 || RESULT == 2
typedef ushort OUT;
// Two elements, rounded to the nearest, the first in the lower half.
INLINE uint packed(float low, float high) {
  uint both;
#if RESULT == 1
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
#else
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
#endif
  return both;
}
INLINE OUT to_out(WIDE x) { return (ushort)packed(x, 0); }
// A half (kind 1) or bfloat16 (kind 2) as a float.
INLINE float float_of(ushort x, int kind) {
  if (kind == 2) return as_float((uint)x << 16);
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(x));
  return value;
}
INLINE WIDE from_out(OUT x) { return float_of(x, RESULT); }
#endif

#if RESULT == 1 || RESULT == 2 || RESULT == 4
INLINE uint from_lane(uint value, int distance) {
  uint other;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;"
               : "=r"(other) : "r"(value), "r"(distance));
  return other;
}
// Swaps a for the other lane's b, where `upper`, else b for its a.
INLINE void swap(uint* a, uint* b, bool upper, int distance) {
  const uint low = *a, high = *b, got = from_lane(upper ? low : high, distance);
  *a = upper ? got : low;
  *b = upper ? high : got;
}
// Of 4 words in each of 4 lanes lane t gets word t of all.
INLINE void transpose_quad(uint w[4], int t) {
  swap(w, w + 1, t & 1, 1);
  swap(w + 2, w + 3, t & 1, 1);
  swap(w, w + 2, t & 2, 2);
  swap(w + 1, w + 3, t & 2, 2);
}
#endif

#if RESULT == 1 || RESULT == 2
// 8 elements, or as many as there are.
INLINE uint4 load_8(global const ushort* from, long there) {
  if (there >= 8) return *(global const uint4*)from;
  uint w[4] = {0, 0, 0, 0};
#pragma unroll
  for (int e = 0; e < 7; ++e)
    if (e < there) w[e / 2] |= (uint)from[e] << e % 2 * 16;
  return (uint4)(w[0], w[1], w[2], w[3]);
}
INLINE void store_8(global ushort* to, long there, const uint w[4]) {
  if (there >= 8) {
    *(global uint4*)to = (uint4)(w[0], w[1], w[2], w[3]);
    return;
  }
#pragma unroll
  for (int e = 0; e < 7; ++e)
    if (e < there) to[e] = (ushort)(w[e / 2] >> e % 2 * 16);
}

// A lane's pairs of 32 rows of a column from row `first` on, and the same back. Where all 32 are there,
// as in a whole tile, compilers see that nothing is to be asked: what comes before and after overlaps.
INLINE long there_of(int first, long rows, int t) {
  return rows - first >= 32 ? 8 : rows - first - t * 8;
}
INLINE void load_pairs(uint w[4], global const ushort* at, int first, long rows, bool wide, int t) {
  if (wide) {
    const uint4 bits = load_8(at + first + t * 8, there_of(first, rows, t));
    w[0] = bits.x, w[1] = bits.y, w[2] = bits.z, w[3] = bits.w;
    transpose_quad(w, t);
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int row = first + i * 8 + t * 2;
    w[i] = row < rows ? at[row] : 0;
    if (row + 1 < rows) w[i] |= (uint)at[row + 1] << 16;
  }
}
INLINE void store_pairs(global ushort* at, uint w[4], int first, long rows, bool wide, int t) {
  if (wide) {
    transpose_quad(w, t);
    store_8(at + first + t * 8, there_of(first, rows, t), w);
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int row = first + i * 8 + t * 2;
    if (row < rows) at[row] = (ushort)w[i];
    if (row + 1 < rows) at[row + 1] = (ushort)(w[i] >> 16);
  }
}
#endif

#if RESULT == 4
// The remainder of a sum by a modulus, plus half of it (generator/moduli.hpp).
typedef struct {
  uint modulus, inverse, bias;
} Modulus;
constant Modulus moduli[] = {MODULI};  // of the items of a batch
INLINE uint remainder_by(const Modulus* by, int sum) {
  const uint whole = (uint)sum + by->bias;
  return whole - (mul_hi(whole, by->inverse) >> 7) * by->modulus;
}
#endif

//===== matrix_unit_store =====
// From the sums of a work-item to C.
#if RESULT != 4
INLINE WIDE blended(WIDE sum, OUT old, WIDE alpha, WIDE beta) {
  sum *= alpha;
  return beta != 0 ? fma(beta, from_out(old), sum) : sum;
}
#endif

// Stores sums of a column, of which `rows` rows exist from `at` on (none, if not positive); `wide`: they
// lie well for wide accesses. A lane has two elements in every 8, at 2 t; `s` holds them as the
// matrix units leave them: every other pair. PIECE rows from `first` on at a time.
#if RESULT == 4
#define PIECE 64
// 16 bytes at a time, as below.
INLINE void store_piece(global OUT* at, int first, long rows, bool wide, const SUM* s, int t,
                        const Modulus* by) {
  // Each word has two rows of 8, and two of the next 8.
  uint w[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const SUM* own = s + first / 2 + i * 8;
    w[i] = remainder_by(by, own[0]) | remainder_by(by, own[1]) << 8 |
           remainder_by(by, own[4]) << 16 | remainder_by(by, own[5]) << 24;
  }
  if (wide) {
    transpose_quad(w, t);
    const uint4 bytes = (uint4)(w[0] & 0xffff | w[1] << 16, w[2] & 0xffff | w[3] << 16,
                                w[0] >> 16 | w[1] & 0xffff0000, w[2] >> 16 | w[3] & 0xffff0000);
    const int own = first + t * 16;
    if (own + 16 <= rows) {
      *(global uint4*)(at + own) = bytes;
    } else {
      const uint word[4] = {bytes.x, bytes.y, bytes.z, bytes.w};
#pragma unroll
      for (int e = 0; e < 15; ++e)
        if (own + e < rows) at[own + e] = (uchar)(word[e / 4] >> e % 4 * 8);
    }
    return;
  }
#pragma unroll
  for (int e = 0; e < 16; ++e) {
    const int row = first + e / 2 * 8 + t * 2 + e % 2;
    if (row < rows) at[row] = (uchar)(w[e / 4] >> e % 4 * 8);
  }
}
#elif RESULT == 0 || RESULT == 3
#define PIECE 8
INLINE void store_piece(global OUT* at, int first, long rows, bool wide, const SUM* s, int t,
                        WIDE alpha, WIDE beta FINISH_PARAMETERS) {
  const int i = first + t * 2;
  const bool both = first + PIECE <= rows || i + 2 <= rows;
  global OUT2* pair = (global OUT2*)(at + i);
  OUT2 old = 0;
  if (beta != 0) {
    if (wide && both) old = *pair;
    else old = (OUT2)(i < rows ? at[i] : 0, both ? at[i + 1] : 0);
  }
  WIDE2 sums = (WIDE2)(blended(s[first / 2], old.x, alpha, beta),
                       blended(s[first / 2 + 1], old.y, alpha, beta));
  FINISH(sums, i, residual_pair(finish, i, rows))
  if (wide && both) {
    *pair = (OUT2)(to_out(sums.x), to_out(sums.y));
  } else {
    if (i < rows) at[i] = to_out(sums.x);
    if (both) at[i + 1] = to_out(sums.y);
  }
}
#else
#define PIECE 32
// 16 bytes at a time, for which 4 lanes swap what they have of 32 elements. All lanes of a warp take
// part in that, also those whose column does not exist.
INLINE void store_piece(global OUT* at, int first, long rows, bool wide, const SUM* s, int t,
                        WIDE alpha, WIDE beta FINISH_PARAMETERS) {
  uint w[4];
  float2 sums[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    sums[i] = (float2)(s[first / 2 + i * 4] * alpha, s[first / 2 + i * 4 + 1] * alpha);
  if (beta != 0) {
    load_pairs(w, at, first, rows, wide, t);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      sums[i].x = fma(beta, from_out((ushort)w[i]), sums[i].x);
      sums[i].y = fma(beta, from_out((ushort)(w[i] >> 16)), sums[i].y);
    }
  }
  FINISH_LOAD(residual, first, rows, t)
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    FINISH(sums[i], first + i * 8 + t * 2, residual[i])
    w[i] = packed(sums[i].x, sums[i].y);
  }
  store_pairs(at, w, first, rows, wide, t);
}
#endif
