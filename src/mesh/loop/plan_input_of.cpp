#include "mesh/loop/plan_input_of.hpp"

#include <algorithm>
#include <map>

#include "mesh/code/layout.hpp"

namespace kiln::mesh {
namespace {

class Collector {
 public:
  Collector(PlanInput& input, const LoopShape& shape, std::span<const Arg> arguments)
      : input_(input), shape_(shape), arguments_(arguments) {}

  /// (Dat, Map) pairs by first appearance, each with the components in the order of the arguments.
  void add_pairs() {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      const ArgShape& arg = shape_.arguments[i];
      if (arg.pair < 0) continue;
      const auto at = static_cast<std::size_t>(arg.pair);
      if (input_.pairs.size() <= at) input_.pairs.resize(at + 1);
      PlanPair& pair = input_.pairs[at];
      pair.map = map_of(*arguments_[i].map);
      pair.element_bytes = size_of(arg.type) * static_cast<std::size_t>(arg.dim);
      add_components(pair, arg);
    }
  }

  /// What is added to through Maps: one conflict for each Dat and each matrix.
  void add_conflicts() {
    std::map<std::pair<ArgShape::Kind, int>, std::size_t> places;
    for (const int i : conflicting_arguments(shape_)) {
      const ArgShape& arg = shape_.arguments[static_cast<std::size_t>(i)];
      const auto [place, is_new] =
          places.try_emplace({arg.kind, arg.data}, input_.conflicts.size());
      if (is_new) input_.conflicts.emplace_back();
      auto& through = input_.conflicts[place->second].through;
      const std::size_t map = map_of(*arguments_[static_cast<std::size_t>(i)].map);
      auto pair = std::find_if(through.begin(), through.end(),
                               [&](const PlanPair& known) { return known.map == map; });
      if (pair == through.end()) {
        through.push_back({map, {}, 0, false});
        pair = std::prev(through.end());
      }
      add_components(*pair, arg);
    }
  }

 private:
  static void add_components(PlanPair& pair, const ArgShape& arg) {
    const auto add = [&](int component) {
      const auto number = static_cast<std::uint32_t>(component);
      if (std::find(pair.components.begin(), pair.components.end(), number) ==
          pair.components.end())
        pair.components.push_back(number);
    };
    if (arg.via == ArgShape::Via::component) return add(arg.component);
    for (int component = 0; component < arg.arity; ++component) add(component);
  }

  std::size_t map_of(const MapState& map) {
    for (std::size_t i = 0; i < input_.maps.size(); ++i)
      if (input_.maps[i].identity == map.id) return i;
    auto& state = const_cast<MapState&>(map);  // the view is of its host copy, and only read
    input_.maps.push_back(
        {state.view(), map.arity, map.to.total_size(), map.id, map.version, map.name});
    return input_.maps.size() - 1;
  }

  PlanInput& input_;
  const LoopShape& shape_;
  std::span<const Arg> arguments_;
};

}  // namespace

PlanInput plan_input_of(const LoopShape& shape, const LoopOver& over,
                        std::span<const Arg> arguments, std::size_t begin, std::size_t end,
                        Scheme scheme, std::uint32_t block_size) {
  PlanInput input;
  input.set_size = over.set->sizes[3];
  input.begin = begin;
  input.size = end - begin;
  if (over.subset != nullptr) {
    input.subset = std::span<const std::int32_t>(over.subset->indices);
    input.subset_identity = over.subset->id;
  }
  input.block_size = block_size;
  input.scheme = scheme;
  Collector collect(input, shape, arguments);
  if (scheme == Scheme::staged) collect.add_pairs();
  collect.add_conflicts();
  return input;
}

}  // namespace kiln::mesh
