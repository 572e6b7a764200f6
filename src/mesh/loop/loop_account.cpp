// What a loop's report says of its form.
#include <fmt/format.h>

#include "kernel/explain.hpp"
#include "mesh/code/loop_text.hpp"
#include "mesh/loop/loop_maker.hpp"

namespace kiln::mesh {

std::size_t LoopMaker::bytes_moved() const {
  const std::size_t elements = sizes()[1];
  std::map<std::pair<ArgShape::Kind, int>, std::size_t> data;
  std::map<std::pair<int, int>, bool> map_columns;  // those that are read
  const auto add_map = [&](int map, int arity) {
    for (int component = 0; component < arity; ++component) map_columns[{map, component}] = true;
  };
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const ArgShape& arg = shape_.arguments[i];
    if (arg.kind == ArgShape::Kind::global) continue;
    const std::size_t ways = arg.access == Access::read || arg.access == Access::write ? 1 : 2;
    auto& bytes = data[{arg.kind, arg.data}];
    bytes = std::max(bytes,
                     arg.kind == ArgShape::Kind::mat ? matrix_bytes(i, ways) : ways * dat_bytes(i));
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

/// What all elements touch of a Dat.
std::size_t LoopMaker::dat_bytes(std::size_t argument) const {
  const ArgShape& arg = shape_.arguments[argument];
  const auto& form = mutable_state<DatState>(arguments_[argument]).data.form();
  std::size_t touched = sizes()[1];
  if (arg.map >= 0)
    touched = std::min(form.elements, touched * static_cast<std::size_t>(arg.arity));
  return touched * form.dim * size_of(form.type);
}

/// Of a matrix: its entries, so many ways, and where they are.
std::size_t LoopMaker::matrix_bytes(std::size_t argument, std::size_t ways) const {
  const ArgShape& arg = shape_.arguments[argument];
  const MatState& mat = mutable_state<MatState>(arguments_[argument]);
  const auto& sparsity = *Handles::state(mat.sparsity);
  const auto& form = mat.values.form();
  const std::size_t rows = sizes()[1] * static_cast<std::size_t>(arg.arity);
  const std::size_t blocks =
      std::min(form.elements, rows * static_cast<std::size_t>(arg.column_arity));
  return blocks * (ways * form.dim * size_of(form.type) + sizeof(std::int32_t)) +
         std::min(rows, sparsity.row_set.total_size()) * sizeof(std::int32_t);
}

void LoopMaker::describe_form() const {
  static constexpr const char* names[] = {"blocks", "atomic", "coloured", "staged"};
  const bool in_blocks = form_ == Form::blocks || form_ == Form::staged;
  report_.form = names[static_cast<int>(form_)];
  if (in_blocks) report_.form += fmt::format(" of {}", number("BLOCK"));
  if (report_.colours > 0)
    report_.form +=
        fmt::format(" in {} colour{}", report_.colours, report_.colours == 1 ? "" : "s");
}

// The kernel is read for it even where its program is in the store: not for trials, nor for those
// who ask nothing.
void LoopMaker::note_lanes() const {
  if (form_ != Form::blocks || is_trial()) return;
  if (!session_.options.timing && !explains_by_environment()) return;
  try {
    report_.lanes_obstacle = lanes_obstacle(shape_, parameters_);
  } catch (const Error& error) {
    report_.lanes_obstacle = error.what();
  }
  report_.lanes = report_.lanes_obstacle.empty() ? number("LANES") : 1;
}

}  // namespace kiln::mesh
