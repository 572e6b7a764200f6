// What the forms of the product for GPUs share: the walk over the panels through local memory, and
// the writing of the result. `product` has the panels, then the arguments from `c` to `range` as
// product_tasks.cl has them.
//
// A work-group computes a tile of ROWS x COLUMNS with THREADS work-items. STEP columns of both
// panels at a time are in local memory, STAGES of them: while one is computed on, the others are on
// their way. A line of local memory is PAD reals longer than it need be, against bank conflicts.
#define LINE_A (ROWS + PAD)
#define LINE_B (COLUMNS + PAD)
#define STAGE_A (STEP * PARTS * LINE_A)
#define STAGE_B (STEP * PARTS * LINE_B)
#define REALS_16 (16 / (int)sizeof(REAL))

#if ASYNC
// 16 bytes from global to local memory, past the registers.
inline void copy_16(local REAL* to, global const REAL* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint)(ulong)to), "l"(from) : "memory");
}
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define ARRIVED(stages) asm volatile("cp.async.wait_group %0;" ::"n"((stages) - 2) : "memory")
#else
inline void copy_16(local REAL* to, global const REAL* from) {
  *(local float4*)to = *(global const float4*)from;
}
#define COMMIT()
#define ARRIVED(stages)
#endif

// Copies `lines` lines of `width` reals that lie side by side.
inline void copy_lines(local REAL* to, global const REAL* from, int lines, int width, int line,
                       int item) {
  const int chunks = width / REALS_16;
#pragma unroll
  for (int chunk = item; chunk < lines * chunks; chunk += THREADS)
    copy_16(to + chunk / chunks * line + chunk % chunks * REALS_16, from + chunk * REALS_16);
}

// Writes one element of the result: alpha value + beta old, where the triangle has it.
inline void put_result(global T* c, long ld, long i, long j, long rows, long columns, T value,
                       T alpha, T beta, int triangle, int hermitian) {
  if (i >= rows || j >= columns || (triangle == 1 && i < j) || (triangle == 2 && i > j)) return;
  global T* at = c + j * ld + i;
  value = mul(alpha, value);
  const bool real = hermitian && i == j;  // what stands there for an imaginary part is not read
  if (!is_zero(beta)) value = mul_add(beta, real ? real_part(*at) : *at, value);
  if (real) value = real_part(value);
  *at = value;
}

// Which tile a work-group computes: strips of 8 columns of tiles, so that the work-groups of one
// moment share panels in the cache.
inline void find_tile(long group, long row_end, long column_end, long* p, long* q) {
  const long strip = group / (row_end * 8) * 8, width = min(8L, column_end - strip);
  const long inside = group - strip * row_end;
  *p = inside / width;
  *q = strip + inside % width;
}
