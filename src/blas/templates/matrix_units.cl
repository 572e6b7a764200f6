// Products of 16-bit and 8-bit factors by the matrix units of NVIDIA's Hopper (wgmma), whose
// instructions stand behind marks (kernel/program/marked_assembly.hpp). matrix_unit_tiles.cl has how
// tiles get into local memory and out of the registers, matrix_unit_epilogue.cl what becomes of them
// on the way.
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== matrix_unit =====
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
//   RESULT    what C is: 0 float, 1 half, 2 bfloat16, 3 int32, 4 remainders of sums by a modulus for
//             each item of the batch (MODULI), as bytes: alpha and beta are not asked
//   SPECIAL   1: its elements go through something (epilogue.cl), 0: they do not
//   SUMS, EACH_SUM(f)   the names sum0, sum1, ... of a work-item's ROWS / 2 sums; f(0) f(1) ...
#define STEP (128 / SIZE)
#define COLUMNS 128
#define THREADS 384
#define FIRST_BYTES (ROWS * 128)
#define SECOND_BYTES (COLUMNS * 128)
#define STAGE_BYTES (FIRST_BYTES + SECOND_BYTES)
#define BLOCK_BYTES 8192  // of 64 elements across the depth, which are fetched at once
//===== copy_barriers =====
// Barriers of local memory, which count arrivals, and bytes on their way (mbarrier), behind marks; and
// a ring of STAGES stages that some work-items fill and others use up.
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define PTX(line) "//@@ " line "\n"
#define INLINE inline __attribute__((always_inline))

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
// A stage's place in the ring of them, and how often the ring has been gone round, modulo 2.
typedef struct {
  int stage;
  uint parity;
} Place;
INLINE void advance(Place* place) {
  if (++place->stage == STAGES) place->stage = 0, place->parity ^= 1;
}
// Where the ring lies in local memory, with a barrier of each kind for each stage: that it is full,
// and that it is empty.
typedef struct {
  uint stages, full, empty;
} Ring;
// Makes the barriers, of which a stage is empty once all `consumers` say so. By one work-item, for which
// the others wait.
INLINE void open_ring(Ring ring, uint consumers) {
  for (int s = 0; s < STAGES; ++s) {
    barrier_init(ring.full + s * 8, 1);
    barrier_init(ring.empty + s * 8, consumers);
  }
  asm volatile(PTX("fence.proxy.async.shared::cta;")::: "memory");
}
//===== matrix_unit_product =====
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

// A product's sizes, as the kernel has them, and the tiles of all its results.
typedef struct {
  long rows, columns, depth, count, parts, row_end, column_end, tiles;
} Sizes;
// A factor in global memory.
typedef struct {
  global const uchar* at;
  long ld, next;
} Source;
// A tile of a result: which one it is, of which item of the batch and which steps of its depth.
typedef struct {
  long result, batch, p, q;
  int begin, end;
} Tile;
// Strips of STRIP tiles along the columns of C, so that the work-groups of one moment share factors
// in the cache.
INLINE Tile find_tile(long number, const Sizes* sizes) {
  Tile tile;
  const long each = sizes->row_end * sizes->column_end;
  tile.result = number / each;
  tile.batch = tile.result / sizes->parts;
  const long part = tile.result % sizes->parts, steps = (sizes->depth + STEP - 1) / STEP;
  tile.begin = (int)(part * steps / sizes->parts);
  tile.end = (int)((part + 1) * steps / sizes->parts);
  number -= tile.result * each;
  const long strip = number / (sizes->column_end * STRIP) * STRIP;
  const long width = min((long)STRIP, sizes->row_end - strip);
  const long inside = number - strip * sizes->column_end;
  tile.q = inside / width;
  tile.p = strip + inside % width;
  return tile;
}
#define EACH_TILE(number, sizes) \
  for (long number = get_group_id(0); number < (sizes).tiles; number += get_num_groups(0))

