#include "mesh/loop/plan_input_of.hpp"

#include <map>

#include "mesh/code/layout.hpp"

namespace kiln::mesh {
namespace {

/// Gathers the Maps that a plan needs and renumbers them by first use.
class MapList {
 public:
  MapList(PlanInput& input, const LoopShape& shape, std::span<const Arg> arguments)
      : input_(input), shape_(shape), arguments_(arguments) {}

  void use(PlanPair& pair) { pair.map = place_of(static_cast<int>(pair.map)); }

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
  MapState& state_of(int number) const {
    std::size_t at = 0;
    while (shape_.arguments[at].map != number) ++at;
    return const_cast<MapState&>(
        *arguments_[at].map);  // the view is of its host copy, and only read
  }

  PlanInput& input_;
  const LoopShape& shape_;
  std::span<const Arg> arguments_;
  std::map<int, std::size_t> places_;
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
  MapList maps(input, shape, arguments);
  if (scheme == Scheme::staged) input.pairs = plan_pairs(shape);
  input.conflicts = plan_conflicts(shape);
  for (PlanPair& pair : input.pairs) maps.use(pair);
  for (PlanConflict& conflict : input.conflicts)
    for (PlanPair& pair : conflict.through) maps.use(pair);
  return input;
}

}  // namespace kiln::mesh
