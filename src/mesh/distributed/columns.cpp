// Which elements lie above each other, in blocks of rows, and that they stay together.
#include "mesh/distributed/columns.hpp"

#include <limits>

#include "mesh/distributed/mail.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

/// First and last number.
struct Range {
  std::int64_t first = 0, last = 0;
};

/// Ranges that have numbers in common become one.
void unite(std::vector<Range>& ranges) {
  std::ranges::sort(ranges, {}, &Range::first);
  std::size_t kept = 0;
  for (const Range& range : ranges)
    if (kept > 0 && range.first <= ranges[kept - 1].last)
      ranges[kept - 1].last = std::max(ranges[kept - 1].last, range.last);
    else
      ranges[kept++] = range;
  ranges.resize(kept);
}

class ColumnSearch {
 public:
  ColumnSearch(MeshRows& mesh, std::size_t set)
      : mesh_(mesh),
        set_(mesh.sets[set]),
        place_(set),
        rank_(mesh.transport.rank()),
        first_(set_.blocks->first(rank_)),
        count_(set_.blocks->count(rank_)) {}

  void run() {
    join();
    find_ends();
    find_borders();
    fill();
  }

 private:
  /// Each part's maps say which elements are in a column with the next one, and tell who has them.
  void join() {
    std::vector<Range> ranges;
    for (const MapRows& map : mesh_.maps) {
      if (map.to != place_) continue;
      const NumberList& rows = map.rows();
      for (std::size_t entry = 0; entry < rows.size(); ++entry) {
        const auto [down, up] = reach_of(*map.state, entry % map.arity);
        if (down < up) ranges.push_back({rows[entry] + down, rows[entry] + up});
      }
      unite(ranges);
    }
    Outbox<Range> told;
    for (const Range& range : ranges)
      for (int rank = set_.blocks->rank_of(range.first); rank < mesh_.transport.size(); ++rank) {
        if (set_.blocks->first(rank) >= range.last) break;
        if (set_.blocks->count(rank) > 0) told.add(rank, range);
      }
    is_joined_.assign(count_, 0);
    auto arrived =
        told.deliver(mesh_.transport, fmt::format("columns of set {}", set_.state->name));
    ranges.clear();
    for (const auto& [rank, some] : arrived) ranges.insert(ranges.end(), some.begin(), some.end());
    unite(ranges);
    const auto end = first_ + static_cast<std::int64_t>(count_);
    for (const Range& range : ranges)
      for (auto at = std::max(range.first, first_); at < std::min(range.last, end); ++at)
        is_joined_[static_cast<std::size_t>(at - first_)] = 1;
  }

  /// First and last numbers of columns as far as they are in the block.
  void find_ends() {
    ends_.resize(count_);
    for (std::size_t at = 0; at < count_; ++at)
      ends_[at].first = at > 0 && is_joined_[at - 1] != 0 ? ends_[at - 1].first : number(at);
    for (std::size_t at = count_; at-- > 0;)
      ends_[at].last = at + 1 < count_ && is_joined_[at] != 0 ? ends_[at + 1].last : number(at);
  }

  /// Where columns begin that come from blocks before, and end that go on in those behind.
  void find_borders() {
    struct Border {
      std::int64_t is_open = 0;  ///< the last element's column goes on
      Range first, last;         ///< columns of the first element and of the last one
    };
    Border mine;
    if (count_ > 0) mine = {is_joined_.back(), ends_.front(), ends_.back()};
    const auto all = gather_values<Border>(mesh_.transport, std::array{mine}, "borders of columns");
    const auto of = [&](int rank) -> const Border& { return all[static_cast<std::size_t>(rank)]; };
    const Blocks& blocks = *set_.blocks;
    before_ = first_;
    for (int rank = rank_ - 1; rank >= 0; --rank) {
      if (blocks.count(rank) == 0) continue;
      if (of(rank).is_open == 0) break;
      before_ = of(rank).last.first;
      if (before_ > blocks.first(rank)) break;
    }
    after_ = first_ + static_cast<std::int64_t>(count_) - 1;
    if (mine.is_open == 0) return;
    for (int rank = rank_ + 1; rank < mesh_.transport.size(); ++rank) {
      if (blocks.count(rank) == 0) continue;
      after_ = of(rank).first.last;
      if (after_ < blocks.first(rank + 1) - 1 || of(rank).is_open == 0) break;
    }
  }

