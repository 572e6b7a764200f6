#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "base/data/bytes.hpp"

namespace kiln {

/// The system's huge pages; arrays and buffers from this size on gain by them.
constexpr std::size_t large_page = std::size_t{2} << 20;

/// Host memory that CPU devices use without a copy: aligned to a page; or memory of the
/// application. Movable only. Large arrays ask for the system's huge pages: kernels with irregular
/// accesses would otherwise spend most of their time on TLB misses, and pages take four times as
/// long to be set aside.
class HostArray {
 public:
  HostArray() = default;
  /// Zeros. Throws std::bad_alloc.
  explicit HostArray(std::size_t bytes) : HostArray(undefined(bytes)) {
    std::memset(memory_.get(), 0, size_);
  }
  /// The same without contents: pages that are never written cost nothing.
  static HostArray undefined(std::size_t bytes) {
    const std::size_t unit = bytes >= large_page ? large_page : page;
    // More than this is more than any memory, and would wrap round below.
    if (bytes > static_cast<std::size_t>(PTRDIFF_MAX)) throw std::bad_alloc();
    const std::size_t rounded = (bytes + unit - 1) / unit * unit;
    HostArray made;
    made.size_ = bytes;
    made.memory_.reset(static_cast<std::byte*>(std::aligned_alloc(unit, rounded ? rounded : unit)),
                       Free());
    if (!made.memory_) throw std::bad_alloc();
    // A wish: the system may have none. Before the first touch, which decides.
    if (unit == large_page) ::madvise(made.memory_.get(), rounded, MADV_HUGEPAGE);
    return made;
  }
  /// Memory that `owner` keeps (null: the caller sees to it).
  static HostArray borrowed(std::span<std::byte> memory, std::shared_ptr<void> owner) {
    HostArray made;
    made.size_ = memory.size();
    made.memory_ = {std::move(owner), memory.data()};
    return made;
  }
  static HostArray copy_of(ByteView contents) {
    HostArray copy = undefined(contents.size());
    std::memcpy(copy.data(), contents.data(), contents.size());
    return copy;
  }
  std::byte* data() { return memory_.get(); }
  const std::byte* data() const { return memory_.get(); }
  std::size_t size() const { return size_; }
  std::span<std::byte> span() { return {data(), size_}; }
  ByteView view() const { return {data(), size_}; }
  bool empty() const { return size_ == 0; }
  /// The memory, for those who may need it longer.
  std::shared_ptr<std::byte> shared() const { return memory_; }

  HostArray(HostArray&& other) noexcept
      : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
  HostArray& operator=(HostArray&& other) noexcept {
    memory_ = std::move(other.memory_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

 private:
  static constexpr std::size_t page = 4096;
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::shared_ptr<std::byte> memory_;
  std::size_t size_ = 0;
};

}  // namespace kiln
