// Level 3 on GPUs: how the panels of a product get into local memory, by the work-items that multiply
// them (product_copies) or by a warp of its own (product_producer). Each has what product_walk
// (gpu_product.cl) is put around: STREAM_PARAMETERS, OPEN_STAGES, EACH_WORK, WALK and JOIN_PARTS.
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== product_copies =====
// How panels get into local memory by the work-items that multiply them: while they are at one stage,
// the copies of the next ones are on their way.
#if ASYNC
// 16 bytes from global to local memory, past the registers.
inline void copy_16(local PANEL* to, global const PANEL* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint)(ulong)to), "l"(from) : "memory");
}
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define ARRIVED(stages) asm volatile("cp.async.wait_group %0;" ::"n"((stages) - 2) : "memory")
#else
inline void copy_16(local PANEL* to, global const PANEL* from) {
  *(local float4*)to = *(global const float4*)from;
}
#define COMMIT()
#define ARRIVED(stages)
#endif

// Copies `lines` lines of `width` reals that lie side by side.
inline void copy_lines(local PANEL* to, global const PANEL* from, int lines, int width, int line,
                       int item) {
  const int chunks = width / REALS_16;
#pragma unroll
  for (int chunk = item; chunk < lines * chunks; chunk += THREADS)
    copy_16(to + chunk / chunks * line + chunk % chunks * REALS_16, from + chunk * REALS_16);
}

#define GROUP_SIZE THREADS
#define STREAM_PARAMETERS
#define JOIN_PARTS
#define EACH_WORK \
  for (bool more = find_part(get_group_id(0), &sizes, &work); more; more = false)
#define OPEN_STAGES                                                    \
  local PANEL __attribute__((aligned(16))) stages_a[STAGES * STAGE_A]; \
  local PANEL __attribute__((aligned(16))) stages_b[STAGES * STAGE_B];
#define FETCH(step)                                                                             \
  {                                                                                             \
    copy_lines(stages_a + (step) % STAGES * STAGE_A, x + (long)(step)*STEP * ROWS * PARTS,       \
               STEP * PARTS, ROWS, LINE_A, item);                                               \
    copy_lines(stages_b + (step) % STAGES * STAGE_B,                                            \
               y + (long)(step)*STEP * COLUMNS * PARTS, STEP * PARTS, COLUMNS, LINE_B,          \
               item);                                                                           \
  }
#define WALK                                                                                     \
  global const PANEL *x = FIRST_PLACE, *y = SECOND_PLACE;                                        \
  for (int step = 0; step < STAGES - 1; ++step) {                                                \
    if (step < steps) FETCH(step)                                                                \
    COMMIT();                                                                                    \
  }                                                                                              \
  for (int step = 0; step < steps; ++step) {                                                     \
    ARRIVED(STAGES);                                                                             \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                \
    if (step + STAGES - 1 < steps) FETCH(step + STAGES - 1)                                      \
    COMMIT();                                                                                    \
    TILE_STEP(stages_a + step % STAGES * STAGE_A, stages_b + step % STAGES * STAGE_B)            \
  }
//===== product_producer =====
// How panels get into local memory on Hopper: by the copy engine, which a warp of its own, the
// producer, keeps busy (cp.async.bulk). The stages are a ring with barriers (the template
// copy_barriers): no warp waits for another one's arithmetic. Behind
// marks, as more local memory than OpenCL tells of is (kernel/program/marked_assembly.hpp).
//
// A work-group stays for one tile after another, so that the panels of the next one come while it
// writes a result. `items` of a batch have all their tiles in one row; `whole` of them are computed
// whole, of the others the steps are shared out.
#define GROUP_SIZE (THREADS + 32)
#define BYTES(reals) ((reals) * (int)sizeof(PANEL))
#define STAGE_BYTES BYTES(STAGE_A + STAGE_B)
INLINE void sync_warp() { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }

