#include "mesh/loop/plan_input_of.hpp"

#include <map>

#include "mesh/code/layout.hpp"
#include "mesh/loop/columns_reach.hpp"

namespace kiln::mesh {
namespace {

/// Gathers the Maps that a plan needs and renumbers them by first use.
class MapList {
 public:
  MapList(PlanInput& input, const LoopShape& shape, std::span<const Arg> arguments)
      : input_(input), shape_(shape), arguments_(arguments) {}

  void use(PlanPair& pair) { pair.map = place_of(static_cast<int>(pair.map)); }

  MapState& state_of(int number) const {
    for (const Arg& arg : arguments_) {
      const ArgShape& shape = shape_.arguments[static_cast<std::size_t>(&arg - arguments_.data())];
      if (shape.map == number) return const_cast<MapState&>(*arg.map);
    }
    throw Error(Errc::internal, "a plan wants a Map that no argument has");
  }

 private:
  std::size_t place_of(int number) {
    const auto [known, is_new] = places_.try_emplace(number, input_.maps.size());
    if (is_new) {
      auto& map = state_of(number);
      input_.maps.push_back(
          {map.view(), map.arity, map.to.total_size(), map.id, map.version, map.name});
    }
    return known->second;
  }
  PlanInput& input_;
  const LoopShape& shape_;
  std::span<const Arg> arguments_;
  std::map<int, std::size_t> places_;
};

/// Gives the conflicts of a loop over columns Maps of their own.
void use_classes(LoopPlanInput& made, const MapList& maps, const LoopOver& over) {
  for (PlanConflict& conflict : made.input.conflicts) {
    std::vector<ColumnMap> uses;
    for (const PlanPair& pair : conflict.through)
      uses.push_back({&maps.state_of(static_cast<int>(pair.map)), pair.components});
    if (uses.empty()) continue;
    const std::size_t targets = uses.front().map->to.total_size();
    auto classes = column_classes(uses, targets, over);
    for (std::size_t i = 0; i < uses.size(); ++i) {
      conflict.through[i].map = made.input.maps.size();
      const auto& values = made.classes.emplace_back(std::move(classes[i]));
      made.identities.push_back(next_identity());
      made.input.maps.push_back(
          {values, uses[i].map->arity, targets, made.identities.back(), 0, uses[i].map->name});
    }
  }
}

}  // namespace

LoopPlanInput plan_input_of(const LoopShape& shape, const LoopOver& over,
                            std::span<const Arg> arguments, std::size_t begin, std::size_t end,
                            Scheme scheme, std::uint32_t block_size) {
  LoopPlanInput made;
  PlanInput& input = made.input;
  input.set_size = over.set->sizes[3];
  input.begin = begin;
  input.size = end - begin;
  if (over.subset != nullptr) {
    input.subset = std::span<const std::int32_t>(over.subset->indices);
    input.subset_identity = over.subset->id;
  }
  input.block_size = block_size;
  input.scheme = scheme;
  MapList maps(input, shape, arguments);
  if (scheme == Scheme::staged) input.pairs = plan_pairs(shape);
  input.conflicts = plan_conflicts(shape);
  for (PlanPair& pair : input.pairs) maps.use(pair);
  if (over.layers > 2)
    use_classes(made, maps, over);
  else
    for (PlanConflict& conflict : input.conflicts)
      for (PlanPair& pair : conflict.through) maps.use(pair);
  return made;
}

}  // namespace kiln::mesh
