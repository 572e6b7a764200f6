#include "mesh/serial_plan.hpp"

#include <algorithm>
#include <bit>

namespace kiln::bench {
namespace {

using mesh::PlanInput;
using mesh::PlanPair;

/// One work array for each target set that conflicts: 32 colours a target.
class Masks {
 public:
  explicit Masks(const PlanInput& input) : input_(input) {
    for (const auto& conflict : input.conflicts)
      work_.emplace_back(input.maps[conflict.through[0].map].targets);
  }
  /// Only what elements begin … end - 1 reach.
  void clear(std::size_t begin, std::size_t end) {
    each(begin, end, [](std::uint32_t& mask) { mask = 0; });
  }
  std::uint32_t taken(std::size_t begin, std::size_t end) {
    std::uint32_t result = 0;
    each(begin, end, [&](const std::uint32_t& mask) { result |= mask; });
    return result;
  }
  void take(std::size_t begin, std::size_t end, std::uint32_t bit) {
    each(begin, end, [&](std::uint32_t& mask) { mask |= bit; });
  }

 private:
  template <class Call>
  void each(std::size_t begin, std::size_t end, Call call) {
    for (std::size_t c = 0; c < work_.size(); ++c) {
      const PlanPair& pair = input_.conflicts[c].through[0];
      const auto& map = input_.maps[pair.map];
      for (const auto component : pair.components)
        for (std::size_t e = begin; e < end; ++e)
          call(work_[c][static_cast<std::size_t>(map.values[e * map.arity + component])]);
    }
  }
  const PlanInput& input_;
  std::vector<std::vector<std::uint32_t>> work_;
};

void colour_elements(SerialPlan& plan, Masks& masks, std::size_t b) {
  const auto begin = static_cast<std::size_t>(plan.offset[b]);
  const auto end = begin + static_cast<std::size_t>(plan.nelems[b]);
  for (std::int32_t base = 0, left = plan.nelems[b]; left > 0; base += 32) {
    masks.clear(begin, end);
    for (std::size_t e = begin; e < end; ++e) {
      if (plan.thrcol[e] >= 0) continue;
      const int colour = std::countr_one(masks.taken(e, e + 1));
      if (colour == 32) continue;
      plan.thrcol[e] = base + colour;
      plan.nthrcol[b] = std::max(plan.nthrcol[b], base + colour + 1);
      masks.take(e, e + 1, std::uint32_t{1} << colour);
      --left;
    }
  }
}

void colour_blocks(SerialPlan& plan, Masks& masks, std::size_t elements) {
  const std::size_t blocks = plan.nelems.size();
  std::vector<std::int32_t> colours(blocks, -1);
  std::size_t left = blocks;
  for (std::int32_t base = 0; left > 0; base += 32) {
    masks.clear(0, elements);
    for (std::size_t b = 0; b < blocks; ++b) {
      if (colours[b] >= 0) continue;
      const auto begin = static_cast<std::size_t>(plan.offset[b]);
      const auto end = begin + static_cast<std::size_t>(plan.nelems[b]);
      const int colour = std::countr_one(masks.taken(begin, end));
      if (colour == 32) continue;
      colours[b] = base + colour;
      plan.ncolors = std::max(plan.ncolors, base + colour + 1);
      masks.take(begin, end, std::uint32_t{1} << colour);
      --left;
    }
  }
  plan.ncolblk.resize(static_cast<std::size_t>(plan.ncolors));
  for (const auto colour : colours) ++plan.ncolblk[static_cast<std::size_t>(colour)];
  for (std::int32_t colour = 0; colour < plan.ncolors; ++colour)
    for (std::size_t b = 0; b < blocks; ++b)
      if (colours[b] == colour) plan.blkmap.push_back(static_cast<std::int32_t>(b));
}

/// The staging maps of one pair.
void stage(SerialPlan& plan, const PlanInput& input, std::size_t p,
           std::vector<std::int32_t>& place) {
  const PlanPair& pair = input.pairs[p];
  const auto& map = input.maps[pair.map];
  auto& ind_map = plan.ind_maps[p];
  std::vector<std::int32_t> targets;
  for (std::size_t b = 0; b < plan.nelems.size(); ++b) {
    const auto begin = static_cast<std::size_t>(plan.offset[b]);
    const auto end = begin + static_cast<std::size_t>(plan.nelems[b]);
    targets.clear();
    for (const auto component : pair.components)
      for (std::size_t e = begin; e < end; ++e)
        targets.push_back(map.values[e * map.arity + component]);
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    for (std::size_t i = 0; i < targets.size(); ++i)
      place[static_cast<std::size_t>(targets[i])] = static_cast<std::int32_t>(i);
    for (std::size_t k = 0; k < pair.components.size(); ++k)
      for (std::size_t e = begin; e < end; ++e)
        plan.loc_maps[p * pair.components.size() + k][e] = static_cast<std::int16_t>(
            place[static_cast<std::size_t>(map.values[e * map.arity + pair.components[k]])]);
    const std::size_t entry = b * input.pairs.size() + p;
    plan.ind_sizes[entry] = static_cast<std::int32_t>(targets.size());
    plan.ind_offs[entry] = static_cast<std::int32_t>(ind_map.size());
    ind_map.insert(ind_map.end(), targets.begin(), targets.end());
  }
  plan.nindirect[p] = static_cast<std::int32_t>(ind_map.size());
}

}  // namespace

SerialPlan serial_plan(const PlanInput& input) {
  SerialPlan plan;
  for (std::size_t first = 0; first < input.size; first += input.block_size) {
    plan.offset.push_back(static_cast<std::int32_t>(first));
    plan.nelems.push_back(
        static_cast<std::int32_t>(std::min<std::size_t>(input.block_size, input.size - first)));
  }
  const std::size_t blocks = plan.nelems.size(), pairs = input.pairs.size();
  plan.ind_sizes.resize(blocks * pairs);
  plan.ind_offs.resize(blocks * pairs);
  plan.ind_maps.resize(pairs);
  plan.nindirect.resize(pairs);
  std::size_t rows = 0, largest = 0;
  for (const auto& pair : input.pairs) rows += pair.components.size();
  for (const auto& map : input.maps) largest = std::max(largest, map.targets);
  plan.loc_maps.assign(rows, std::vector<std::int16_t>(input.size));
  std::vector<std::int32_t> place(largest);
  for (std::size_t p = 0; p < pairs; ++p) stage(plan, input, p, place);

  plan.thrcol.assign(input.size, -1);
  plan.nthrcol.resize(blocks);
  Masks masks(input);
  for (std::size_t b = 0; b < blocks; ++b) colour_elements(plan, masks, b);
  colour_blocks(plan, masks, input.size);

  for (std::size_t b = 0; b < blocks; ++b) {
    std::size_t bytes = 0;
    for (std::size_t p = 0; p < pairs; ++p)
      bytes +=
          (static_cast<std::size_t>(plan.ind_sizes[b * pairs + p]) * input.pairs[p].element_bytes +
           15) /
          16 * 16;
    plan.nshared = std::max(plan.nshared, bytes);
  }
  return plan;
}

}  // namespace kiln::bench
