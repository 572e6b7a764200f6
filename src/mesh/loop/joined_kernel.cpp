#include "mesh/loop/joined_kernel.hpp"

#include <fmt/format.h>

#include "mesh/code/syntax.hpp"
#include "mesh/loop/check.hpp"
#include "mesh/object/session.hpp"

namespace kiln::mesh {
namespace {

const SparsityState& sparsity_of(const Arg& arg) {
  return *Handles::state(static_cast<const MatState*>(arg.data)->sparsity);
}
std::size_t rows_of(const Arg& arg) { return arg.map->arity * sparsity_of(arg).row_dim; }
std::size_t columns_of(const Arg& arg) {
  return arg.column_map->arity * sparsity_of(arg).column_dim;
}

ScalarType type_of(const Arg& arg) {
  switch (arg.kind) {
    case Arg::Kind::dat:
      return static_cast<const DatState*>(arg.data)->data.form().type;
    case Arg::Kind::global:
      return static_cast<const GlobalState*>(arg.data)->data.form().type;
    default:
      return static_cast<const MatState*>(arg.data)->values.form().type;
  }
}

/// How deep the pointers are that a kernel's function takes. Read once; nothing where the text is
/// wrong, which who compiles it will say.
std::vector<int> pointer_depths(const Session& session, const Kernel& kernel) {
  const KernelState& state = *Handles::state(kernel);
  const std::lock_guard lock(state.mutex);
  if (!state.pointer_depths.empty()) return state.pointer_depths;
  const auto source = from_text(kernel.code(), kernel.name());
  if (!source) return {};
  const auto syntax = read_syntax(*source, constants_of(session));
  const int number = syntax ? syntax->function(kernel.name()) : -1;
  if (number < 0) return {};
  for (const int parameter : syntax->functions[static_cast<std::size_t>(number)].parameters)
    state.pointer_depths.push_back(
        syntax->declarations[static_cast<std::size_t>(parameter)].type.depth);
  return state.pointer_depths;
}

/// What of arguments decides on the text: no identities, no sizes of sets.
std::vector<std::int64_t> structure_of(std::span<const MixedArg> arguments) {
  std::vector<std::int64_t> numbers;
  const auto add = [&](auto... all) { (numbers.push_back(static_cast<std::int64_t>(all)), ...); };
  for (const MixedArg& argument : arguments) {
    add(argument.joined, argument.column_parts, argument.parts.size());
    for (const Arg& part : argument.parts) {
      add(part.kind, type_of(part), part.component, part.index, part.column_index,
          part.map == nullptr ? 0 : part.map->arity);
      if (part.kind == Arg::Kind::mat) add(rows_of(part), columns_of(part));
    }
  }
  return numbers;
}

}  // namespace

/// Whether the user's function takes a matrix as `T m[rows][columns]`, not as `T *`.
bool JoinedKernel::wants_rows() {
  const auto depths = pointer_depths(session_, kernel_);
  return place_ < depths.size() && depths[place_] == 2;
}

void JoinedKernel::add(const MixedArg& argument) {
  call_ += call_.empty() ? "" : ", ";
  call_ += !argument.joined             ? parameter(argument.parts.front())
           : argument.column_parts == 0 ? pointers(argument)
                                        : matrix(argument);
  ++place_;
}

std::string JoinedKernel::parameter(const Arg& arg) {
  if (arg.index >= 0 || arg.column_index >= 0)
    throw Error(Errc::bad_input,
                fmt::format("loop {}: an iteration index beside joined arguments", kernel_.name()));
  std::string name = fmt::format("kiln_part{}", parts_++);
  const std::string_view type = name_of(type_of(arg));
  const bool is_vector = arg.kind == Arg::Kind::dat && arg.map != nullptr && arg.component < 0;
  parameters_ += parameters_.empty() ? "" : ", ";
  parameters_ += arg.kind == Arg::Kind::mat && wants_rows()
                     ? fmt::format("{} {}[{}][{}]", type, name, rows_of(arg), columns_of(arg))
                     : fmt::format("{} {}{}", type, is_vector ? "**" : "*", name);
  return name;
}

std::string JoinedKernel::pointers(const MixedArg& argument) {
  std::string list;
  std::size_t count = 0;
  for (const Arg& part : argument.parts) {
    const std::string name = parameter(part);
    for (std::size_t c = 0; c < part.map->arity; ++c, ++count)
      list += fmt::format("{}{}[{}]", count == 0 ? "" : ", ", name, c);
  }
  std::string joined = fmt::format("kiln_joined{}", joined_++);
  before_ += fmt::format("  {} *{}[{}] = {{{}}};\n", name_of(type_of(argument.parts.front())),
                         joined, count, list);
  return joined;
}

std::string JoinedKernel::matrix(const MixedArg& argument) {
  const std::size_t columns = argument.column_parts, rows = argument.parts.size() / columns;
  std::size_t height = 0, width = 0;
  for (std::size_t r = 0; r < rows; ++r) height += rows_of(argument.parts[r * columns]);
  for (std::size_t c = 0; c < columns; ++c) width += columns_of(argument.parts[c]);
  std::string joined = fmt::format("kiln_joined{}", joined_++);
  const bool in_rows = wants_rows();
  const auto entry = [&](const std::string& name, std::size_t row, std::size_t column,
                         std::size_t of, bool by_rows) {
    return by_rows ? fmt::format("{}[{} + kiln_j][{} + kiln_k]", name, row, column)
                   : fmt::format("{}[({} + kiln_j) * {} + {} + kiln_k]", name, row, of, column);
  };
  const auto for_all = [](std::size_t lines, std::size_t of, const std::string& body) {
    return fmt::format(
        "  for (int kiln_j = 0; kiln_j < {}; ++kiln_j)\n"
        "    for (int kiln_k = 0; kiln_k < {}; ++kiln_k) {};\n",
        lines, of, body);
  };
  before_ += fmt::format(
      "  {} {}{};\n", name_of(type_of(argument.parts.front())), joined,
      in_rows ? fmt::format("[{}][{}]", height, width) : fmt::format("[{}]", height * width));
  before_ += for_all(height, width, entry(joined, 0, 0, width, in_rows) + " = 0");
  std::size_t row = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    std::size_t column = 0;
    const std::size_t lines = rows_of(argument.parts[r * columns]);
    for (std::size_t c = 0; c < columns; ++c) {
      const Arg& part = argument.parts[r * columns + c];
      const std::size_t of = columns_of(part);
      const std::string name = parameter(part);
      after_ += for_all(
          lines, of,
          entry(name, 0, 0, of, in_rows) + " = " + entry(joined, row, column, width, in_rows));
      column += of;
    }
    row += lines;
  }
  return joined;
}

