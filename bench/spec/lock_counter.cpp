#include "spec/lock_counter.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>

namespace kiln::bench {

namespace {
std::atomic<std::uint64_t> taken{0};

/// The system's function of a name, which comes after this program's in the order of look-up.
template <class Function>
Function* next(std::atomic<Function*>& known, const char* name) {
  taken.fetch_add(1, std::memory_order_relaxed);
  Function* found = known.load(std::memory_order_relaxed);
  if (found == nullptr) {
    found = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
    known.store(found, std::memory_order_relaxed);
  }
  return found;
}
}  // namespace

std::uint64_t locks_taken() { return taken.load(std::memory_order_relaxed); }

}  // namespace kiln::bench

// Atomics that are initialised as constants: the first call may come before any constructor.
#define KILN_COUNTED(name, argument)                                                    \
  extern "C" __attribute__((visibility("default"))) int name(argument* lock) noexcept { \
    static constinit std::atomic<int (*)(argument*)> known{nullptr};                    \
    return kiln::bench::next(known, #name)(lock);                                       \
  }
KILN_COUNTED(pthread_mutex_lock, pthread_mutex_t)
KILN_COUNTED(pthread_mutex_trylock, pthread_mutex_t)
KILN_COUNTED(pthread_rwlock_rdlock, pthread_rwlock_t)
KILN_COUNTED(pthread_rwlock_wrlock, pthread_rwlock_t)
KILN_COUNTED(pthread_spin_lock, pthread_spinlock_t)
