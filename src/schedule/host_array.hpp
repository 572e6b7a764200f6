#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "base/bytes.hpp"

namespace kiln {

/// Host memory that CPU devices use without a copy: aligned to a page, zero-filled. Movable only.
class HostArray {
 public:
  HostArray() = default;
  /// Throws std::bad_alloc.
  explicit HostArray(std::size_t bytes) : size_(bytes) {
    const std::size_t rounded = (bytes + page - 1) / page * page;
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(page, rounded ? rounded : page)));
    if (!memory_) throw std::bad_alloc();
    std::memset(memory_.get(), 0, size_);
  }
  std::byte* data() { return memory_.get(); }
  const std::byte* data() const { return memory_.get(); }
  std::size_t size() const { return size_; }
  std::span<std::byte> span() { return {data(), size_}; }
  ByteView view() const { return {data(), size_}; }
  bool empty() const { return size_ == 0; }

 private:
  static constexpr std::size_t page = 4096;
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t size_ = 0;
};

}  // namespace kiln
