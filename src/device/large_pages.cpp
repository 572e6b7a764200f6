#include "device/large_pages.hpp"

#include <sys/mman.h>

#include <memory>

namespace kiln {
namespace {

/// Pages that are mapped from a border of large pages on.
struct Pages {
  void* const at;
  const std::size_t bytes;

  Pages(void* begin, std::size_t size) : at(begin), bytes(size) {}
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { munmap(at, bytes); }
};

std::unique_ptr<Pages> map_pages(std::size_t bytes) {
  bytes = (bytes + large_page - 1) / large_page * large_page;
  const std::size_t more = bytes + large_page;
  void* mapped = mmap(nullptr, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw cl::Error(CL_MEM_OBJECT_ALLOCATION_FAILURE, "mmap");
  // What lies before the border and behind the end goes back.
  char* const first = static_cast<char*>(mapped);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(mapped) % large_page;
  if (before > 0) munmap(first, before);
  munmap(first + before + bytes, more - before - bytes);
  madvise(first + before, bytes, MADV_HUGEPAGE);
  return std::make_unique<Pages>(first + before, bytes);
}

void CL_CALLBACK forget(cl_mem, void* pages) { delete static_cast<Pages*>(pages); }

}  // namespace

cl::Buffer large_page_buffer(const Context& context, std::size_t bytes) {
  auto pages = map_pages(bytes);
  cl::Buffer buffer(context.cl(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, pages->at);
  buffer.setDestructorCallback(forget, pages.get());
  (void)pages.release();  // the callback's now
  return buffer;
}

}  // namespace kiln
