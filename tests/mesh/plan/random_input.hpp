#pragma once

#include <rapidcheck.h>

#include <memory>
#include <numeric>
#include <set>

#include "mesh/plan/plan_input.hpp"

namespace kiln::mesh::testing {

/// An input and the memory that it looks at.
struct OwnedInput {
  std::vector<std::vector<std::int32_t>> values;
  std::vector<std::int32_t> subset;
  PlanInput input;
};

inline std::size_t pick(std::size_t least, std::size_t most) {
  // Not scaled by the size that RapidCheck grows: early inputs are no smaller than late ones.
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(least, most + 1));
}
inline std::vector<std::int32_t> numbers_below(std::size_t count, std::size_t end) {
  return *rc::gen::container<std::vector<std::int32_t>>(
      count, rc::gen::resize(rc::kNominalSize,
                             rc::gen::inRange<std::int32_t>(0, static_cast<std::int32_t>(end))));
}

/// Some components of a Map, each once, in any order: often descending, sometimes none.
inline PlanPair random_pair(const PlanInput& input, std::size_t map) {
  PlanPair pair{map, {}, pick(1, 40), pick(0, 4) > 0};
  std::vector<std::uint32_t> all(input.maps[map].arity);
  std::iota(all.begin(), all.end(), 0u);
  while (!all.empty() && pick(0, 4) > 0) {
    const auto at = static_cast<std::ptrdiff_t>(pick(0, all.size() - 1));
    pair.components.push_back(all[static_cast<std::size_t>(at)]);
    all.erase(all.begin() + at);
  }
  return pair;
}

/// Meshes of any shape: few targets (many colours) and many, subsets in any order, parts, late
/// elements, blocks smaller and larger than the set, Maps without components.
inline std::shared_ptr<OwnedInput> random_input(Scheme scheme) {
  auto owned = std::make_shared<OwnedInput>();
  PlanInput& input = owned->input;
  input.scheme = scheme;
  input.set_size = *rc::gen::element<std::size_t>(0, 1, 5, 40, 300, 300, 700);
  input.block_size = *rc::gen::element<std::uint32_t>(1, 2, 3, 7, 16, 64, 1000);
  const std::size_t targets[] = {*rc::gen::element<std::size_t>(1, 2, 9, 5000), pick(1, 70)};
  const std::size_t maps = std::min<std::size_t>(pick(0, 6), 3);
  for (std::size_t m = 0; m < maps; ++m) {
    const std::size_t arity = pick(0, 4), reach = targets[pick(0, 1)];
    owned->values.push_back(numbers_below(input.set_size * arity, reach));
    input.maps.push_back({{}, arity, reach, m + 1, 0, {}});
  }
  for (std::size_t m = 0; m < maps; ++m) input.maps[m].values = owned->values[m];
  std::size_t whole = input.set_size;
  if (*rc::gen::arbitrary<bool>() && input.set_size > 0) {
    owned->subset = numbers_below(pick(0, input.set_size), input.set_size);
    // Each element once: sets do so, and one that conflicts with itself has no colouring.
    std::set<std::int32_t> seen;
    std::erase_if(owned->subset, [&](auto element) { return !seen.insert(element).second; });
    input.subset = owned->subset;
    whole = owned->subset.size();
  }
  input.begin = pick(0, whole);
  input.size = pick(0, whole - input.begin);
  if (*rc::gen::arbitrary<bool>()) input.begin = 0, input.size = whole;
  if (scheme == Scheme::permuted && *rc::gen::arbitrary<bool>())
    input.first_late = pick(0, input.size);
  if (maps == 0) return owned;
  for (std::size_t count = pick(0, 5); count > 0; --count)
    input.pairs.push_back(random_pair(input, pick(0, maps - 1)));
  for (std::size_t count = pick(0, 2); count > 0; --count) {
    PlanConflict conflict{{random_pair(input, pick(0, maps - 1))}};
    const auto reach = input.maps[conflict.through[0].map].targets;
    for (std::size_t m = 0; m < maps; ++m)
      if (input.maps[m].targets == reach && *rc::gen::arbitrary<bool>())
        conflict.through.push_back(random_pair(input, m));
    input.conflicts.push_back(conflict);
  }
  return owned;
}

inline Scheme random_scheme() {
  return *rc::gen::element(Scheme::blocks, Scheme::staged, Scheme::permuted);
}

}  // namespace kiln::mesh::testing
