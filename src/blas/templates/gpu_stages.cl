// Level 3 on GPUs: how the panels of a product get into local memory, by the work-items that multiply
// them (product_copies) or by a warp of its own (product_producer). Each has OPEN_STAGES and WALK, what
// product_walk (gpu_product.cl) is put around.
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
#define OPEN_STAGES                                                    \
  local PANEL __attribute__((aligned(16))) stages_a[STAGES * STAGE_A]; \
  local PANEL __attribute__((aligned(16))) stages_b[STAGES * STAGE_B];
#define FETCH(step)                                                                             \
  {                                                                                             \
    copy_lines(stages_a + (step) % STAGES * STAGE_A, first + (long)(step)*STEP * ROWS * PARTS,   \
               STEP * PARTS, ROWS, LINE_A, item);                                               \
    copy_lines(stages_b + (step) % STAGES * STAGE_B,                                            \
               second + (long)(step)*STEP * COLUMNS * PARTS, STEP * PARTS, COLUMNS, LINE_B,     \
               item);                                                                           \
  }
#define WALK                                                                                     \
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
// producer, keeps busy (cp.async.bulk). Each stage has two barriers, which tell that it is full and
// that it is empty (the template copy_barriers): no warp waits for another one's arithmetic. Behind
// marks, as more local memory than OpenCL tells of is (kernel/program/marked_assembly.hpp).
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

// A stage's place in the ring of them, with its barriers, and how often the ring has been gone
// round, modulo 2.
typedef struct {
  uint stage, full, empty;
  int number;
  uint parity;
} Place;
INLINE Place first_place(uint ring) {
  const Place place = {ring, ring + STAGES * STAGE_BYTES, ring + STAGES * (STAGE_BYTES + 8), 0, 0};
  return place;
}
INLINE void advance(Place* place) {
  place->stage += STAGE_BYTES, place->full += 8, place->empty += 8;
  if (++place->number < STAGES) return;
  place->stage -= STAGES * STAGE_BYTES, place->full -= STAGES * 8, place->empty -= STAGES * 8;
  place->number = 0, place->parity ^= 1;
}

INLINE void produce(uint ring, global const PANEL* first, global const PANEL* second, int steps,
                    int lane) {
  Place place = first_place(ring);
  for (int step = 0; step < steps; ++step) {
    barrier_wait(place.empty, place.parity ^ 1);
    if (lane == 0)
      barrier_arrive_and_expect(place.full, BYTES(STEP * PARTS * (ROWS + COLUMNS)));
    sync_warp();
    fetch_lines(place.stage, first, ROWS, LINE_A, lane, place.full);
    fetch_lines(place.stage + BYTES(STAGE_A), second, COLUMNS, LINE_B, lane, place.full);
    first += STEP * PARTS * ROWS;
    second += STEP * PARTS * COLUMNS;
    advance(&place);
  }
}

#define OPEN_STAGES                                                                              \
  asm volatile(PTX(".shared .align 128 .b8 kiln_stages[" TEXT(LOCAL_BYTES) "];"));               \
  uint ring;                                                                                     \
  asm volatile(PTX("mov.u32 %0, kiln_stages;") : "=r"(ring));                                    \
  if (item == 0) {                                                                               \
    const Place place = first_place(ring);                                                       \
    for (int s = 0; s < STAGES; ++s) {                                                           \
      barrier_init(place.full + s * 8, 1);                                                       \
      barrier_init(place.empty + s * 8, THREADS / 32);                                           \
    }                                                                                            \
    asm volatile(PTX("fence.proxy.async.shared::cta;")::: "memory");                             \
  }                                                                                              \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                  \
  if (item >= THREADS) {                                                                         \
    produce(ring, first, second, steps, item - THREADS);                                         \
    return;                                                                                      \
  }
#define WALK                                                                                     \
  Place place = first_place(ring);                                                               \
  for (int step = 0; step < steps; ++step) {                                                     \
    barrier_wait(place.full, place.parity);                                                      \
    local const PANEL* stage = (local const PANEL*)(ulong)place.stage;                           \
    TILE_STEP(stage, stage + STAGE_A)                                                            \
    sync_warp();                                                                                 \
    if (item % 32 == 0) barrier_arrive(place.empty);                                             \
    advance(&place);                                                                             \
  }
