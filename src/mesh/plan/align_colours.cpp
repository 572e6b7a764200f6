// Colours of neighbours made alike, so that what is computed together lies together.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "mesh/plan/mesh_plan.hpp"

namespace kiln::mesh {
namespace {

/// Of a class of colours no more are paired: first-fit gives most elements the first ones.
constexpr std::size_t most_colours = 8;

/// Disjoint sets of 0 … n - 1, each with its least number as its name; members are swapped or not,
/// relative to one another.
class Groups {
 public:
  explicit Groups(std::size_t count) : parents_(count), swapped_(count, 0) {
    std::iota(parents_.begin(), parents_.end(), 0);
  }
  struct Place {
    std::int32_t group;
    bool is_swapped;
  };
  Place of(std::int32_t one) {
    bool is_swapped = false;
    std::int32_t group = one;
    for (; parents_[at(group)] != group; group = parents_[at(group)])
      is_swapped ^= swapped_[at(group)] != 0;
    // The same way again: all that was passed hangs from the group itself.
    for (bool swapped = is_swapped; parents_[at(one)] != one;) {
      const std::int32_t next = std::exchange(parents_[at(one)], group);
      const bool rest = swapped ^ (swapped_[at(one)] != 0);
      swapped_[at(one)] = swapped;
      swapped = rest;
      one = next;
    }
    return {group, is_swapped};
  }
  /// Nothing changes where they are in one set.
  void join(std::int32_t one, std::int32_t other, bool differ = false) {
    const Place a = of(one), b = of(other);
    if (a.group == b.group) return;
    const std::int32_t child = std::max(a.group, b.group);
    parents_[at(child)] = std::min(a.group, b.group);
    swapped_[at(child)] = a.is_swapped ^ b.is_swapped ^ differ;
  }

 private:
  static std::size_t at(std::int32_t one) { return static_cast<std::size_t>(one); }
  std::vector<std::int32_t> parents_;
  std::vector<char> swapped_;
};

/// How often elements of two chains that follow one another have one colour, less how often not.
struct Vote {
  std::int32_t one = 0, other = 0;  ///< chains, the lesser first
  std::int32_t sum = 0;
};

/// The votes of each two chains together, the clearest first.
void sum_votes(std::vector<Vote>& votes) {
  std::ranges::sort(votes, {}, [](const Vote& vote) { return std::pair(vote.one, vote.other); });
  std::size_t kept = 0;
  for (std::size_t at = 0; at < votes.size(); ++at) {
    if (kept > 0 && votes[kept - 1].one == votes[at].one &&
        votes[kept - 1].other == votes[at].other)
      votes[kept - 1].sum += votes[at].sum;
    else
      votes[kept++] = votes[at];
  }
  votes.resize(kept);
  std::erase_if(votes, [](const Vote& vote) { return vote.sum == 0; });
  std::ranges::stable_sort(votes, std::greater(),
                           [](const Vote& vote) { return std::abs(vote.sum); });
}

class Alignment {
 public:
  Alignment(const PlanInput& input, const std::vector<Columns>& conflicts,
            std::span<std::int32_t> colours)
      : input_(input), conflicts_(conflicts), colours_(colours) {
    for (const auto& columns : conflicts) last_.emplace_back(input.maps[columns[0].map].targets);
  }

  void align(std::int32_t one, std::int32_t other) {
    members_.clear();
    for (std::size_t v = 0; v < colours_.size(); ++v)
      if (colours_[v] == one || colours_[v] == other)
        members_.push_back(static_cast<std::int32_t>(v));
    if (members_.empty()) return;
    Groups chains = find_chains();
    std::vector<Vote> votes;
    bool all_alike = true;
    for (std::size_t m = 1; m < members_.size(); ++m) {
      const std::int32_t before = chains.of(static_cast<std::int32_t>(m - 1)).group,
                         chain = chains.of(static_cast<std::int32_t>(m)).group;
      if (before == chain) continue;
      const bool is_alike = colour_of(m - 1) == colour_of(m);
      all_alike = all_alike && is_alike;
      votes.push_back({std::min(before, chain), std::max(before, chain), is_alike ? 1 : -1});
    }
    if (all_alike) return;
    sum_votes(votes);
    Groups groups(members_.size());
    for (const Vote& vote : votes) groups.join(vote.one, vote.other, vote.sum < 0);
    for (std::size_t m = 0; m < members_.size(); ++m)
      if (groups.of(chains.of(static_cast<std::int32_t>(m)).group).is_swapped)
        colour_of(m) = one + other - colour_of(m);
  }

 private:
  std::int32_t& colour_of(std::size_t member) {
    return colours_[static_cast<std::size_t>(members_[member])];
  }

  /// Members that share a target are of one chain, along which their colours take turns.
  Groups find_chains() {
    Groups chains(members_.size());
    with_elements(input_, [&](auto elements) {
      for (std::size_t c = 0; c < conflicts_.size(); ++c) {
        std::ranges::fill(last_[c], -1);
        for (const Column& column : conflicts_[c]) {
          const ColumnValues values(input_, column);
          for (std::size_t m = 0; m < members_.size(); ++m) {
            auto& last = last_[c][static_cast<std::size_t>(
                values.at(elements(static_cast<std::size_t>(members_[m]))))];
            if (last >= 0) chains.join(last, static_cast<std::int32_t>(m));
            last = static_cast<std::int32_t>(m);
          }
        }
      }
    });
    return chains;
  }

  const PlanInput& input_;
  const std::vector<Columns>& conflicts_;
  std::span<std::int32_t> colours_;
  std::vector<std::vector<std::int32_t>> last_;  ///< by conflict and target: who has it, of members
  std::vector<std::int32_t> members_;            ///< elements of two colours
};

}  // namespace

void align_colours(const PlanInput& input, const std::vector<Columns>& conflicts, std::size_t first,
                   std::size_t end, std::span<std::int32_t> colours) {
  end = std::min(end, first + most_colours);
  if (end < first + 2) return;
  std::vector<std::size_t> sizes(end);
  for (const auto colour : colours)
    if (static_cast<std::size_t>(colour) < end) ++sizes[static_cast<std::size_t>(colour)];
  const std::size_t most = std::ranges::max(std::span(sizes).subspan(first));
  const auto is_full = [&](std::size_t colour) { return 2 * sizes[colour] > most; };
  Alignment alignment(input, conflicts, colours);
  for (std::size_t one = first; one < end; ++one)
    for (std::size_t other = one + 1; other < end; ++other)
      if (is_full(one) && is_full(other))
        alignment.align(static_cast<std::int32_t>(one), static_cast<std::int32_t>(other));
}

}  // namespace kiln::mesh
