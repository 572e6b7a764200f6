#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kiln/mesh/distribution.hpp"

namespace kiln::mesh {

/// A set in blocks of rows by rank, as it was declared: rank r has elements starts[r] to
/// starts[r + 1] - 1 of the whole set. These ranges are all that a part knows of all others.
struct Blocks {
  std::vector<std::int64_t> starts;

  std::int64_t size() const { return starts.back(); }
  std::int64_t first(int rank) const { return starts[static_cast<std::size_t>(rank)]; }
  std::size_t count(int rank) const {
    return static_cast<std::size_t>(first(rank + 1) - first(rank));
  }
  /// Whose block has an element.
  int rank_of(std::int64_t number) const;
};

/// Where numbers stand in a list of them that rises: by buckets, so that a look-up takes a few
/// steps whatever the list's length. Keeps a view of the list.
class NumberIndex {
 public:
  explicit NumberIndex(std::span<const std::int64_t> rising);
  /// -1: it is not there.
  std::ptrdiff_t find(std::int64_t number) const;

 private:
  std::span<const std::int64_t> list_;
  std::int64_t least_ = 0;
  unsigned shift_ = 0;
  std::vector<std::uint32_t> starts_;  ///< of each bucket, and the end
};

/// Sorts numbers, and drops repetitions.
void make_rising(std::vector<std::int64_t>& numbers);

/// What the ranks that have the blocks know of some numbers, which rise: a rank each. All parts
/// call it; `mine` has one for each element of this part's block.
std::vector<std::int32_t> look_up(Transport& transport, const Blocks& blocks,
                                  std::span<const std::int64_t> numbers,
                                  std::span<const std::int32_t> mine);

struct SetState;

/// Rows of blocks, `row` bytes each, for all that a part has of the set, in its local order: what
/// fetch() does, the other way. All parts call it.
std::vector<std::byte> from_blocks(const SetState& set, const SetPart& part,
                                   std::span<const std::byte> rows, std::size_t row,
                                   std::string_view what);

}  // namespace kiln::mesh