INLINE void fetch(uint to, global const PANEL* from, int reals, uint barrier) {
  asm volatile(
      PTX("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];")
      ::"r"(to), "l"(from), "r"(BYTES(reals)), "r"(barrier) : "memory");
}
// A stage's lines of `width` reals, which local memory has `line` apart: at once where it has no
// gaps. By a warp.
INLINE void fetch_lines(uint to, global const PANEL* from, int width, int line, int lane,
                        uint barrier) {
  if (line == width) {
    if (lane == 0) fetch(to, from, STEP * PARTS * width, barrier);
  } else {
    for (int l = lane; l < STEP * PARTS; l += 32)
      fetch(to + BYTES(l * line), from + l * width, width, barrier);
  }
}

// What a work-group of the kernel computes: every get_num_groups(0)-th of the first `whole` parts of
// tiles, then its share of the steps of all tiles behind these, the streamed ones: as many steps as
// the other groups have, from the last one back to the first. Shares are by the order in which groups
// have begun, `turn`.
typedef struct {
  int number, whole, streamed, turn, begin, end;
} Stream;
INLINE Stream open_stream(const Sizes* sizes, int items, int whole, int turn) {
  const int groups = get_num_groups(0);
  const int streamed = max(sizes->row_end * sizes->column_end * items - whole, 0) * sizes->steps;
  const Stream stream = {get_group_id(0), whole, streamed, turn,
                         (int)((long)streamed * turn / groups),
                         (int)((long)streamed * (turn + 1) / groups)};
  return stream;
}
// How many groups have begun before, where there are counts. Starts again at 0 after the last.
INLINE int take_turn(global uint* counts) {
  uint turn = get_group_id(0);
  if (counts)
    asm volatile("atom.global.inc.u32 %0, [%1], %2;"
                 : "=r"(turn) : "l"(counts), "r"((uint)get_num_groups(0) - 1) : "memory");
  return turn;
}
// The turn that has a step.
INLINE int turn_of(int step, const Stream* stream) {
  return (int)(((step + 1) * (long)get_num_groups(0) - 1) / stream->streamed);
}
// The next work of a work-group; false where there is none.
INLINE bool next_work(Stream* stream, const Sizes* sizes, Work* work) {
  while (stream->number < stream->whole) {
    const bool found = find_part(stream->number, sizes, work);
    stream->number += get_num_groups(0);
    if (found) return true;
  }
  if (stream->begin >= stream->end) return false;
  const int number = (stream->end - 1) / sizes->steps, first = number * sizes->steps;
  find_part(stream->whole + number, sizes, work);
  work->number = number;
  work->from = max(stream->begin - first, 0);
  work->to = stream->end - first;
  const int first_turn = turn_of(first, stream);
  work->part = stream->turn - first_turn;
  work->parts = turn_of(first + sizes->steps - 1, stream) - first_turn + 1;
  stream->end = first + work->from;
  return true;
}

// Joins the parts of a tile: the group that has the last one adds the sums of the others to its own, in
// the order of the parts, and returns true; they have left theirs in `sums`, each of one tile at most.
// It waits for groups that have begun before it, and that have their part of the tile to do before
// they may have to wait themselves: their shares end in it. `count`: how many have left their sums; 0
// again in the end.
#define CHUNKS (ROWS * COLUMNS * PARTS / THREADS / REALS_16)
INLINE void sync_consumers() { asm volatile("bar.sync 1, " TEXT(THREADS) ";" ::: "memory"); }
INLINE bool join_parts(PANEL* own, global uint4* sums, global uint* count, const Work* work, int turn,
                       int item) {
  sums += item;
  if (work->part != work->parts - 1) {
    sums += turn * (CHUNKS * THREADS);
#pragma unroll
    for (int chunk = 0; chunk < CHUNKS; ++chunk) {
      PANEL reals[REALS_16];
#pragma unroll
      for (int e = 0; e < REALS_16; ++e) reals[e] = own[chunk * REALS_16 + e];
      sums[chunk * THREADS] = *(uint4*)reals;
    }
    sync_consumers();
    if (item == 0) {
      asm volatile("fence.acq_rel.gpu;" ::: "memory");
      asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(count) : "memory");
    }
    return false;
  }
  if (item == 0) {
    uint left;
    do
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(left) : "l"(count) : "memory");
    while (left != work->parts - 1);
    *count = 0;
  }
  sync_consumers();
  sums += (turn - work->part) * (CHUNKS * THREADS);
