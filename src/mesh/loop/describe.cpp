#include <algorithm>
#include <tuple>

#include "mesh/code/layout.hpp"
#include "mesh/loop/check.hpp"
#include "mesh/object/session.hpp"

namespace kiln::mesh {
namespace {

/// Numbers things by first occurrence.
template <class Thing>
class Numbered {
 public:
  int operator()(const Thing& thing) {
    const auto at = std::find(seen_.begin(), seen_.end(), thing);
    if (at != seen_.end()) return static_cast<int>(at - seen_.begin());
    seen_.push_back(thing);
    return static_cast<int>(seen_.size()) - 1;
  }

 private:
  std::vector<Thing> seen_;
};

}  // namespace

std::vector<ConstShape> constants_of(const Session& session) {
  std::vector<ConstShape> shapes;
  for (const auto& constant : session.constants)
    shapes.push_back(
        {constant->name, constant->type, static_cast<int>(constant->dim), constant->dim == 1});
  return shapes;
}

LoopShape describe(const Session& session, const Kernel& kernel, const Iteration& over,
                   std::span<const Arg> arguments) {
  LoopShape shape;
  shape.kernel = kernel.name();
  shape.source = value_or_throw(from_text(kernel.code(), kernel.name()));
  shape.subset = over.subset() != nullptr;
  shape.extruded = over.layers() > 0;
  Numbered<const void*> dats, globals, mats, maps;
  Numbered<std::pair<const void*, const void*>> pairs;
  std::array<int, 2> extents{};
  for (const Arg& arg : arguments) {
    ArgShape& made = shape.arguments.emplace_back();
    made.access = arg.access;
    made.flatten = arg.is_flat;
    if (arg.map != nullptr) {
      made.map = maps(arg.map);
      made.arity = static_cast<int>(arg.map->arity);
      made.component = std::max(arg.component, -1);
      made.index = std::max(arg.index, -1);
      made.via = arg.index >= 0       ? ArgShape::Via::index
                 : arg.component >= 0 ? ArgShape::Via::component
                                      : ArgShape::Via::all;
      if (arg.index >= 0) extents[static_cast<std::size_t>(arg.index)] = made.arity;
    }
    switch (arg.kind) {
      case Arg::Kind::dat: {
        const auto& form = static_cast<const DatState*>(arg.data)->data.form();
        made.kind = ArgShape::Kind::dat;
        made.type = form.type;
        made.dim = static_cast<int>(form.dim);
        made.soa = form.layout == DataLayout::soa && form.dim > 1;
        made.data = dats(arg.data);
        if (arg.map != nullptr) made.pair = pairs({arg.data, arg.map});
        break;
      }
      case Arg::Kind::global: {
        const auto& form = static_cast<const GlobalState*>(arg.data)->data.form();
        made.kind = ArgShape::Kind::global;
        made.type = form.type;
        made.dim = static_cast<int>(form.dim);
        made.data = globals(arg.data);
        break;
      }
      case Arg::Kind::mat: {
        const auto& mat = *static_cast<const MatState*>(arg.data);
        made.kind = ArgShape::Kind::mat;
        made.type = mat.values.form().type;
        made.dim = static_cast<int>(mat.sparsity.row_dim());
        made.column_dim = static_cast<int>(mat.sparsity.column_dim());
        made.data = mats(arg.data);
        made.column_map = maps(arg.column_map);
        made.column_arity = static_cast<int>(arg.column_map->arity);
        made.column_index = std::max(arg.column_index, -1);
        if (arg.column_index >= 0)
          extents[static_cast<std::size_t>(arg.column_index)] = made.column_arity;
        break;
      }
    }
  }
  for (const int extent : extents)
    if (extent > 0) shape.extents.push_back(extent);
  shape.constants = constants_of(session);
  return shape;
}

}  // namespace kiln::mesh
