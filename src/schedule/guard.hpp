#pragma once

#include <optional>
#include <string>

#include "base/bytes.hpp"
#include "device/context.hpp"

namespace kiln {

/// Writes outside of a buffer, as its guard zones show them.
struct Overrun {
  struct Side {
    std::size_t elements = 0;  ///< that were changed
    std::size_t distance = 0;  ///< elements between the buffer and the nearest of them
  };
  Side before, behind;
};

/// A buffer of device memory between two zones that nobody may write: a kernel that writes just
/// before or behind it changes them. What it writes beyond them, and what it only reads, shows
/// nothing. Belongs to one thread at a time; the queue is in order.
class GuardedBuffer {
 public:
  GuardedBuffer() = default;
  /// The zones are as large as the buffer, but 64 KiB to 256 KiB each, and smaller (or none) where
  /// the device's largest allocation leaves no room. Throws kiln::Error.
  GuardedBuffer(const Queue& queue, std::size_t bytes);

  /// The buffer itself: a sub-buffer where there are zones.
  const Buffer& inner() const { return inner_; }
  /// Waits for the queue, compares the zones, and puts right what was changed. Nothing comes back
  /// where all is as it was.
  std::optional<Overrun> check(const Queue& queue, std::size_t element_bytes);

 private:
  void write_zones(const Queue& queue);
  Buffer outer_, inner_;
  std::size_t zone_ = 0;
};

/// For messages: "2 elements behind its end, the first at element 100 (byte 400)".
std::string text_of(const Overrun& overrun, std::size_t bytes, std::size_t element_bytes);

}  // namespace kiln
