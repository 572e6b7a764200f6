#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "base/data/bytes.hpp"

namespace kiln {

/// Host memory that CPU devices use without a copy: aligned to a page, zero-filled. Movable only.
/// Large arrays ask for the system's huge pages: kernels with irregular accesses would otherwise
/// spend most of their time on TLB misses.
class HostArray {
 public:
  HostArray() = default;
  /// Throws std::bad_alloc.
  explicit HostArray(std::size_t bytes) : size_(bytes) {
    const std::size_t unit = bytes >= large_page ? large_page : page;
    // More than this is more than any memory, and would wrap round below.
    if (bytes > static_cast<std::size_t>(PTRDIFF_MAX)) throw std::bad_alloc();
    const std::size_t rounded = (bytes + unit - 1) / unit * unit;
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(unit, rounded ? rounded : unit)));
    if (!memory_) throw std::bad_alloc();
    // A wish: the system may have none. Before the first touch, which decides.
    if (unit == large_page) ::madvise(memory_.get(), rounded, MADV_HUGEPAGE);
    std::memset(memory_.get(), 0, size_);
  }
  static HostArray copy_of(ByteView contents) {
    HostArray copy(contents.size());
    std::memcpy(copy.data(), contents.data(), contents.size());
    return copy;
  }
  std::byte* data() { return memory_.get(); }
  const std::byte* data() const { return memory_.get(); }
  std::size_t size() const { return size_; }
  std::span<std::byte> span() { return {data(), size_}; }
  ByteView view() const { return {data(), size_}; }
  bool empty() const { return size_ == 0; }

 private:
  static constexpr std::size_t page = 4096, large_page = std::size_t{2} << 20;
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t size_ = 0;
};

}  // namespace kiln
