#pragma once

#include "kernel/plan.hpp"

namespace kiln {

/// A Plan whose arrays are filled where they will lie, for arrays that are too large to be made
/// elsewhere and copied. Not thread-safe; different arrays, and different parts of one, may be
/// written by different threads.
class PlanDraft {
 public:
  struct Array {
    std::string name;
    std::size_t bytes = 0;
  };
  /// Sets the memory aside; pages that nobody writes cost nothing. The contents are undefined.
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
  std::size_t capacity_ = 0;
};

}  // namespace kiln
