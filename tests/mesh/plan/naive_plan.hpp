#pragma once

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mesh/plan/mesh_plan.hpp"

namespace kiln::mesh::testing {

/// A plan by the definitions, with sets and without any thought of speed.
class NaivePlan {
 public:
  explicit NaivePlan(const PlanInput& input) : input_(input) {}

  /// What differs from the plan, in a word; empty: nothing.
  std::string difference(const MeshPlan& plan) const {
    if (input_.scheme == Scheme::permuted) {
      std::size_t first_late = 0;
      const auto colours = colours_of_elements(first_late);
      if (plan.first_late_colour() != first_late) return "first_late_colour";
      if (!same(plan.order, sorted(colours, input_.begin))) return "order";
      return same(plan.color_offs, starts(colours)) ? "" : "color_offs";
    }
    const auto blocks = whole(input_.block_size);
    const auto colours = first_fit(blocks);
    if (!same(plan.blkmap, sorted(colours, 0))) return "blkmap";
    if (!same(plan.color_offs, starts(colours))) return "color_offs";
    if (plan.nblocks() != blocks.size()) return "nblocks";
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (plan.offset[b] != static_cast<int>(input_.begin + blocks[b].front())) return "offset";
      if (plan.nelems[b] != static_cast<int>(blocks[b].size())) return "nelems";
    }
    return input_.scheme == Scheme::staged ? staging(plan, blocks) : "";
  }

 private:
  using Positions = std::vector<std::size_t>;
  using Colours = std::vector<std::int32_t>;

  static bool same(std::span<const std::int32_t> a, const std::vector<std::int32_t>& b) {
    return std::ranges::equal(a, b);
  }
  std::int32_t target(const PlanPair& pair, std::uint32_t component, std::size_t position) const {
    std::size_t element = input_.begin + position;
    if (input_.subset) element = static_cast<std::size_t>((*input_.subset)[element]);
    return input_.maps[pair.map].values[element * input_.maps[pair.map].arity + component];
  }
  std::set<std::int32_t> targets(const PlanPair& pair, const Positions& positions) const {
    std::set<std::int32_t> result;
    for (const auto component : pair.components)
      for (const auto i : positions) result.insert(target(pair, component, i));
    return result;
  }
  std::vector<Positions> whole(std::size_t run) const {
    std::vector<Positions> runs;
    for (std::size_t i = 0; i < input_.size; ++i) {
      if (i % run == 0) runs.emplace_back();
      runs.back().push_back(i);
    }
    return runs;
  }

  /// For every target of a conflict the colours that reach it.
  using Taken = std::map<std::pair<std::size_t, std::int32_t>, std::set<std::int32_t>>;

  Colours colours_of_elements(std::size_t& first_late) const {
    const auto elements = whole(1);
    if (!has_late(input_)) return first_fit(elements);
    const auto middle = elements.begin() + static_cast<std::ptrdiff_t>(input_.first_late);
    const std::vector<Positions> early(elements.begin(), middle), late(middle, elements.end());
    const std::int32_t first = std::max(1, count(first_fit(early)) / 2);
    first_late = static_cast<std::size_t>(first);
    Taken taken;
    const Colours of_late = first_fit(late, taken, first);
    Colours colours = first_fit(early, taken);
    colours.insert(colours.end(), of_late.begin(), of_late.end());
    const std::int32_t end = count(colours);
    align(colours, 0, first);
    align(colours, first, end);
    const std::set<std::int32_t> left(colours.begin(), colours.end());
    const auto name = [&](std::int32_t colour) {
      return static_cast<std::int32_t>(std::distance(left.begin(), left.lower_bound(colour)));
    };
    first_late = static_cast<std::size_t>(name(first));
    for (auto& colour : colours) colour = name(colour);
    return colours;
  }