Kernel JoinedKernel::kernel() const {
  const std::string name = kernel_.name() + "_joined";
  // Arrays of another type, or rows of another length, are mistakes that C only warns of.
  return Kernel(
      fmt::format("{}\n"
                  "#pragma clang diagnostic push\n"
                  "#pragma clang diagnostic error \"-Wincompatible-pointer-types\"\n"
                  "#pragma clang diagnostic ignored "
                  "\"-Wincompatible-pointer-types-discards-qualifiers\"\n"
                  "void {}({}) {{\n{}  {}({});\n{}}}\n"
                  "#pragma clang diagnostic pop\n",
                  kernel_.code(), name, parameters_, before_, kernel_.name(), call_, after_),
      name);
}

Kernel joined_kernel(const Session& session, const Kernel& kernel,
                     std::span<const MixedArg> arguments) {
  const KernelState& state = *Handles::state(kernel);
  auto structure = structure_of(arguments);
  {
    const std::lock_guard lock(state.mutex);
    if (const auto known = state.joined.find(structure); known != state.joined.end())
      return known->second;
  }
  JoinedKernel joined(session, kernel);
  for (const MixedArg& argument : arguments) joined.add(argument);
  Kernel made = joined.kernel();
  const std::lock_guard lock(state.mutex);
  // What the function takes is not known of a wrong text: another Mesh, with the constants that it
  // wants, may read it.
  if (!state.pointer_depths.empty()) state.joined.try_emplace(std::move(structure), made);
  return made;
}

}  // namespace kiln::mesh
