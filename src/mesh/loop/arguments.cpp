// What arguments of each kind are: their numbers, their part of a loop's shape, the bytes that they
// move.
#include "mesh/loop/arguments.hpp"

#include <fmt/format.h>

#include <map>

#include "mesh/model/basics.hpp"

namespace kiln::mesh {

Residence& data_of(const Arg& arg) {
  switch (arg.kind) {
    case Arg::Kind::dat:
      return dat_of(arg).data;
    case Arg::Kind::global:
      return global_of(arg).data;
    default:
      return mat_of(arg).values;
  }
}

std::string label_of(const Arg& arg) {
  switch (arg.kind) {
    case Arg::Kind::dat:
      return "dat " + dat_of(arg).name;
    case Arg::Kind::global:
      return "global " + global_of(arg).name;
    default:
      return "mat " + mat_of(arg).name;
  }
}

bool is_alive(const LiveStates::Lookup& live, const Arg& arg) {
  switch (arg.kind) {
    case Arg::Kind::dat:
      return live.has(&dat_of(arg));
    case Arg::Kind::global:
      return live.has(&global_of(arg));
    default:
      return live.has(&mat_of(arg));
  }
}

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
  std::map<Arg::Kind, Numbered<const void*>> data;
  Numbered<const MapState*> maps;
  Numbered<std::pair<const void*, const MapState*>> pairs;
  std::array<int, 2> extents{};
  for (const Arg& arg : arguments) {
    ArgShape& made = shape.arguments.emplace_back();
    const auto& form = data_of(arg).form();
    made.kind = arg.kind;
    made.type = form.type;
    made.dim = static_cast<int>(form.dim);
    made.soa = form.layout == DataLayout::soa && form.dim > 1;
    made.access = arg.access;
    made.flatten = arg.is_flat;
    made.data = data[arg.kind](arg.data);
    if (arg.map != nullptr) {
      made.map = maps(arg.map);
      made.arity = static_cast<int>(arg.map->arity);
      made.component = std::max(arg.component, -1);
      made.index = std::max(arg.index, -1);
      made.via = arg.index >= 0       ? ArgShape::Via::index
                 : arg.component >= 0 ? ArgShape::Via::component
                                      : ArgShape::Via::all;
      if (arg.index >= 0) extents[static_cast<std::size_t>(arg.index)] = made.arity;
      if (arg.kind == Arg::Kind::dat) made.pair = pairs({arg.data, arg.map});
    }
    if (arg.kind == Arg::Kind::mat) {
      made.dim = static_cast<int>(sparsity_of(arg).row_dim);
      made.column_dim = static_cast<int>(sparsity_of(arg).column_dim);
      made.column_map = maps(arg.column_map);
      made.column_arity = static_cast<int>(arg.column_map->arity);
      made.column_index = std::max(arg.column_index, -1);
      if (arg.column_index >= 0)
        extents[static_cast<std::size_t>(arg.column_index)] = made.column_arity;
    }
  }
  for (const int extent : extents)
    if (extent > 0) shape.extents.push_back(extent);
  shape.constants = constants_of(session);
  return shape;
}

namespace {

/// What all elements touch of a Dat.
std::size_t dat_bytes(const ArgShape& shape, const Arg& arg, std::size_t elements) {
  const auto& form = dat_of(arg).data.form();
  const std::size_t touched =
      shape.map < 0 ? elements
                    : std::min(form.elements, elements * static_cast<std::size_t>(shape.arity));
  return touched * form.dim * size_of(form.type);
}

/// Of a matrix: its entries, so many ways, and where they are.
std::size_t matrix_bytes(const ArgShape& shape, const Arg& arg, std::size_t elements,
                         std::size_t ways) {
  const auto& form = mat_of(arg).values.form();
  const std::size_t rows = elements * static_cast<std::size_t>(shape.arity);
  const std::size_t blocks =
      std::min(form.elements, rows * static_cast<std::size_t>(shape.column_arity));
  return blocks * (ways * form.dim * size_of(form.type) + sizeof(std::int32_t)) +
         std::min(rows, sparsity_of(arg).row_set.total_size()) * sizeof(std::int32_t);
}

}  // namespace

std::size_t bytes_moved(const LoopShape& shape, std::span<const Arg> arguments,
                        std::size_t elements) {
  std::map<const void*, std::size_t> data;
  std::map<std::pair<int, int>, bool> map_columns;  // those that are read
  const auto add_map = [&](int map, int arity) {
    for (int component = 0; component < arity; ++component) map_columns[{map, component}] = true;
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ArgShape& arg = shape.arguments[i];
    if (arg.kind == Arg::Kind::global) continue;
    const std::size_t ways = arg.access == Access::read || arg.access == Access::write ? 1 : 2;
    auto& bytes = data[arguments[i].data];
    bytes =
        std::max(bytes, arg.kind == Arg::Kind::mat ? matrix_bytes(arg, arguments[i], elements, ways)
                                                   : ways * dat_bytes(arg, arguments[i], elements));
    if (arg.map >= 0 && arg.via == ArgShape::Via::component)
      map_columns[{arg.map, arg.component}] = true;
    else
      add_map(arg.map, arg.arity);
    add_map(arg.column_map, arg.column_arity);
  }
  std::size_t bytes = map_columns.size() * elements * sizeof(std::int32_t);
  for (const auto& [one, of_one] : data) bytes += of_one;
  return bytes;
}

}  // namespace kiln::mesh
