// Products of 16-bit and 8-bit factors by the matrix units of NVIDIA's Hopper (wgmma), whose
// instructions stand behind marks (kernel/program/marked_assembly.hpp).
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== matrix_unit_product =====
// Tiles of ROWS x COLUMNS elements of C = alpha op(A) op(B) + beta C, by columns, for `count`
// products of the same sizes, whose operands lie `next` elements apart. A work-group is a producer,
// the first 128 work-items, and two consumers of 128, which compute 64 columns of a tile each. What
// the producer has fetched lies in a ring of STAGES stages of local memory, each with 128 bytes
// along the depth (STEP elements) of all rows and columns of the tile. There are as many work-groups
// as compute units: while the consumers store a tile, the producer fetches for the next one.
//
// A factor is fetched by the copy engine from where it lies, by a tensor map that the kernel makes
// itself in `maps` (256 bytes for each work-group). The engine puts zeros where the matrix has
// ended, and swaps the 16-byte pieces of a 128-byte line by the line's number, as the matrix units
// want it. It needs lines that begin a multiple of 16 bytes apart: the host sees to that.
//   SIZE      bytes of an element of the factors
//   FIRST_ALONG_K, SECOND_ALONG_K   1: the factor is contiguous along the depth, 0: across it
//   RESULT    what C is: 0 float, 1 half, 2 bfloat16, 3 int32
//   SUMS, EACH_SUM(f)   the names sum0, sum1, ... of a work-item's ROWS / 2 sums; f(0) f(1) ...
#define STEP (128 / SIZE)
#define COLUMNS 128
#define THREADS 384
#define FIRST_BYTES (ROWS * 128)
#define SECOND_BYTES (COLUMNS * 128)
#define STAGE_BYTES (FIRST_BYTES + SECOND_BYTES)
#define BLOCK_BYTES 8192  // of 64 elements across the depth, which are fetched at once
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define PTX(line) "//@@ " line "\n"
#define INLINE inline __attribute__((always_inline))

// Barriers of local memory, which count arrivals, and bytes on their way (mbarrier).
INLINE void barrier_init(uint at, uint arrivals) {
  asm volatile(PTX("mbarrier.init.shared::cta.b64 [%0], %1;")::"r"(at), "r"(arrivals) : "memory");
}
INLINE void barrier_arrive(uint at) {
  asm volatile(PTX("mbarrier.arrive.shared::cta.b64 _, [%0];")::"r"(at) : "memory");
}
INLINE void barrier_arrive_and_expect(uint at, uint bytes) {
  asm volatile(PTX("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;")::"r"(at), "r"(bytes)
               : "memory");
}
INLINE void barrier_wait(uint at, uint parity) {
  uint done;
  do {
    asm volatile(PTX("{") PTX(".reg .pred done;")
                 PTX("mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;")
                 PTX("selp.u32 %0, 1, 0, done;") PTX("}")
                 : "=r"(done) : "r"(at), "r"(parity) : "memory");
  } while (!done);
}

// ---- Fetching
#define REPLACE(what) "tensormap.replace.tile." what ".global.b1024"
// Makes the tensor map of `items` matrices `next` elements apart: `lines` lines of `length` elements
// each, which begin `ld` elements apart. One fetch brings 128 bytes of `box` lines. Returns where a
// line begins for the map: its address must be a multiple of 16 bytes.
INLINE int make_map(global ulong* map, global const uchar* at, long length, long lines, long ld,
                    long items, long next, int box) {
  const ulong misplaced = (ulong)at & 15;
  const int begin = (int)(misplaced / SIZE);
  for (int i = 0; i < 16; ++i) map[i] = 0;
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
      ::"l"(map), "l"(at - misplaced), "r"(box) : "memory");
  asm volatile(
      PTX(REPLACE("global_dim") ".b32 [%0], 0, %1;") PTX(REPLACE("global_dim") ".b32 [%0], 1, %2;")
      PTX(REPLACE("global_dim") ".b32 [%0], 2, %3;")
      PTX(REPLACE("global_stride") ".b64 [%0], 0, %4;")
      PTX(REPLACE("global_stride") ".b64 [%0], 1, %5;")
      ::"l"(map), "r"((uint)(length + begin)), "r"((uint)lines), "r"((uint)(next ? items : 1)),
        "l"(ld * SIZE), "l"((next ? next : ld) * SIZE) : "memory");
  return begin;
}

// The copy engine reads maps by a way of its own: it must see what was written just now.
INLINE void publish_map(global ulong* map) {
  asm volatile(PTX("fence.proxy.tensormap::generic.release.gpu;")
               PTX("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;")::"l"(map) : "memory");
}

