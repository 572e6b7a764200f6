// What a loop's report says of its form.
#include <fmt/format.h>

#include "kernel/explain.hpp"
#include "mesh/code/loop_text.hpp"
#include "mesh/loop/loop_maker.hpp"

namespace kiln::mesh {

std::size_t LoopMaker::bytes_moved() const {
  const std::size_t elements = sizes()[1];
  std::map<int, std::size_t> dats;                  // bytes by Dat
  std::map<std::pair<int, int>, bool> map_columns;  // those that are read
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const ArgShape& arg = shape_.arguments[i];
    const std::size_t ways = arg.access == Access::read || arg.access == Access::write ? 1 : 2;
    if (arg.kind == ArgShape::Kind::dat) {
      const auto& form = mutable_state<DatState>(arguments_[i]).data.form();
      std::size_t touched = elements;
      if (arg.map >= 0)
        touched = std::min(form.elements, elements * static_cast<std::size_t>(arg.arity));
      auto& bytes = dats[arg.data];
      bytes = std::max(bytes, ways * touched * form.dim * size_of(form.type));
    }
    if (arg.map >= 0 && arg.via == ArgShape::Via::component)
      map_columns[{arg.map, arg.component}] = true;
    else if (arg.map >= 0)
      for (int component = 0; component < arg.arity; ++component)
        map_columns[{arg.map, component}] = true;
  }
  std::size_t bytes = map_columns.size() * elements * sizeof(std::int32_t);
  for (const auto& [number, dat_bytes] : dats) bytes += dat_bytes;
  return bytes;
}

void LoopMaker::describe_form() const {
  static constexpr const char* names[] = {"blocks", "atomic", "coloured", "staged"};
  const bool in_blocks = form_ == Form::blocks || form_ == Form::staged;
  report_.form = names[static_cast<int>(form_)];
  if (in_blocks) report_.form += fmt::format(" of {}", number("BLOCK"));
  if (report_.colours > 0) report_.form += fmt::format(" in {} colours", report_.colours);
}

// The kernel is read for it even where its program is in the store: not for trials, nor for those
// who ask nothing.
void LoopMaker::note_lanes() const {
  if (form_ != Form::blocks || &resolver_ != &session_.resolver()) return;
  if (!session_.options.timing && !explains_by_environment()) return;
  try {
    report_.lanes_obstacle = lanes_obstacle(shape_, parameters_);
  } catch (const Error& error) {
    report_.lanes_obstacle = error.what();
  }
  report_.lanes = report_.lanes_obstacle.empty() ? number("LANES") : 1;
}

}  // namespace kiln::mesh