// What the producer does where the copy engine can fetch, by one warp. `map`: local memory for two.
INLINE void produce(global ulong* maps, uint map, Ring ring, Source first, Source second,
                    Sizes sizes, int thread) {
  // Two lanes make a map each.
  const bool is_first = thread == 0;
  const Source own = is_first ? first : second;
  const int along_k = is_first ? FIRST_ALONG_K : SECOND_ALONG_K;
  const long across = is_first ? sizes.rows : sizes.columns;
  if (thread < 2)
    make_map(map + thread * 128, own.at, along_k ? sizes.depth : across,
             along_k ? across : sizes.depth, own.ld, sizes.count, own.next,
             !along_k ? 64 : is_first ? ROWS : COLUMNS);
  asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
  global ulong *first_map = maps + get_group_id(0) * 32, *second_map = first_map + 16;
  publish_map(first_map, map);
  publish_map(second_map, map + 128);
  if (thread != 0) return;
  Place place = {0, 0};
  EACH_TILE(number, sizes) {
    const Tile tile = find_tile(number, &sizes);
    for (int step = tile.begin; step < tile.end; ++step) {
      barrier_wait(ring.empty + place.stage * 8, place.parity ^ 1);
      const uint full = ring.full + place.stage * 8, to = ring.stages + place.stage * STAGE_BYTES;
      barrier_arrive_and_expect(full, STAGE_BYTES);
      fetch_factor(to, second_map, SECOND_ALONG_K, COLUMNS, step * STEP, (int)(tile.q * COLUMNS),
                   second.next ? (int)tile.batch : 0, full);
      fetch_factor(to + SECOND_BYTES, first_map, FIRST_ALONG_K, ROWS, step * STEP,
                   (int)(tile.p * ROWS), first.next ? (int)tile.batch : 0, full);
      advance(&place);
    }
  }
}

// Where element (i, k) of a factor is.
INLINE global const FACTOR* element_at(Source source, int along_k, long batch, long i, long k) {
  return (global const FACTOR*)source.at + batch * source.next +
         (along_k ? i * source.ld + k : k * source.ld + i);
}

// The same where it cannot, by all of the producer.
INLINE void produce_by_hand(Ring ring, Source first, Source second, Sizes sizes, int thread) {
  Place place = {0, 0};
  EACH_TILE(number, sizes) {
    const Tile tile = find_tile(number, &sizes);
    const long i = tile.p * ROWS, j = tile.q * COLUMNS;
    for (int step = tile.begin; step < tile.end; ++step) {
      barrier_wait(ring.empty + place.stage * 8, place.parity ^ 1);
      const uint to = ring.stages + place.stage * STAGE_BYTES;
      const long k = (long)step * STEP;
      copy_factor(to, element_at(second, SECOND_ALONG_K, tile.batch, j, k), second.ld,
                  SECOND_ALONG_K, COLUMNS, sizes.columns - j, sizes.depth - k, thread);
      copy_factor(to + SECOND_BYTES, element_at(first, FIRST_ALONG_K, tile.batch, i, k), first.ld,
                  FIRST_ALONG_K, ROWS, sizes.rows - i, sizes.depth - k, thread);
      // What they wrote is for the matrix units, which read by another way.
      asm volatile(PTX("fence.proxy.async.shared::cta;") PTX("bar.sync 1, 128;")::: "memory");
      if (thread == 0) barrier_arrive(ring.full + place.stage * 8);
      advance(&place);
    }
  }
}

kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void product(
    global ulong* maps, global const uchar* first, long first_offset, long first_ld,
    long first_next, global const uchar* second, long second_offset, long second_ld,
    long second_next, global OUT* c, long offset, long ld, long next, long rows, long columns,
    long depth, long count, long parts, float alpha,
    float beta AFTER_ITEM_PARAMETERS AFTER_KERNEL_PARAMETERS) {
  // More local memory than OpenCL tells of is had by this declaration alone.
  asm volatile(PTX(".shared .align 1024 .b8 kiln_stages[" TEXT(LOCAL_BYTES) "];")
               PTX(".reg " SUM_REGISTERS " sum<" TEXT(SUM_COUNT) ">;"));
#if SPECIAL
  local RowVectors of_rows[2][2];  // of each consumer, for two tiles
#endif
  uint stages;
  asm volatile(PTX("mov.u32 %0, kiln_stages;") : "=r"(stages));
  const uint map = stages + STAGES * STAGE_BYTES;
  const Ring ring = {stages, map + 256, map + 256 + STAGES * 8};
  const int item = get_local_id(0), thread = item % 128, group = item / 128;
  Sizes sizes = {rows, columns, depth, count, parts, (rows + ROWS - 1) / ROWS,
                 (columns + COLUMNS - 1) / COLUMNS, 0};
  sizes.tiles = sizes.row_end * sizes.column_end * count * parts;
  if (item == 0) open_ring(ring, 2);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (group == 0) {
    asm volatile(PTX("setmaxnreg.dec.sync.aligned.u32 56;"));
    const Source x = {first + first_offset * SIZE, first_ld, first_next};
    const Source y = {second + second_offset * SIZE, second_ld, second_next};
    if ((((ulong)x.at | (ulong)y.at) & 15) != 0)
      produce_by_hand(ring, x, y, sizes, thread);
    else if (thread < 32)
      produce(maps, map, ring, x, y, sizes, thread);
    return;
  }
  asm volatile(PTX("setmaxnreg.inc.sync.aligned.u32 224;"));
  const int t = item % 4, own = (group - 1) * 64;
  Place place = {0, 0};
#if SPECIAL
  AFTER_FROM_PARAMETERS
  int turn = 0;  // so that a warp may be a tile ahead of another
#endif
  EACH_TILE(number, sizes) {
    const Tile tile = find_tile(number, &sizes);
    // Warps have 16 columns each; a lane has rows of one, and of the 8th after it.
    const long i0 = tile.p * ROWS, j0 = tile.q * COLUMNS + own + thread / 32 * 16 + item % 32 / 4;
#if SPECIAL
    const After of_tile = AFTER_OF_ITEM(tile.batch);
    local const RowVectors* vectors =
        load_rows(&of_rows[group - 1][turn], &of_tile, i0, rows, thread, group);
    turn ^= 1;
#endif
    int before = 0;
    for (int step = tile.begin; step < tile.end; ++step) {
      barrier_wait(ring.full + place.stage * 8, place.parity);
      const uint at = ring.stages + place.stage * STAGE_BYTES;
      const ulong y = descriptor(at + own / 64 * BLOCK_BYTES, SECOND_ALONG_K);
      const ulong x = descriptor(at + SECOND_BYTES, FIRST_ALONG_K);
      asm volatile(PTX("wgmma.fence.sync.aligned;")::: "memory");
#pragma unroll
      for (int k = 0; k < 4; ++k)
        multiply(y + k * NEXT(SECOND_ALONG_K), x + k * NEXT(FIRST_ALONG_K),
                 step - tile.begin + k);
      // The stage before this one is done with once one group of instructions is pending.
      asm volatile(PTX("wgmma.commit_group.sync.aligned;")
                   PTX("wgmma.wait_group.sync.aligned 1;")::: "memory");
      if (step > tile.begin && thread == 0) barrier_arrive(ring.empty + before * 8);
      before = place.stage;
      advance(&place);
    }
#if SPECIAL
    Finish finish[2] = {finish_of(&of_tile, vectors, i0, j0, columns),
                        finish_of(&of_tile, vectors, i0, j0 + 8, columns)};
    finish[1].wide = finish[0].wide;
#endif
    asm volatile(PTX("wgmma.wait_group.sync.aligned 0;")::: "memory");
    if (thread == 0) barrier_arrive(ring.empty + before * 8);
    SUM sums[SUM_COUNT];
#define TAKE(i) asm volatile(PTX("mov.b32 %0, sum" #i ";") : SUM_OPERAND(sums[i]));
    EACH_SUM(TAKE)
    global OUT* to = c + offset + tile.result * next + j0 * ld + i0;
    // The same for all lanes: where a column lies well, all do.
    const bool wide = ld % (WIDE_BYTES / (int)sizeof(OUT)) == 0 &&
                      ((ulong)to & (WIDE_BYTES - 1)) == 0;
    const bool is_inside = wide && i0 + ROWS <= rows && (tile.q + 1) * COLUMNS <= columns;
    // Where there is nothing to ask on the way, a whole tile goes without branches, so that what
    // becomes of its elements overlaps.
#if SPECIAL
    const bool whole = is_inside && beta == 0 && (!RESIDUAL || finish[0].wide);
#define SCALARS(alpha, beta, factor) alpha, beta, factor, finish + side
#elif RESULT == 3
    // Integers then stay as they are, too.
    const bool whole = is_inside && alpha == 1 && beta == 0;
#define SCALARS(alpha, beta, factor) alpha, beta
#elif RESULT == 4
    const bool whole = is_inside;
    const Modulus modulus = moduli[tile.batch];
#define SCALARS(alpha, beta, factor) &modulus
#else
    const bool whole = false;
#define SCALARS(alpha, beta, factor) alpha, beta
#endif
#define STORE(rows, wide, alpha, beta, factor)                                 \
  _Pragma("unroll") for (int first = 0; first < ROWS; first += PIECE)          \
      _Pragma("unroll") for (int side = 0; side < 2; ++side)                   \
          store_piece(to + side * 8 * ld, first, rows, wide, sums + side * 2, t, \
                      SCALARS(alpha, beta, factor));
    if (whole) {
#if RESULT == 3
      _Pragma("unroll") for (int pair = 0; pair < SUM_COUNT / 2; ++pair)
        *(global OUT2*)(to + pair % 2 * 8 * ld + pair / 2 * 8 + t * 2) =
            (OUT2)(sums[pair * 2], sums[pair * 2 + 1]);
#else
      STORE(ROWS, true, 1, 0, alpha)
#endif
    } else {
      STORE(j0 + side * 8 < columns ? rows - i0 : 0, wide, alpha, beta, 1)
    }
  }
}

