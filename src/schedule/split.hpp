#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "device/transfer.hpp"
#include "kernel/program/program.hpp"
#include "schedule/job.hpp"

/// Cutting an NDRange and its buffers into parts. Plain arithmetic.
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

/// The bytes of a buffer that belong to a part, in proportion to the NDRange's `groups`; nothing
/// where a cut would not fall between whole elements.
std::optional<ByteRange> slice_of(const BufferArgument& buffer, const Part& part,
                                  std::size_t groups);

}  // namespace kiln
