#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/bytes.hpp"

namespace kiln {

/// Puts what one device changed into the result: every byte of `changed` that differs from
/// `initial` is copied to `result`. Returns the first byte of a conflict, where `result` had
/// changed within the same element and the two do not agree on it; the result is then of no use.
///
/// All three have one length; an empty `initial` stands for zeros. `element_bytes` (1, 2, 4, 8, …)
/// is the unit that a kernel writes: without it two devices that change different bytes of one
/// number would mix a number that neither computed.
std::optional<std::size_t> merge_changes(std::span<std::byte> result, ByteView changed,
                                         ByteView initial, std::size_t element_bytes);

}  // namespace kiln