// Adds the results of `parts` parts each, which lie one after another without gaps, into C.
kernel void gather(global const SUM* from, long parts, global OUT* c, long offset, long ld,
                   long next, long rows, long columns, long count, float alpha,
                   float beta AFTER_ITEM_PARAMETERS AFTER_KERNEL_PARAMETERS) {
  const long elements = rows * columns;
  for (long e = get_global_id(0); e < elements * count; e += get_global_size(0)) {
    const long item = e / elements, i = e % elements % rows, j = e % elements / rows;
    WIDE sum = 0;
    for (long part = 0; part < parts; ++part)
      sum += from[(item * parts + part) * elements + e % elements];
    global OUT* at = c + offset + item * next + j * ld + i;
#if RESULT == 4
    const Modulus modulus = moduli[item];
    *at = (uchar)remainder_by(&modulus, sum);
#else
    WIDE value = blended(sum, beta != 0 ? *at : (OUT)0, alpha, beta);
#if SPECIAL
    AFTER_FROM_PARAMETERS
    value = finished(value, AFTER_OF_ITEM(item), i, j, 1);
#endif
    *at = to_out(value);
#endif
  }
}
//===== matrix_unit_factors =====
// Copies of factors that the copy engine cannot fetch from where they lie: matrices of FACTORs,
// `lines` lines of `length` elements that begin `ld` elements apart, `next` from one item to the
// next. The copies' lines begin `to_ld` elements apart, without gaps between the items.

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void copy_lines(
    global const FACTOR* from, long offset, long ld, long next, long length, long lines,
    long items, global FACTOR* to, long to_ld) {
  for (long i = get_global_id(1); i < lines * items; i += get_global_size(1)) {
    global const FACTOR* line = from + offset + i / lines * next + i % lines * ld;
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
    global const FACTOR* from, long offset, long ld, long next, long length, long lines,
    long items, global FACTOR* to, long to_ld) {
  local uint square[64][17];
  const int x = get_local_id(0) % 16, y = get_local_id(0) / 16;
  const long i0 = get_group_id(0) * 64, across = (lines + 63) / 64;
  for (long s = get_global_id(1); s < across * items; s += get_global_size(1)) {
    const long item = s / across, l0 = s % across * 64;
    uint rows[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const long line = l0 + y * 4 + r, i = i0 + x * 4;
      global const FACTOR* at = from + offset + item * next + line * ld + i;
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
