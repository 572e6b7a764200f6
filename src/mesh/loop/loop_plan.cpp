// Plans of loops: what a plan is made from, vertical offsets of columns included, and its arrays on
// the device.
#include "mesh/loop/loop_plan.hpp"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <numeric>

#include "device/opencl.hpp"

namespace kiln::mesh {
namespace {

/// Calls `each(row)` for the elements that a loop may come to.
template <class Each>
void for_rows(const LoopOver& over, const Each& each) {
  if (over.subset != nullptr) {
    for (const auto row : over.subset->indices) each(static_cast<std::size_t>(row));
  } else {
    for (std::size_t row = 0; row < over.set->sizes[2]; ++row) each(row);
  }
}

/// Sets of targets that are merged, each known by its least one.
class Classes {
 public:
  explicit Classes(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  std::int32_t of(std::int32_t target) {
    while (at(target) != target) {
      at(target) = at(at(target));  // halves the path for later look-ups
      target = at(target);
    }
    return target;
  }
  void merge(std::int32_t a, std::int32_t b) {
    a = of(a);
    b = of(b);
    at(std::max(a, b)) = std::min(a, b);
  }

 private:
  std::int32_t& at(std::int32_t target) { return parent_[static_cast<std::size_t>(target)]; }
  std::vector<std::int32_t> parent_;
};

/// A Map of a conflict.
struct ColumnMap {
  MapState* map = nullptr;
  std::vector<std::uint32_t> components;  ///< that the conflict uses
};

/// Map values for the plans of a loop over columns, instead of a conflict's own ones: a column
/// reaches more targets than its lowest cell. Targets that one column reaches on its way up become
/// one class, and a value becomes the least target of its class; so columns that could meet
/// anywhere have a value in common. On layered meshes, where each line of nodes has its own
/// numbers, these are the lines, and nothing is coloured that need not be.
///
/// @param maps those of one conflict: all lead to the same set, of `targets` elements.
/// @return for each of the maps its values.
std::vector<std::vector<std::int32_t>> column_classes(const std::vector<ColumnMap>& maps,
                                                      std::size_t targets, const LoopOver& over) {
  Classes classes(targets);
  constexpr std::int32_t never = std::numeric_limits<std::int32_t>::min();
  // Many columns share their lines: each is walked once for an offset.
  std::vector<std::int32_t> walked(targets, never);
  const auto cells = static_cast<std::int64_t>(over.layers) - 1;
  for (const auto& [map, components] : maps)
    for (const std::uint32_t c : components) {
      const auto values = map->view();
      const std::int32_t offset = map->offsets[c];
      if (offset == 0) continue;
      for_rows(over, [&](std::size_t row) {
        const std::int32_t base = values[row * map->arity + c];
        auto& last = walked[static_cast<std::size_t>(base)];
        if (last == offset) return;
        last = offset;
        for (std::int64_t cell = 1; cell < cells; ++cell)
          classes.merge(base, static_cast<std::int32_t>(base + cell * offset));
      });
    }
  std::vector<std::vector<std::int32_t>> all;
  for (const auto& use : maps) {
    const auto values = use.map->view();
    auto& classed = all.emplace_back(values.size());
    std::ranges::transform(values, classed.begin(),
                           [&](std::int32_t value) { return classes.of(value); });
  }
  return all;
}

/// Gives the conflicts of a loop over columns Maps of their own.
void use_classes(LoopPlanInput& made, const LoopShape& shape, std::span<const Arg> arguments,
                 const LoopOver& over) {
  for (PlanConflict& conflict : made.input.conflicts) {
    std::vector<ColumnMap> uses;
    for (const PlanPair& pair : conflict.through)
      uses.push_back({&map_of(shape, arguments, static_cast<int>(pair.map)), pair.components});
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

MapState& map_of(const LoopShape& shape, std::span<const Arg> arguments, int number) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (shape.arguments[i].map == number) return *arguments[i].map;
    if (shape.arguments[i].column_map == number) return *arguments[i].column_map;
  }
  throw Error(Errc::internal, fmt::format("loop {}: no map {}", shape.kernel, number));
}

std::string check_columns(MapState& map, const LoopOver& over, int component) {
  const auto values = map.view();
  const auto up = static_cast<std::int64_t>(over.layers) - 2;  // from the lowest to the top cell
  const auto targets = static_cast<std::int64_t>(map.to.total_size());
  std::string wrong;
  for (std::size_t c = 0; c < map.arity; ++c) {
    if (component != MapUse::none && c != static_cast<std::size_t>(component)) continue;
    const std::int64_t climb = up * map.offsets[c];
    const std::int64_t least = std::max<std::int64_t>(0, -climb),
                       end = std::min(targets, targets - climb);
    for_rows(over, [&](std::size_t row) {
      const std::int32_t value = values[row * map.arity + c];
      if ((value >= least && value < end) || !wrong.empty()) return;
      wrong = fmt::format(
          "map {}: element {}, component {} is {}, which {} layers with offset {} take to {}, "
          "expected 0 to {} (set {})",
          map.name, row, c, value, over.layers, map.offsets[c], value + climb, targets - 1,
          map.to.name());
    });
    if (!wrong.empty()) break;
  }
  return wrong;
}

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
  // Maps are renumbered by their first use.
  std::map<std::size_t, std::size_t> places;
  const auto use = [&](PlanPair& pair) {
    const auto [known, is_new] = places.try_emplace(pair.map, input.maps.size());
    if (is_new) input.maps.push_back(view_of(map_of(shape, arguments, static_cast<int>(pair.map))));
    pair.map = known->second;
  };
  if (scheme == Scheme::staged) input.pairs = plan_pairs(shape);
  input.conflicts = plan_conflicts(shape);
  std::ranges::for_each(input.pairs, use);
  if (over.layers > 2)
    use_classes(made, shape, arguments, over);
  else
    for (PlanConflict& conflict : input.conflicts) std::ranges::for_each(conflict.through, use);
  return made;
}

namespace {

using ParameterKind = KernelParameter::Kind;

template <class T>
cl::Buffer upload(const Context& context, std::span<const T> values) {
  // OpenCL has no buffers of 0 bytes; an empty array is never read.
  const std::size_t bytes = std::max<std::size_t>(values.size_bytes(), sizeof(T));
  cl_int status = CL_SUCCESS;
  const T none{};
  cl::Buffer buffer(context.cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes,
                    const_cast<T*>(values.empty() ? &none : values.data()), &status);
  check_cl(status, "clCreateBuffer");
  return buffer;
}

std::map<ParameterKind, cl::Buffer> arrays_of(const Context& context, const MeshPlan& plan) {
  std::map<ParameterKind, cl::Buffer> arrays;
  const auto add = [&](ParameterKind kind, const auto& array) {
    arrays[kind] = upload(context, array);
  };
  if (plan.scheme() == Scheme::permuted) {
    add(ParameterKind::order, plan.order);
    return arrays;
  }
  add(ParameterKind::blkmap, plan.blkmap);
  if (plan.scheme() != Scheme::staged) return arrays;
  add(ParameterKind::ind_map, plan.ind_map);
  add(ParameterKind::ind_sizes, plan.ind_sizes);
  add(ParameterKind::ind_offsets, plan.ind_offs);
  add(ParameterKind::loc_map, plan.loc_map);
  add(ParameterKind::element_colours, plan.thrcol);
  add(ParameterKind::colour_counts, plan.nthrcol);
  return arrays;
}

}  // namespace

DevicePlanPtr DevicePlans::get(const Context& context, const MeshPlan& plan) {
  const auto known = known_.find(plan.plan().get());
  if (known != known_.end())
    if (auto held = known->second.lock()) return held;
  std::erase_if(known_, [](const auto& one) { return one.second.expired(); });
  auto made = std::make_shared<const DevicePlan>(DevicePlan{plan, arrays_of(context, plan)});
  known_[plan.plan().get()] = made;
  return made;
}

}  // namespace kiln::mesh
