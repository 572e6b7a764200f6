// What kernels share whose work-groups ("teams", of one work-item, on CPUs) take tasks from one
// list. `state` is zero before and after: [taken] how many tasks are, [ended] how many teams, and
// from [counters] on what the kernel counts.
//
// A task may wait for others, but only for such as stand before it in the list: they have been
// taken by teams that run, as a work-group of a CPU runs to its end once begun. So one always goes
// on, also where the device runs its work-groups one after another.
#if defined(__x86_64__) || defined(__i386__)
#define FENCE() __asm__ volatile("" ::: "memory")  // the machine keeps the order by itself
#define PAUSE() __asm__ volatile("pause" ::: "memory")
#elif defined(__aarch64__)
#define FENCE() __asm__ volatile("dmb ish" ::: "memory")
#define PAUSE() __asm__ volatile("yield" ::: "memory")
#else
#define FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#define PAUSE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif

enum { taken = 0, ended = 16, counters = 32 };  // on cache lines of their own

inline void wait_for(volatile global int* counter, int value) {
  while (*counter < value) PAUSE();
  FENCE();
}
inline void announce(volatile global int* counter) {
  FENCE();
  atomic_inc(counter);
}
