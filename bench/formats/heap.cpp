#include "formats/heap.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace kiln::bench {

namespace {

/// Signed: what was taken before the count began may be given back during it.
struct Count {
  bool on = false;
  std::ptrdiff_t held = 0, most = 0;
};
thread_local constinit Count count;

}  // namespace

std::size_t heap_peak(const std::function<void()>& work) {
  count = {.on = true};
  work();
  count.on = false;
  return static_cast<std::size_t>(count.most);
}

}  // namespace kiln::bench

void* operator new(std::size_t size) {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  auto& count = kiln::bench::count;
  if (count.on) {
    // What malloc really gave: a request is rounded up.
    count.held += static_cast<std::ptrdiff_t>(::malloc_usable_size(memory));
    count.most = std::max(count.most, count.held);
  }
  return memory;
}

void operator delete(void* memory) noexcept {
  auto& count = kiln::bench::count;
  if (count.on) count.held -= static_cast<std::ptrdiff_t>(::malloc_usable_size(memory));
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept { ::operator delete(memory); }
