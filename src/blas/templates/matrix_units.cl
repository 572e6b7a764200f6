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
// want it. It needs lines that begin a multiple of 16 bytes apart: the host sees to that. Where a
// factor's first element is not at such an address, which may differ from run to run, the
// producer's work-items fetch instead.
//
// Where C has few tiles, each is computed by `parts` work-groups, which share its depth and write
// results of their own, one after another like those of a batch; `gather` adds them.
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
INLINE ulong2 load_16(global const ELEMENT* from) {
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
INLINE void copy_factor(uint to, global const ELEMENT* from, long ld, int along_k, int width,
                        long rows, long depth, int thread) {
  for (int piece = thread; piece < width * 8; piece += 128) {
    const int line = along_k ? piece / 8 : piece / 8 % 64, first = piece % 8 * (16 / SIZE);
    const int block = along_k ? 0 : piece / 512;
    const long i = along_k ? line : block * 64 + first, k = along_k ? first : line;
    global const ELEMENT* at = from + (along_k ? i * ld + k : k * ld + i);
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

// Stores the sums of a column, of which `rows` rows exist from `at` on (none, if not positive) and
// lie well for wide accesses. A lane has two elements in every 8, at 2 t; `s` holds them as the
// matrix units leave them: every other pair.
#if RESULT == 0 || RESULT == 3
INLINE void store_column(global OUT* at, long rows, const SUM* s, int t, WIDE alpha, WIDE beta) {
#pragma unroll
  for (int j = 0; j < ROWS / 8; ++j) {
    const int i = j * 8 + t * 2;
    if (i + 2 <= rows) {
      global OUT2* pair = (global OUT2*)(at + i);
      OUT2 old = 0;
      if (beta != 0) old = *pair;
      *pair =
          (OUT2)(blended(s[j * 4], old.x, alpha, beta), blended(s[j * 4 + 1], old.y, alpha, beta));
    } else if (i < rows) {
      at[i] = blended(s[j * 4], beta != 0 ? at[i] : (OUT)0, alpha, beta);
    }
  }
}
#else
// 8 elements, or as many as there are.
INLINE uint4 load_8(global const OUT* from, long there) {
  if (there >= 8) return *(global const uint4*)from;
  uint w[4] = {0, 0, 0, 0};
#pragma unroll
  for (int e = 0; e < 7; ++e)
    if (e < there) w[e / 2] |= (uint)from[e] << e % 2 * 16;
  return (uint4)(w[0], w[1], w[2], w[3]);
}
INLINE void store_8(global OUT* to, long there, const uint w[4]) {
  if (there >= 8) {
    *(global uint4*)to = (uint4)(w[0], w[1], w[2], w[3]);
    return;
  }
#pragma unroll
  for (int e = 0; e < 7; ++e)
    if (e < there) to[e] = (OUT)(w[e / 2] >> e % 2 * 16);
}
// 16 bytes at a time, for which 4 lanes swap what they have of 32 elements. All lanes of a warp take
// part in that, also those whose column does not exist.
INLINE void store_column(global OUT* at, long rows, const SUM* s, int t, WIDE alpha, WIDE beta) {
#pragma unroll
  for (int j = 0; j < ROWS / 32; ++j) {
    const int own = j * 32 + t * 8;
    uint w[4] = {0, 0, 0, 0};
    if (beta != 0) {
      const uint4 old = load_8(at + own, rows - own);
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
    store_8(at + own, rows - own, w);
  }
}
#endif

// The same one by one, wherever they lie.
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
// Which tile of which item a work-group computes: strips of STRIP tiles along the columns of C, so that the
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

// What the producer does where the copy engine can fetch, by one warp; `steps` for each part.
INLINE void produce(global ulong* maps, uint stages, uint full, uint empty, uint map,
                    global const uchar* first, long first_ld, long first_next,
                    global const uchar* second, long second_ld, long second_next, long rows,
                    long columns, long depth, long count, long parts, int thread) {
  const long row_end = (rows + ROWS - 1) / ROWS, column_end = (columns + COLUMNS - 1) / COLUMNS;
  const long tiles = row_end * column_end * count * parts;
  const int steps = (int)((depth + STEP - 1) / STEP);
  // Two lanes make a map each.
  const bool is_first = thread == 0;
  const int along_k = is_first ? FIRST_ALONG_K : SECOND_ALONG_K;
  const long width = is_first ? rows : columns;
  if (thread < 2)
    make_map(map + thread * 128, is_first ? first : second, along_k ? depth : width,
             along_k ? width : depth, is_first ? first_ld : second_ld, count,
             is_first ? first_next : second_next, !along_k ? 64 : is_first ? ROWS : COLUMNS);
  asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
  global ulong *first_map = maps + get_group_id(0) * 32, *second_map = first_map + 16;
  publish_map(first_map, map);
  publish_map(second_map, map + 128);
  if (thread != 0) return;
  int stage = 0;
  uint parity = 0;
  long item, p, q;
  EACH_TILE {
    find_tile(tile, row_end, column_end, &item, &p, &q);
    const int batch = (int)(item / parts), part = (int)(item % parts);
    const int end = (int)((part + 1L) * steps / parts);
    for (int step = (int)((long)part * steps / parts); step < end; ++step) {
      barrier_wait(empty + stage * 8, parity ^ 1);
      const uint barrier = full + stage * 8, to = stages + stage * STAGE_BYTES;
      barrier_arrive_and_expect(barrier, STAGE_BYTES);
      fetch_factor(to, second_map, SECOND_ALONG_K, COLUMNS, step * STEP, (int)(q * COLUMNS),
                   second_next ? batch : 0, barrier);
      fetch_factor(to + SECOND_BYTES, first_map, FIRST_ALONG_K, ROWS, step * STEP, (int)(p * ROWS),
                   first_next ? batch : 0, barrier);
      NEXT_STAGE;
    }
  }
}

// The same where it cannot, by all of the producer.
INLINE void produce_by_hand(uint stages, uint full, uint empty, global const ELEMENT* first,
                            long first_ld, long first_next, global const ELEMENT* second,
                            long second_ld, long second_next, long rows, long columns, long depth,
                            long count, long parts, int thread) {
  const long row_end = (rows + ROWS - 1) / ROWS, column_end = (columns + COLUMNS - 1) / COLUMNS;
  const long tiles = row_end * column_end * count * parts;
  const int steps = (int)((depth + STEP - 1) / STEP);
  int stage = 0;
  uint parity = 0;
  long item, p, q;
  EACH_TILE {
    find_tile(tile, row_end, column_end, &item, &p, &q);
    const long batch = item / parts, part = item % parts, i = p * ROWS, j = q * COLUMNS;
    const int end = (int)((part + 1) * steps / parts);
    for (int step = (int)(part * steps / parts); step < end; ++step) {
      barrier_wait(empty + stage * 8, parity ^ 1);
      const uint to = stages + stage * STAGE_BYTES;
      const long k = (long)step * STEP;
      copy_factor(to, second + batch * second_next + (SECOND_ALONG_K ? j * second_ld + k : k * second_ld + j),
                  second_ld, SECOND_ALONG_K, COLUMNS, columns - j, depth - k, thread);
      copy_factor(to + SECOND_BYTES, first + batch * first_next + (FIRST_ALONG_K ? i * first_ld + k : k * first_ld + i),
                  first_ld, FIRST_ALONG_K, ROWS, rows - i, depth - k, thread);
      // What they wrote is for the matrix units, which read by another way.
      asm volatile(PTX("fence.proxy.async.shared::cta;") PTX("bar.sync 1, 128;") ::: "memory");
      if (thread == 0) barrier_arrive(full + stage * 8);
      NEXT_STAGE;
    }
  }
}

kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void product(
    global ulong* maps, global const uchar* first, long first_offset, long first_ld,
    long first_next, global const uchar* second, long second_offset, long second_ld,
    long second_next, global OUT* c, long offset, long ld, long next, long rows, long columns,
    long depth, long count, long parts, float alpha, float beta) {
  // More local memory than OpenCL tells of is had by this declaration alone.
  asm volatile(PTX(".shared .align 1024 .b8 kiln_stages[" TEXT(LOCAL_BYTES) "];")
               PTX(".reg " SUM_REGISTERS " sum<" TEXT(SUM_COUNT) ">;"));
  uint stages;
  asm volatile(PTX("mov.u32 %0, kiln_stages;") : "=r"(stages));
  const uint map = stages + STAGES * STAGE_BYTES, full = map + 256, empty = full + STAGES * 8;
  const int item = get_local_id(0), thread = item % 128, group = item / 128;
  const long row_end = (rows + ROWS - 1) / ROWS, column_end = (columns + COLUMNS - 1) / COLUMNS;
  const long tiles = row_end * column_end * count * parts;
  const int steps = (int)((depth + STEP - 1) / STEP);
  if (item == 0) {
    for (int s = 0; s < STAGES; ++s) {
      barrier_init(full + s * 8, 1);
      barrier_init(empty + s * 8, 2);
    }
    asm volatile(PTX("fence.proxy.async.shared::cta;")::: "memory");
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (group == 0) {
    asm volatile(PTX("setmaxnreg.dec.sync.aligned.u32 56;"));
    first += first_offset * SIZE;
    second += second_offset * SIZE;
    if ((((ulong)first | (ulong)second) & 15) != 0)
      produce_by_hand(stages, full, empty, (global const ELEMENT*)first, first_ld, first_next,
                      (global const ELEMENT*)second, second_ld, second_next, rows, columns, depth,
                      count, parts, thread);
    else if (thread < 32)
      produce(maps, stages, full, empty, map, first, first_ld, first_next, second, second_ld,
              second_next, rows, columns, depth, count, parts, thread);
    return;
  }
  asm volatile(PTX("setmaxnreg.inc.sync.aligned.u32 224;"));
  const int t = item % 4, own = (group - 1) * 64;
  int stage = 0;
  uint parity = 0;
  long result, p, q;
  EACH_TILE {
    find_tile(tile, row_end, column_end, &result, &p, &q);
    const int begin = (int)(result % parts * steps / parts);
    const int end = (int)((result % parts + 1) * steps / parts);
    int before = 0;
    for (int step = begin; step < end; ++step) {
      barrier_wait(full + stage * 8, parity);
      const uint at = stages + stage * STAGE_BYTES;
      const ulong y = descriptor(at + own / 64 * BLOCK_BYTES, SECOND_ALONG_K);
      const ulong x = descriptor(at + SECOND_BYTES, FIRST_ALONG_K);
      asm volatile(PTX("wgmma.fence.sync.aligned;")::: "memory");
#pragma unroll
      for (int k = 0; k < 4; ++k)
        multiply(y + k * NEXT(SECOND_ALONG_K), x + k * NEXT(FIRST_ALONG_K),
                 step - begin + k);
      // The stage before this one is done with once one group of instructions is pending.
      asm volatile(PTX("wgmma.commit_group.sync.aligned;")
                   PTX("wgmma.wait_group.sync.aligned 1;")::: "memory");
      if (step > begin && thread == 0) barrier_arrive(empty + before * 8);
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
    global OUT* to = c + offset + result * next + j0 * ld + i0;
    // The same for all lanes: where a column lies well, all do.
    const bool wide = ld % (WIDE_BYTES / (int)sizeof(OUT)) == 0 &&
                      ((ulong)to & (WIDE_BYTES - 1)) == 0;
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      global OUT* column = to + side * 8 * ld;
      const long there = j0 + side * 8 < columns ? rows - i0 : 0;
      if (wide)
        store_column(column, there, sums + side * 2, t, alpha, beta);
      else
        store_some(column, there, sums + side * 2, t, alpha, beta);
    }
  }
}

// Adds the results of `parts` parts each, which lie one after another without gaps, into C.
kernel void gather(global const SUM* from, long parts, global OUT* c, long offset, long ld,
                   long next, long rows, long columns, long count, float alpha, float beta) {
  const long elements = rows * columns;
  for (long e = get_global_id(0); e < elements * count; e += get_global_size(0)) {
    const long item = e / elements, i = e % elements % rows, j = e % elements / rows;
    WIDE sum = 0;
    for (long part = 0; part < parts; ++part)
      sum += from[(item * parts + part) * elements + e % elements];
    global OUT* at = c + offset + item * next + j * ld + i;
    *at = blended(sum, beta != 0 ? *at : (OUT)0, alpha, beta);
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
