#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/data/bytes.hpp"

/// Putting together what the parts of a split run have written, as bytes. How a CoRun does it for
/// all of its buffers, and what it does about conflicts, is in the same source file.
namespace kiln {

struct MergeOutcome {
  std::optional<std::size_t> conflict;  ///< its first byte; the result is then of no use
  bool changed = false;                 ///< something differed from `initial`
};

/// What it means that two devices made the same change to an element: `agrees` where the kernel
/// only writes, `conflicts` where it may have read the element before.
enum class SameChange { agrees, conflicts };

/// Puts what one device changed into the result: every byte of `changed` that differs from
/// `initial` is copied to `result`. A conflict is where `result` had changed within the same
/// element and the two do not agree on it.
///
/// All three have one length; an empty `initial` stands for zeros. `element_bytes` (of a number, a
/// vector or a structure) is the unit that a kernel writes: without it two devices that change
/// different bytes of one number would mix a number that neither computed. 0 is taken for 1.
MergeOutcome merge_changes(std::span<std::byte> result, ByteView changed, ByteView initial,
                           std::size_t element_bytes, SameChange same_change = SameChange::agrees);

}  // namespace kiln
