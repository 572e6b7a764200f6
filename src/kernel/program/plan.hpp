#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/bytes.hpp"
#include "device/host_array.hpp"
#include "kiln/error.hpp"

// Plans: what a launch needs beyond the program and is dear to compute.
namespace kiln {

/// What a launch needs beyond the program and is dear to compute: named arrays, 64-byte aligned,
/// in one block of memory. Immutable once made; thread-safe.
///
/// Block (little endian): "KPLN" u32:count, then per array u32:name length, name, u64:offset,
/// u64:bytes; then the arrays, each at a multiple of 64 from the block's start.
class Plan {
 public:
  /// The array of a name; throws not_found, or corrupt where its size is no multiple of T's.
  template <class T>
  std::span<const T> array(std::string_view name) const {
    const ByteView bytes = find(name);
    if (bytes.size() % sizeof(T) != 0)
      throw Error(Errc::corrupt, "plan array " + std::string(name) + " has a broken size");
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  /// The whole block: what the store keeps.
  ByteView block() const { return {block_.data(), size_}; }

  /// Copies the bytes into aligned memory; every offset and size is checked.
  static Expected<std::shared_ptr<const Plan>> from_block(ByteView block);

 private:
  friend class PlanDraft;
  struct Array {
    std::string name;
    std::uint64_t offset, bytes;
  };
  Plan() = default;
  ByteView find(std::string_view name) const;
  HostArray block_;
  std::size_t size_ = 0;  ///< of what is used of it
  std::vector<Array> arrays_;
};
using PlanPtr = std::shared_ptr<const Plan>;

/// A Plan whose arrays are filled where they will lie, for arrays that are too large to be made
/// elsewhere and copied. Not thread-safe; different arrays, and different parts of one, may be
/// written by different threads.
class PlanDraft {
 public:
  struct Array {
    std::string name;
    std::size_t bytes = 0;
  };
  /// Allocates the memory; pages that are never written cost nothing. The contents are undefined.
  explicit PlanDraft(std::span<const Array> arrays);

  /// The array at a place in the order given.
  std::span<std::byte> bytes(std::size_t place);
  template <class T>
  std::span<T> array(std::size_t place) {
    const auto memory = bytes(place);
    return {reinterpret_cast<T*>(memory.data()), memory.size() / sizeof(T)};
  }
  /// An array turned out to be smaller than it might have been. Those after it move: they must not
  /// have been written yet. Throws Error (internal) where it would have to grow.
  void shorten(std::size_t place, std::size_t bytes);

  /// Ends the draft; everything that the arrays hold must have been written.
  PlanPtr finish();

 private:
  std::shared_ptr<Plan> plan_;
};

}  // namespace kiln
