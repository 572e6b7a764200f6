#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/context.hpp"
#include "mesh/codegen/layout.hpp"
#include "mesh/model/loop_shape.hpp"
#include "mesh/model/state.hpp"
#include "mesh/plan/mesh_plan.hpp"
#include "mesh/plan/plan_input.hpp"

namespace kiln::mesh {

/// What a loop runs over, without keeping it alive: the queue of loops belongs to the Session,
/// which all handles keep alive.
struct LoopOver {
  SetState* set = nullptr;
  SubsetState* subset = nullptr;
  std::size_t layers = 0;
  static LoopOver of(const Iteration& over) {
    return {Handles::state(over.set()).get(), over.subset().get(), over.layers()};
  }
  /// How many elements are core, owned, …
  const std::array<std::size_t, 4>& sizes() const {
    return subset != nullptr ? subset->sizes : set->sizes;
  }
  bool operator==(const LoopOver&) const = default;
};

/// A Map as plans see it.
inline MapView view_of(MapState& map) {
  return {map.view(), map.arity, map.to.total_size(), map.id, map.version, map.name};
}

/// The Map that has this number in a shape; throws internal where no argument has.
MapState& map_of(const LoopShape& shape, std::span<const Arg> arguments, int number);

/// Holds the vertical offsets of a Map against a loop over columns: no cell may lead out of the
/// target set.
/// @param component the only one that the loop uses, or MapUse::none for all.
/// @return what is wrong, or nothing.
std::string check_columns(MapState& map, const LoopOver& over, int component);

/// What the plan for a piece of a loop depends on, and what only exists for it.
struct LoopPlanInput {
  PlanInput input;
  /// Of loops over columns: values of Maps that stand for whole columns, and the identities by
  /// which `input` knows them, which are used only once.
  std::vector<std::vector<std::int32_t>> classes;
  std::vector<std::uint64_t> identities;
};

/// The piece is elements (with a subset: places in its list) begin … end - 1. Only what the scheme
/// needs goes in, so that loops which differ in the rest share plans. `arguments` are those that
/// `shape` describes; the views are good as long as they are.
LoopPlanInput plan_input_of(const LoopShape& shape, const LoopOver& over,
                            std::span<const Arg> arguments, std::size_t begin, std::size_t end,
                            Scheme scheme, std::uint32_t block_size);

/// A plan with its arrays on the device, by the kernel parameters that they are for.
struct DevicePlan {
  MeshPlan plan;
  std::map<KernelParameter::Kind, cl::Buffer> arrays;
};
using DevicePlanPtr = std::shared_ptr<const DevicePlan>;

/// The plans that loops of a Session have on its device: loops that share a plan share its arrays,
/// which go with the last of them. One thread.
class DevicePlans {
 public:
  /// Throws kiln::Error where there is no memory.
  DevicePlanPtr get(const Context& context, const MeshPlan& plan);

 private:
  /// By address, which is no other plan's while this one is held.
  std::map<const Plan*, std::weak_ptr<const DevicePlan>> known_;
};

}  // namespace kiln::mesh
