#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "kernel/resolver.hpp"
#include "schedule/job.hpp"
#include "schedule/split.hpp"

namespace kiln {

/// Bytes [begin, end) of a buffer.
struct ByteRange {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

/// The bytes of a buffer that belong to a part, in proportion to the NDRange's `groups`; nothing
/// where a cut would not fall between whole elements.
std::optional<ByteRange> slice_of(const BufferArgument& buffer, const Part& part,
                                  std::size_t groups);

/// Which buffers (by argument) may be transferred in slices, and at which cuts (work-groups of
/// dimension 0) that was shown. Empty: none.
struct Slices {
  std::set<std::size_t> cuts;
  std::vector<bool> sliced;
  bool holds(std::size_t argument) const { return argument < sliced.size() && sliced[argument]; }
  /// Whether both ends of a part were among the cuts.
  bool cover(const Part& part, std::size_t groups) const {
    const auto shown = [&](std::size_t at) { return at == 0 || at == groups || cuts.contains(at); };
    return shown(part.begin) && shown(part.end);
  }
};

/// Tries, for these parts of a Job and on this queue's device, which of the buffers that may be
/// sliced need only their slices: each part runs with what lies outside a slice replaced by other
/// values, and must neither read (its result is unchanged) nor write (they stay) any of it.
/// `job` is not changed; its inputs should be random, since equal values would show nothing.
Slices prove_slices(Resolver& resolver, const Queue& queue, const Job& job,
                    const std::vector<Part>& parts);

}  // namespace kiln