INLINE void fetch(uint to, global const ulong* map, int along, int line, int item, uint barrier) {
  asm volatile(
      PTX("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
          "[%0], [%1, {%2, %3, %4}], [%5];")
      ::"r"(to), "l"(map), "r"(along), "r"(line), "r"(item), "r"(barrier) : "memory");
}

// Fetches a stage of a factor: STEP columns from k on of `width` rows from i on.
INLINE void fetch_factor(uint to, global const ulong* map, int begin, int along_k, int width, int k,
                         int i, int item, uint barrier) {
  if (along_k) {
    fetch(to, map, k + begin, i, item, barrier);
  } else {
#pragma unroll
    for (int block = 0; block < width / 64; ++block)
      fetch(to + block * BLOCK_BYTES, map, i + block * 64 + begin, k, item, barrier);
  }
}

// ---- Multiplying
// How the matrix units find a factor's stage: the address, and in units of 16 bytes the way from
// one block of 64 elements to the next, and from 8 lines to the next 8. Bit 62: swapped by 128 bytes.
INLINE ulong descriptor(uint at, int along_k) {
  return (ulong)((at & 0x3FFFF) >> 4) | (ulong)(along_k ? 1 : BLOCK_BYTES >> 4) << 16 |
         (ulong)(1024 >> 4) << 32 | 1UL << 62;
}
// From 32 bytes along the depth to the next, which is what one instruction takes.
#define NEXT(along_k) ((along_k) ? 32 >> 4 : 2048 >> 4)

// Adds the product of 32 bytes along the depth to the sums, or sets them to it. The instruction has
// the second factor first: so a work-item's sums lie side by side in a column of C.
INLINE void multiply(ulong second, ulong first, int adds) {
  asm volatile(PTX("{") PTX(".reg .pred adds;") PTX("setp.ne.b32 adds, %2, 0;")
               PTX("wgmma.mma_async.sync.aligned." INSTRUCTION " {" SUMS "}, %0, %1, adds" FLAGS ";")
               PTX("}")::"l"(second), "l"(first), "r"(adds) : "memory");
}

// ---- Storing
#if RESULT == 3
typedef int OUT;
typedef int2 OUT2;
typedef double WIDE;  // in which integers of 32 bits are exact
INLINE WIDE from_out(OUT x) { return x; }
INLINE OUT to_out(WIDE x) { return convert_int_sat_rte(x); }
#else
typedef float WIDE;
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
INLINE WIDE from_out(OUT x) {
#if RESULT == 1
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(x));
  return value;
#else
  return as_float((uint)x << 16);
#endif
}

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

INLINE OUT blended(WIDE sum, OUT old, WIDE alpha, WIDE beta) {
  sum *= alpha;
  return to_out(beta != 0 ? fma(beta, from_out(old), sum) : sum);
}

// The sums of a column of which ROWS rows exist and lie well for wide accesses, if the column
// `exists`: a lane has two elements in every 8, at 2 t. `s` holds them as the matrix units leave
// them: every other pair.
#if RESULT == 0 || RESULT == 3
INLINE void store_column(global OUT* at, bool exists, const SUM* s, int t, WIDE alpha, WIDE beta) {
  if (!exists) return;
#pragma unroll
  for (int j = 0; j < ROWS / 8; ++j) {
    global OUT2* pair = (global OUT2*)(at + j * 8 + t * 2);
    OUT2 old = 0;
    if (beta != 0) old = *pair;
    *pair = (OUT2)(blended(s[j * 4], old.x, alpha, beta), blended(s[j * 4 + 1], old.y, alpha, beta));
  }
}
#else
// 16 bytes at a time, for which 4 lanes swap what they have of 32 elements. All lanes of a warp take
// part in that, also those whose column does not exist.
INLINE void store_column(global OUT* at, bool exists, const SUM* s, int t, WIDE alpha, WIDE beta) {
#pragma unroll
  for (int j = 0; j < ROWS / 32; ++j) {
    global uint4* eight = (global uint4*)(at + j * 32 + t * 8);
    uint w[4] = {0, 0, 0, 0};
    if (beta != 0) {
      const uint4 old = exists ? *eight : (uint4)0;
      w[0] = old.x, w[1] = old.y, w[2] = old.z, w[3] = old.w;
      transpose_quad(w, t);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      float low = s[(j * 4 + i) * 4] * alpha, high = s[(j * 4 + i) * 4 + 1] * alpha;
      if (beta != 0) {
        low = fma(beta, from_out((ushort)w[i]), low);
        high = fma(beta, from_out((ushort)(w[i] >> 16)), high);
      }
      w[i] = packed(low, high);
    }
    transpose_quad(w, t);
    if (exists) *eight = (uint4)(w[0], w[1], w[2], w[3]);
  }
}
#endif