  /// align_colours().
  void align(Colours& colours, std::int32_t first, std::int32_t end) const {
    end = std::min(end, first + 8);
    std::map<std::int32_t, std::size_t> sizes;
    for (const auto colour : colours)
      if (colour >= first && colour < end) ++sizes[colour];
    std::size_t most = 0;
    for (const auto& [colour, size] : sizes) most = std::max(most, size);
    for (std::int32_t one = first; one < end; ++one)
      for (std::int32_t other = one + 1; other < end; ++other)
        if (2 * sizes[one] > most && 2 * sizes[other] > most) align_two(colours, one, other);
  }
  void align_two(Colours& colours, std::int32_t one, std::int32_t other) const {
    Positions members;
    for (std::size_t i = 0; i < colours.size(); ++i)
      if (colours[i] == one || colours[i] == other) members.push_back(i);
    // Its first member is a chain's name, and that of chains that have joined.
    std::map<std::size_t, std::size_t> chain;
    for (const auto i : members) chain[i] = i;
    const auto rename = [&](std::map<std::size_t, std::size_t>& names, std::size_t a,
                            std::size_t b) {
      for (auto& [i, name] : names)
        if (name == std::max(a, b)) name = std::min(a, b);
    };
    for (const auto i : members)
      for (const auto k : members)
        if (k < i && chain[k] != chain[i] && share_target(i, k)) rename(chain, chain[k], chain[i]);
    std::map<std::pair<std::size_t, std::size_t>, int> votes;
    for (std::size_t m = 1; m < members.size(); ++m) {
      const std::size_t before = members[m - 1], here = members[m];
      if (chain[before] != chain[here])
        votes[std::minmax(chain[before], chain[here])] += colours[before] == colours[here] ? 1 : -1;
    }
    std::vector<std::pair<std::pair<std::size_t, std::size_t>, int>> clearest(votes.begin(),
                                                                              votes.end());
    std::ranges::stable_sort(clearest, [](const auto& a, const auto& b) {
      return std::abs(a.second) > std::abs(b.second);
    });
    std::map<std::size_t, std::size_t> group;
    std::map<std::size_t, bool> is_swapped;
    for (const auto i : members) group[chain[i]] = chain[i];
    for (const auto& [two, sum] : clearest) {
      const auto [a, b] = two;
      if (sum == 0 || group[a] == group[b]) continue;
      const std::size_t swapping = std::max(group[a], group[b]);
      if (is_swapped[a] ^ is_swapped[b] ^ (sum < 0))
        for (const auto& [name, in] : group)
          if (in == swapping) is_swapped[name] = !is_swapped[name];
      rename(group, group[a], group[b]);
    }
    for (const auto i : members)
      if (is_swapped[chain[i]]) colours[i] = one + other - colours[i];
  }
  bool share_target(std::size_t i, std::size_t k) const {
    for (const auto& conflict : input_.conflicts) {
      std::set<std::int32_t> reached;
      for (const auto& pair : conflict.through) reached.merge(targets(pair, {i}));
      for (const auto& pair : conflict.through)
        for (const auto at : targets(pair, {k}))
          if (reached.contains(at)) return true;
    }
    return false;
  }

  /// Greedily the least colour that is free, from `least` on.
  Colours first_fit(const std::vector<Positions>& vertices) const {
    Taken taken;
    return first_fit(vertices, taken);
  }
  Colours first_fit(const std::vector<Positions>& vertices, Taken& taken,
                    std::int32_t least = 0) const {
    Colours colours;
    for (const auto& vertex : vertices) {
      std::set<std::pair<std::size_t, std::int32_t>> reached;
      for (std::size_t c = 0; c < input_.conflicts.size(); ++c)
        for (const auto& pair : input_.conflicts[c].through)
          for (const auto at : targets(pair, vertex)) reached.insert({c, at});
      std::set<std::int32_t> forbidden;
      for (const auto& at : reached) forbidden.insert(taken[at].begin(), taken[at].end());
      std::int32_t colour = least;
      while (forbidden.contains(colour)) ++colour;
      for (const auto& at : reached) taken[at].insert(colour);
      colours.push_back(colour);
    }
    return colours;
  }
  static std::int32_t count(const Colours& colours) {
    std::int32_t most = -1;
    for (const auto colour : colours) most = std::max(most, colour);
    return most + 1;
  }
  static std::vector<std::int32_t> sorted(const Colours& colours, std::size_t first) {
    std::vector<std::int32_t> order;
    for (std::int32_t c = 0; c < count(colours); ++c)
      for (std::size_t v = 0; v < colours.size(); ++v)
        if (colours[v] == c) order.push_back(static_cast<std::int32_t>(first + v));
    return order;
  }
  static std::vector<std::int32_t> starts(const Colours& colours) {
    std::vector<std::int32_t> result{0};
    for (std::int32_t c = 0; c < count(colours); ++c)
      result.push_back(result.back() + static_cast<std::int32_t>(std::ranges::count(colours, c)));
    return result;
  }

  std::string staging(const MeshPlan& plan, const std::vector<Positions>& blocks) const {
    const std::size_t pairs = input_.pairs.size();
    std::vector<std::int32_t> nindirect(pairs);
    std::size_t nshared = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      std::vector<Positions> single;
      for (const auto i : blocks[b]) single.push_back({i});
      const auto colours = first_fit(single);
      if (!same(plan.thrcol.subspan(blocks[b].front(), colours.size()), colours)) return "thrcol";
      if (plan.nthrcol[b] != count(colours)) return "nthrcol";
      std::size_t bytes = 0;
      for (std::size_t p = 0; p < pairs; ++p) {
        const auto& pair = input_.pairs[p];
        if (!pair.staged) continue;
        const auto staged = targets(pair, blocks[b]);
        const std::size_t entry = b * pairs + p;
        if (plan.ind_sizes[entry] != static_cast<int>(staged.size())) return "ind_sizes";
        const auto list =
            plan.ind_map.subspan(static_cast<std::size_t>(plan.ind_offs[entry]), staged.size());
        if (!std::ranges::equal(list, staged)) return "ind_map";
        for (std::size_t slot = 0; slot < pair.components.size(); ++slot)
          for (const auto i : blocks[b])
            if (list[plan.loc(p, slot, i)] != target(pair, pair.components[slot], i))
              return "loc_map";
        nindirect[p] += static_cast<std::int32_t>(staged.size());
        bytes += (staged.size() * pair.element_bytes + 15) / 16 * 16;
      }
      nshared = std::max(nshared, bytes);
    }
    if (!same(plan.nindirect, nindirect)) return "nindirect";
    return plan.nshared() == nshared ? "" : "nshared";
  }

  const PlanInput& input_;
};

}  // namespace kiln::mesh::testing
