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
// producer, keeps busy (cp.async.bulk). The stages are a ring with barriers (the template
// copy_barriers): no warp waits for another one's arithmetic. Behind
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

INLINE void produce(Ring ring, global const PANEL* first, global const PANEL* second, int steps,
                    int lane) {
  Place place = {0, 0};
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
}

#define OPEN_STAGES                                                                              \
  asm volatile(PTX(".shared .align 128 .b8 kiln_stages[" TEXT(LOCAL_BYTES) "];"));               \
  uint stages;                                                                                   \
  asm volatile(PTX("mov.u32 %0, kiln_stages;") : "=r"(stages));                                  \
  const uint behind = stages + STAGES * STAGE_BYTES;                                             \
  const Ring ring = {stages, behind, behind + STAGES * 8};                                       \
  if (item == 0) open_ring(ring, THREADS / 32);                                                  \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                  \
  if (item >= THREADS) {                                                                         \
    produce(ring, first, second, steps, item - THREADS);                                         \
    return;                                                                                      \
  }
#define WALK                                                                                     \
  Place place = {0, 0};                                                                          \
  for (int step = 0; step < steps; ++step) {                                                     \
    barrier_wait(ring.full + place.stage * 8, place.parity);                                     \
    local const PANEL* stage =                                                                   \
        (local const PANEL*)(ulong)(ring.stages + place.stage * STAGE_BYTES);                    \
    TILE_STEP(stage, stage + STAGE_A)                                                            \
    sync_warp();                                                                                 \
    if (item % 32 == 0) barrier_arrive(ring.empty + place.stage * 8);                            \
    advance(&place);                                                                             \
  }