// The same one by one, as far as there are rows.
INLINE void store_some(global OUT* at, long rows, const SUM* s, int t, WIDE alpha, WIDE beta) {
#pragma unroll
  for (int j = 0; j < ROWS / 8; ++j)
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const int i = j * 8 + t * 2 + e;
      if (i < rows) at[i] = blended(s[j * 4 + e], beta != 0 ? at[i] : (OUT)0, alpha, beta);
    }
}

// ---- The walk
// Which tile a work-group computes: strips of STRIP tiles along the columns of C, so that the
// work-groups of one moment share factors in the cache.
INLINE void find_tile(long tile, long row_end, long column_end, long* item, long* p, long* q) {
  *item = tile / (row_end * column_end);
  tile -= *item * row_end * column_end;
  const long strip = tile / (column_end * STRIP) * STRIP, width = min((long)STRIP, row_end - strip);
  const long inside = tile - strip * column_end;
  *q = inside / width;
  *p = strip + inside % width;
}
#define EACH_TILE \
  for (long tile = get_group_id(0); tile < tiles; tile += get_num_groups(0))
#define NEXT_STAGE \
  if (++stage == STAGES) stage = 0, parity ^= 1

kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void product(
    global ulong* maps, global const uchar* first, long first_offset, long first_ld,
    long first_next, global const uchar* second, long second_offset, long second_ld,
    long second_next, global OUT* c, long offset, long ld, long next, long rows, long columns,
    long depth, long count, float alpha, float beta) {
  // More local memory than OpenCL tells of is had by this declaration alone.
  asm volatile(PTX(".shared .align 1024 .b8 kiln_stages[" TEXT(LOCAL_BYTES) "];")
               PTX(".reg " SUM_REGISTERS " sum<" TEXT(SUM_COUNT) ">;"));
  uint stages;
  asm volatile(PTX("mov.u32 %0, kiln_stages;") : "=r"(stages));
  const uint full = stages + STAGES * STAGE_BYTES, empty = full + STAGES * 8;
  const int item = get_local_id(0), thread = item % 128, group = item / 128;
  const long row_end = (rows + ROWS - 1) / ROWS, column_end = (columns + COLUMNS - 1) / COLUMNS;
  const long tiles = row_end * column_end * count;
  const int steps = (int)((depth + STEP - 1) / STEP);
  if (item == 0) {
    for (int s = 0; s < STAGES; ++s) {
      barrier_init(full + s * 8, 1);
      barrier_init(empty + s * 8, 2);
    }
    asm volatile(PTX("fence.proxy.async.shared::cta;")::: "memory");
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  int stage = 0;
  uint parity = 0;
  long batch, p, q;
  if (group == 0) {
    asm volatile(PTX("setmaxnreg.dec.sync.aligned.u32 40;"));
    if (thread != 0) return;
    global ulong *first_map = maps + get_group_id(0) * 32, *second_map = first_map + 16;
    const int first_begin = make_map(
        first_map, first + first_offset * SIZE, FIRST_ALONG_K ? depth : rows,
        FIRST_ALONG_K ? rows : depth, first_ld, count, first_next, FIRST_ALONG_K ? ROWS : 64);
    const int second_begin =
        make_map(second_map, second + second_offset * SIZE, SECOND_ALONG_K ? depth : columns,
                 SECOND_ALONG_K ? columns : depth, second_ld, count, second_next,
                 SECOND_ALONG_K ? COLUMNS : 64);
    publish_map(first_map);
    publish_map(second_map);
    EACH_TILE {
      find_tile(tile, row_end, column_end, &batch, &p, &q);
      for (int step = 0; step < steps; ++step) {
        barrier_wait(empty + stage * 8, parity ^ 1);
        const uint barrier = full + stage * 8, to = stages + stage * STAGE_BYTES;
        barrier_arrive_and_expect(barrier, STAGE_BYTES);
        fetch_factor(to, second_map, second_begin, SECOND_ALONG_K, COLUMNS, step * STEP,
                     (int)(q * COLUMNS), second_next ? (int)batch : 0, barrier);
        fetch_factor(to + SECOND_BYTES, first_map, first_begin, FIRST_ALONG_K, ROWS, step * STEP,
                     (int)(p * ROWS), first_next ? (int)batch : 0, barrier);
        NEXT_STAGE;
      }
    }
    return;
  }
  asm volatile(PTX("setmaxnreg.inc.sync.aligned.u32 232;"));
  const int t = item % 4, own = (group - 1) * 64;
  EACH_TILE {
    find_tile(tile, row_end, column_end, &batch, &p, &q);
    int before = 0;
    for (int step = 0; step < steps; ++step) {
      barrier_wait(full + stage * 8, parity);
      const uint at = stages + stage * STAGE_BYTES;
      const ulong y = descriptor(at + own / 64 * BLOCK_BYTES, SECOND_ALONG_K);
      const ulong x = descriptor(at + SECOND_BYTES, FIRST_ALONG_K);
      asm volatile(PTX("wgmma.fence.sync.aligned;")::: "memory");
#pragma unroll
      for (int k = 0; k < 4; ++k)
        multiply(y + k * NEXT(SECOND_ALONG_K), x + k * NEXT(FIRST_ALONG_K), step + k);
      // The stage before this one is done with once one group of instructions is pending.
      asm volatile(PTX("wgmma.commit_group.sync.aligned;")
                   PTX("wgmma.wait_group.sync.aligned 1;")::: "memory");
      if (step > 0 && thread == 0) barrier_arrive(empty + before * 8);
      before = stage;
      NEXT_STAGE;
    }
    asm volatile(PTX("wgmma.wait_group.sync.aligned 0;")::: "memory");
    if (thread == 0) barrier_arrive(empty + before * 8);
    SUM sums[SUM_COUNT];
#define TAKE(i) asm volatile(PTX("mov.b32 %0, sum" #i ";") : SUM_OPERAND(sums[i]));
    EACH_SUM(TAKE)
    // Warps have 16 columns each; a lane has rows of one, and of the 8th after it.
    const long i0 = p * ROWS, j0 = q * COLUMNS + own + thread / 32 * 16 + item % 32 / 4;
    global OUT* to = c + offset + batch * next + j0 * ld + i0;
    // The same for all lanes: where a column lies well, all do.
    const bool wide = i0 + ROWS <= rows && ld % (WIDE_BYTES / (int)sizeof(OUT)) == 0 &&
                      ((ulong)to & (WIDE_BYTES - 1)) == 0;
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      global OUT* column = to + side * 8 * ld;
      const bool exists = j0 + side * 8 < columns;
      if (wide)
        store_column(column, exists, sums + side * 2, t, alpha, beta);
      else if (exists)
        store_some(column, rows - i0, sums + side * 2, t, alpha, beta);
    }
  }
}
//===== matrix_unit_factors =====
// Copies of factors that the copy engine cannot fetch from where they lie: matrices of ELEMENTs,
// `lines` lines of `length` elements that begin `ld` elements apart, `next` from one item to the
// next. The copies' lines begin `to_ld` elements apart, without gaps between the items.

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void copy_lines(
    global const ELEMENT* from, long offset, long ld, long next, long length, long lines,
    long items, global ELEMENT* to, long to_ld) {
  for (long i = get_global_id(1); i < lines * items; i += get_global_size(1)) {
    global const ELEMENT* line = from + offset + i / lines * next + i % lines * ld;
    for (long e = get_local_id(0); e < length; e += 256) to[i * to_ld + e] = line[e];
  }
}

