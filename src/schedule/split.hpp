#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/data/bytes.hpp"
#include "kernel/program/program.hpp"
#include "schedule/job.hpp"

/// Cutting an NDRange and its buffers into parts, and putting together what the parts have written.
/// Plain arithmetic over memory.
namespace kiln {

/// A share of an NDRange: work-groups [begin, end) of dimension 0.
struct Part {
  std::size_t begin = 0, end = 0;
  bool empty() const { return begin == end; }
  std::size_t groups() const { return end - begin; }
};

/// Work-groups in dimension 0.
inline std::size_t groups_of(const NDRange& range) { return range.global[0] / range.local[0]; }

/// Cuts `groups` work-groups in proportion to the weights, in their order: whole groups only, every
/// group in exactly one part, each cut rounded to the nearest. All weights zero: all to the first.
std::vector<Part> cut(std::size_t groups, std::span<const double> weights);

/// Weights of a partition class 0..10: so many tenths for the first of `devices` devices, the rest
/// shared equally by the others.
std::vector<double> class_weights(int partition, std::size_t devices);

/// The NDRange of a part: the same geometry with the real global offset.
NDRange part_range(const NDRange& whole, const Part& part);

/// Bytes [begin, end) of a buffer.
struct ByteRange {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

/// The bytes of a buffer that belong to a part, in proportion to the NDRange's `groups`; nothing
/// where a cut would not fall between whole elements.
std::optional<ByteRange> slice_of(const BufferArgument& buffer, const Part& part,
                                  std::size_t groups);

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
