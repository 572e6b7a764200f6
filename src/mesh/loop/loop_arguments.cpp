// The arguments of a loop in the making: what the parameters of its kernel are set to, what must be
// on the device for it, and what its report says of them.
#include <fmt/format.h>

#include "kernel/resolver/explain.hpp"
#include "mesh/codegen/loop_text.hpp"
#include "mesh/loop/loop_maker.hpp"

namespace kiln::mesh {

void LoopMaker::collect_residences() {
  const auto add = [](std::vector<Residence*>& list, Residence& one) {
    if (std::find(list.begin(), list.end(), &one) == list.end()) list.push_back(&one);
  };
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const Arg& arg = arguments_[i];
    Residence* data = nullptr;
    switch (arg.kind) {
      case Arg::Kind::dat: {
        auto& dat = mutable_state<DatState>(arg);
        data = &dat.data;
        note_halo(dat, arg);
        break;
      }
      case Arg::Kind::global: {
        auto& global = mutable_state<GlobalState>(arg);
        data = &global.data;
        if (arg.access == Access::min || arg.access == Access::max)
          made_->extrema_.push_back(&global);
        break;
      }
      case Arg::Kind::mat: {
        auto& mat = mutable_state<MatState>(arg);
        data = &mat.values;
        add(made_->inputs_, Handles::state(mat.sparsity)->rowptr());
        add(made_->inputs_, Handles::state(mat.sparsity)->colidx());
        break;
      }
    }
    add(made_->inputs_, *data);
    if (arg.access != Access::read) add(made_->outputs_, *data);
    for (const MapState* map : {arg.map, arg.column_map}) {
      if (map == nullptr) continue;
      auto& state = const_cast<MapState&>(*map);
      add(made_->inputs_, state.values);
      if (shape_.extruded) add(made_->inputs_, *state.device_offsets);
    }
  }
  if (over_.subset != nullptr) add(made_->inputs_, over_.subset->device);
}

void LoopMaker::note_halo(DatState& dat, const Arg& arg) {
  if (!dat.has_halo()) return;
  const auto add = [&](std::vector<DatState*>& list) {
    if (std::find(list.begin(), list.end(), &dat) == list.end()) list.push_back(&dat);
  };
  const bool reads = arg.access == Access::read || arg.access == Access::rw;
  const bool reaches = arg.map != nullptr || needs_exec_halo();
  if (reads && reaches && Handles::state(dat.on.set())->exchange) add(made_->halo_reads_);
  if (arg.access != Access::read) add(made_->halo_writes_);
}

const Arg& LoopMaker::argument(ArgShape::Kind kind, int number) const {
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    if (shape_.arguments[i].kind == kind && shape_.arguments[i].data == number)
      return arguments_[i];
  throw Error(Errc::internal, fmt::format("loop {}: no data {}", shape_.kernel, number));
}

MapState& LoopMaker::map(int number) const {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (shape_.arguments[i].map == number) return const_cast<MapState&>(*arguments_[i].map);
    if (shape_.arguments[i].column_map == number)
      return const_cast<MapState&>(*arguments_[i].column_map);
  }
  throw Error(Errc::internal, fmt::format("loop {}: no map {}", shape_.kernel, number));
}

void LoopMaker::set(Launch& launch, unsigned position, const KernelParameter& parameter,
                    const Part& part, const Piece& piece, std::size_t slot) {
  const auto integer = [&](std::size_t value) {
    launch.set_scalar(position, static_cast<cl_int>(value));
  };
  const int n = parameter.number;
  switch (parameter.kind) {
    case Kind::dat:
      return launch.set_memory(position, memory(dat(n)));
    case Kind::dat_stride:
      return launch.set_scalar(position, static_cast<cl_long>(dat(n).form().elements));
    case Kind::global:
      return launch.set_memory(position, memory(global(n).data));
    case Kind::partials:
      return launch.set_memory(position, partials_.at(n));
    case Kind::constant:
      return set_constant(launch, position, n);
    case Kind::mat_values:
      return launch.set_memory(position, memory(mat(n).values));
    case Kind::mat_rowptr:
      return launch.set_memory(position, memory(Handles::state(mat(n).sparsity)->rowptr()));
    case Kind::mat_colidx:
      return launch.set_memory(position, memory(Handles::state(mat(n).sparsity)->colidx()));
    case Kind::map:
      return launch.set_memory(position, memory(map(n).values));
    case Kind::map_offset:
      return launch.set_memory(position, memory(*map(n).device_offsets));
    case Kind::begin:
      return integer(piece.begin);
    case Kind::end:
      return integer(piece.end);
    case Kind::subset:
      return launch.set_memory(position, memory(over_.subset->device));
    case Kind::layers:
      return integer(over_.layers - 1);
    case Kind::block_size:
      return integer(number("BLOCK"));
    case Kind::first_block:
      return integer(piece.first_block);
    case Kind::blkmap:
    case Kind::order:
    case Kind::ind_map:
    case Kind::ind_sizes:
    case Kind::ind_offsets:
    case Kind::loc_map:
    case Kind::element_colours:
    case Kind::colour_counts:
      return launch.set_memory(position, part.on_device->arrays.at(parameter.kind)());
    case Kind::local_bytes:
      return launch.set_local(position, std::max<std::size_t>(part.plan.nshared(), 16));
    case Kind::first_partial:
      return integer(slot);
    case Kind::partial_count:
    case Kind::global_result:
      break;  // of the fold alone
  }
  throw Error(Errc::internal, "a loop's kernel has a parameter of its fold");
}

void LoopMaker::set_constant(Launch& launch, unsigned position, int number) {
  const std::string& name = shape_.constants[static_cast<std::size_t>(number)].name;
  const auto& all = session_.constants;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& known) { return known->name == name; });
  const auto& state = *found;
  const bool is_known =
      std::any_of(made_->constants_.begin(), made_->constants_.end(),
                  [&](const auto& constant) { return constant.position == position; });
  if (state->dim == 1) {
    if (!is_known) made_->constants_.push_back({state, position, 0});
  } else {
    launch.set_memory(position, memory(state->data));
    if (!is_known) made_->inputs_.push_back(&state->data);
    if (!is_known) made_->constants_.push_back({state, position, state->version});
  }
}

// What a loop's report says of its bytes and its form.

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

// The kernel is read for it even where its program is in the store: not for trials, nor where no
// report asks for it.
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
