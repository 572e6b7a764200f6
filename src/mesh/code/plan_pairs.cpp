// What a loop's plan is made of.
#include <algorithm>
#include <map>

#include "mesh/code/layout.hpp"

namespace kiln::mesh {
namespace {

/// The components of its Map that an argument can reach.
std::vector<std::uint32_t> components_of(const ArgShape& a) {
  if (a.via == ArgShape::Via::component) return {static_cast<std::uint32_t>(a.component)};
  std::vector<std::uint32_t> all(static_cast<std::size_t>(a.arity));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
  return all;
}

void add_components(PlanPair& pair, const ArgShape& a) {
  for (const auto component : components_of(a))
    if (std::find(pair.components.begin(), pair.components.end(), component) ==
        pair.components.end())
      pair.components.push_back(component);
}

PlanPair pair_of(const ArgShape& a) {
  PlanPair pair;
  pair.map = static_cast<std::size_t>(a.map);
  pair.element_bytes = size_of(a.type) * static_cast<std::size_t>(a.dim);
  return pair;
}

bool is_indirect_dat(const ArgShape& a) {
  return a.kind == ArgShape::Kind::dat && a.via != ArgShape::Via::direct;
}

}  // namespace

std::vector<PlanPair> plan_pairs(const LoopShape& shape) {
  std::vector<PlanPair> pairs;
  for (const auto& a : shape.arguments) {
    if (!is_indirect_dat(a) || a.pair < 0) continue;
    const auto at = static_cast<std::size_t>(a.pair);
    // Numbered by first occurrence: a new pair is the next one.
    if (at >= pairs.size()) pairs.push_back(pair_of(a));
    add_components(pairs[at], a);
  }
  return pairs;
}

std::vector<PlanConflict> plan_conflicts(const LoopShape& shape) {
  // By kind and number; within one by Map, since all its components conflict with one another.
  std::map<std::pair<ArgShape::Kind, int>, std::map<int, PlanPair>> found;
  const auto conflicting = conflicting_arguments(shape);
  for (const int i : conflicting) {
    const ArgShape& a = shape.arguments[static_cast<std::size_t>(i)];
    found[{a.kind, a.data}];
  }
  for (const auto& a : shape.arguments) {
    const bool counts = a.access != Access::read && a.map >= 0;
    const auto at = found.find({a.kind, a.data});
    if (!counts || at == found.end()) continue;
    add_components(at->second.try_emplace(a.map, pair_of(a)).first->second, a);
  }
  std::vector<PlanConflict> conflicts;
  for (const auto& [data, through] : found) {
    conflicts.emplace_back();
    for (const auto& [map, pair] : through) conflicts.back().through.push_back(pair);
  }
  return conflicts;
}

}  // namespace kiln::mesh