  void fill() {
    set_.depth.resize(count_);
    set_.height.resize(count_);
    together(mesh_.transport, "columns", [&] {
      for (std::size_t at = 0; at < count_; ++at) {
        Range ends = ends_[at];
        if (ends.first == first_) ends.first = before_;
        if (ends.last == number(count_ - 1)) ends.last = after_;
        if (ends.last - ends.first >= std::numeric_limits<std::int32_t>::max())
          throw Error(Errc::unsupported,
                      fmt::format("set {}: elements {} to {} are one column, expected columns of "
                                  "fewer than 2^31",
                                  set_.state->name, ends.first, ends.last));
        set_.depth[at] = static_cast<std::int32_t>(number(at) - ends.first);
        set_.height[at] = static_cast<std::int32_t>(ends.last - number(at));
      }
    });
  }

  std::int64_t number(std::size_t at) const { return first_ + static_cast<std::int64_t>(at); }

  MeshRows& mesh_;
  SetRows& set_;
  const std::size_t place_;
  const int rank_;
  const std::int64_t first_;
  const std::size_t count_;
  std::vector<char> is_joined_;  ///< with the next element
  std::vector<Range> ends_;
  std::int64_t before_ = 0, after_ = 0;
};

}  // namespace

void find_columns(MeshRows& mesh) {
  for (std::size_t set = 0; set < mesh.sets.size(); ++set) {
    SetRows& rows = mesh.sets[set];
    rows.has_columns = std::ranges::any_of(
        mesh.maps, [&](const MapRows& map) { return map.to == set && map.state->layers > 2; });
    if (rows.has_columns) ColumnSearch(mesh, set).run();
  }
}

void unite_columns(Transport& transport, SetRows& set) {
  if (!set.has_columns) return;
  const std::int64_t first = set.blocks->first(transport.rank());
  // Of others' elements one at most: a column that comes from a block before.
  std::vector<std::int64_t> before;
  if (!set.depth.empty() && set.depth.front() > 0) before.push_back(first - set.depth.front());
  const auto owner = look_up(transport, *set.blocks, before, set.owners);
  for (std::size_t at = 0; at < set.owners.size(); ++at) {
    const auto depth = static_cast<std::size_t>(set.depth[at]);
    set.owners[at] = depth > at ? owner.front() : set.owners[at - depth];
  }
}

void find_begins(MeshRows& mesh) {
  for (SetRows& set : mesh.sets) {
    if (!set.has_columns) continue;
    const auto depths = look_up(mesh.transport, *set.blocks, set.numbers, set.depth);
    set.begins.clear();
    for (const std::int32_t depth : depths) set.begins.push_back(depth == 0 ? 1 : 0);
  }
}

std::vector<std::int32_t> with_whole_columns(const SetRows& set, std::vector<std::int32_t> order) {
  if (set.begins.empty()) return order;
  std::vector<std::int32_t> whole;
  std::vector<char> is_placed(order.size(), 0);
  for (const std::int32_t element : order) {
    auto begin = static_cast<std::size_t>(element);
    if (is_placed[begin] != 0) continue;
    while (set.begins[begin] == 0) --begin;
    const std::size_t end = end_of_column(set, begin);
    for (std::size_t at = begin; at < end; ++at) {
      whole.push_back(static_cast<std::int32_t>(at));
      is_placed[at] = 1;
    }
  }
  return whole;
}

}  // namespace kiln::mesh