#if SIZE == 1
// Column e of 4 rows of 4 bytes.
#define COLUMN(rows, e)                                              \
  ((rows[0] >> 8 * (e) & 255) | (rows[1] >> 8 * (e) & 255) << 8 |    \
   (rows[2] >> 8 * (e) & 255) << 16 | (rows[3] >> 8 * (e) & 255) << 24)

// The transpose: line j of the copy is what stands at j in each line. By squares of 64 x 64 bytes; a
// work-item has 4 x 4 of them. The copy's lines have room for whole squares.
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void transpose_lines(
    global const ELEMENT* from, long offset, long ld, long next, long length, long lines,
    long items, global ELEMENT* to, long to_ld) {
  local uint square[64][17];
  const int x = get_local_id(0) % 16, y = get_local_id(0) / 16;
  const long i0 = get_group_id(0) * 64, across = (lines + 63) / 64;
  for (long s = get_global_id(1); s < across * items; s += get_global_size(1)) {
    const long item = s / across, l0 = s % across * 64;
    uint rows[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const long line = l0 + y * 4 + r, i = i0 + x * 4;
      global const ELEMENT* at = from + offset + item * next + line * ld + i;
      rows[r] = 0;
      if (line >= lines) continue;
      if (i + 4 <= length && ((ulong)at & 3) == 0)
        rows[r] = *(global const uint*)at;
      else
        for (int e = 0; e < 4; ++e)
          if (i + e < length) rows[r] |= (uint)at[e] << 8 * e;
    }
#pragma unroll
    for (int e = 0; e < 4; ++e) square[x * 4 + e][y] = COLUMN(rows, e);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const long line = i0 + y * 4 + r;
      if (line < length)
        *(global uint*)(to + (item * length + line) * to_ld + l0 + x * 4) = square[y * 4 + r][x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
#endif
