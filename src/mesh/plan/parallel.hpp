#pragma once

#include <tbb/parallel_for.h>

#include <cstddef>

#if defined(__SANITIZE_THREAD__)
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#endif

namespace kiln::mesh {

/// body(i) for each i below `count`, in any order, on the threads of the caller's arena; returns
/// when all are done. Throws what one of them throws. `partitioner`: one of TBB's, or none.
template <class Body, class... Partitioner>
void for_each_in_parallel(std::size_t count, const Body& body, const Partitioner&... partitioner) {
#if defined(__SANITIZE_THREAD__)
  // TBB's library is not instrumented: ThreadSanitizer cannot see what it orders, and would report
  // everything. Threads of our own show the same bodies at the same time.
  ((void)partitioner, ...);
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < count;) try {
        body(i);
      } catch (...) {
        next = count;
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
      }
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < count && i < 4; ++i) others.emplace_back(work);
  work();
  for (auto& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
#else
  tbb::parallel_for(std::size_t{0}, count, body, partitioner...);
#endif
}

}  // namespace kiln::mesh