#pragma unroll 1
  for (int part = 0; part < work->part; ++part) {
#pragma unroll
    for (int chunk = 0; chunk < CHUNKS; ++chunk) {
      PANEL reals[REALS_16];
      *(uint4*)reals = sums[chunk * THREADS];
#pragma unroll
      for (int e = 0; e < REALS_16; ++e) own[chunk * REALS_16 + e] += reals[e];
    }
    sums += CHUNKS * THREADS;
  }
  return true;
}

// Fetches all steps of a work; returns where in the ring it has come to.
INLINE Place produce(Ring ring, Place place, global const PANEL* first, global const PANEL* second,
                     int steps, int lane) {
  for (int step = 0; step < steps; ++step) {
    const uint full = ring.full + place.stage * 8, to = ring.stages + place.stage * STAGE_BYTES;
    barrier_wait(ring.empty + place.stage * 8, place.parity ^ 1);
    if (lane == 0) barrier_arrive_and_expect(full, BYTES(STEP * PARTS * (ROWS + COLUMNS)));
    sync_warp();
    fetch_lines(to, first, ROWS, LINE_A, lane, full);
    fetch_lines(to + BYTES(STAGE_A), second, COLUMNS, LINE_B, lane, full);
    first += STEP * PARTS * ROWS;
    second += STEP * PARTS * COLUMNS;
    advance(&place);
  }
  return place;
}

#define OPEN_STAGES                                                                              \
  asm volatile(PTX(".shared .align 128 .b8 kiln_stages[" TEXT(LOCAL_BYTES) "];"));               \
  uint stages;                                                                                   \
  asm volatile(PTX("mov.u32 %0, kiln_stages;") : "=r"(stages));                                  \
  const uint behind = stages + STAGES * STAGE_BYTES;                                             \
  const Ring ring = {stages, behind, behind + STAGES * 8};                                       \
  local int turn;                                                                                \
  if (item == 0) {                                                                               \
    open_ring(ring, THREADS / 32);                                                               \
    turn = take_turn(counts);                                                                    \
  }                                                                                              \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                  \
  Place place = {0, 0};                                                                          \
  Stream stream = open_stream(&sizes, items, whole, turn);                                       \
  if (item >= THREADS) {                                                                         \
    Work work;                                                                                   \
    while (next_work(&stream, &sizes, &work))                                                    \
      place = produce(ring, place, FIRST_PLACE, SECOND_PLACE, work.to - work.from, item - THREADS); \
    return;                                                                                      \
  }
#define STREAM_PARAMETERS , int items, int whole, global uint* counts
#define EACH_WORK while (next_work(&stream, &sizes, &work))
#define JOIN_PARTS                                                                               \
  if (work.parts > 1 && !join_parts((PANEL*)acc, (global uint4*)sums, counts + 1 + work.number,  \
                                    &work, stream.turn, item))                                   \
    continue;
#define WALK                                                                                     \
  for (int step = 0; step < steps; ++step) {                                                     \
    barrier_wait(ring.full + place.stage * 8, place.parity);                                     \
    local const PANEL* stage =                                                                   \
        (local const PANEL*)(ulong)(ring.stages + place.stage * STAGE_BYTES);                    \
    TILE_STEP(stage, stage + STAGE_A)                                                            \
    sync_warp();                                                                                 \
    if (item % 32 == 0) barrier_arrive(ring.empty + place.stage * 8);                            \
    advance(&place);                                                                             \
  }
