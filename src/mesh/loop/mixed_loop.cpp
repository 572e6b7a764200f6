// Mixed arguments: arithmetic of mixed Dats, and loops whose kernel gets several parts as one, by a
// fused kernel that is written around the user's.
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernel/text/kernel_writer.hpp"
#include "kiln/mesh/mixed.hpp"
#include "mesh/codegen/syntax.hpp"
#include "mesh/loop/arguments.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

std::size_t matrix_rows(const Arg& arg) { return arg.map->arity * sparsity_of(arg).row_dim; }
std::size_t matrix_columns(const Arg& arg) {
  return arg.column_map->arity * sparsity_of(arg).column_dim;
}

ScalarType type_of(const Arg& arg) { return data_of(arg).form().type; }

/// How deep the pointers are that a kernel's function takes. Read once; nothing where the text is
/// wrong: compiling it says so.
std::vector<int> pointer_depths(const Session& session, const Kernel& kernel) {
  const KernelState& state = *Handles::state(kernel);
  const std::lock_guard lock(state.mutex);
  if (!state.pointer_depths.empty()) return state.pointer_depths;
  const auto source = from_text(kernel.code(), kernel.name());
  if (!source) return {};
  const auto syntax = read_syntax(*source, constants_of(session));
  const int number = syntax ? function_named(*syntax, kernel.name()) : -1;
  if (number < 0) return {};
  for (const int parameter : syntax->function(number).parameters)
    state.pointer_depths.push_back(syntax->declared(parameter).type->depth);
  return state.pointer_depths;
}

/// What of arguments decides on the text: no identities, no sizes of sets.
std::vector<std::int64_t> structure_of(std::span<const MixedArg> arguments) {
  std::vector<std::int64_t> numbers;
  const auto add = [&](auto... all) { (numbers.push_back(static_cast<std::int64_t>(all)), ...); };
  for (const MixedArg& argument : arguments) {
    add(argument.is_fused, argument.column_parts, argument.parts.size());
    for (const Arg& part : argument.parts) {
      add(part.kind, type_of(part), part.component, part.index, part.column_index,
          part.map == nullptr ? 0 : part.map->arity);
      if (part.kind == Arg::Kind::mat) add(matrix_rows(part), matrix_columns(part));
    }
  }
  return numbers;
}

/// A function in C that fuses the parts of mixed arguments and calls the user's, which stands
/// before it: pointers to targets become one array of them, a local matrix is copied into the
/// blocks. So nothing else needs to know of fused arguments. (Its text says "joined": Keys are made
/// of it.)
class FusedKernel {
 public:
  /// The kernel is one of the Session's loops; both outlive this.
  FusedKernel(const Session& session, const Kernel& kernel) : session_(session), kernel_(kernel) {}

  /// The next argument of the user's function. Throws bad_input for iteration indices.
  void add(const MixedArg& argument) {
    call_ += call_.empty() ? "" : ", ";
    call_ += !argument.is_fused           ? parameter(argument.parts.front())
             : argument.column_parts == 0 ? pointers(argument)
                                          : matrix(argument);
    ++place_;
  }

  /// Its arguments are all parts of all arguments, in their order.
  Kernel kernel() {
    const std::string name = kernel_.name() + "_joined";
    KernelWriter out;
    out.lines(kernel_.code() + "\n");
    // Arrays of another type, or rows of another length, are mistakes that C only warns of.
    out.line("#pragma clang diagnostic push");
    out.line("#pragma clang diagnostic error \"-Wincompatible-pointer-types\"");
    out.line(
        "#pragma clang diagnostic ignored \"-Wincompatible-pointer-types-discards-qualifiers\"");
    out.open("void {}({})", name, parameters_);
    out.lines(before_.take());
    out.line("{}({});", kernel_.name(), call_);
    out.lines(after_.take());
    out.close();
    out.line("#pragma clang diagnostic pop");
    return Kernel(out.take(), name);
  }

 private:
  /// Whether the user's function takes a matrix as `T m[rows][columns]`, not as `T *`.
  bool wants_rows() {
    const auto depths = pointer_depths(session_, kernel_);
    return place_ < depths.size() && depths[place_] == 2;
  }

  std::string parameter(const Arg& arg) {
    if (arg.index >= 0 || arg.column_index >= 0)
      refuse("loop {}: an iteration index together with fused arguments", kernel_.name());
    std::string name = fmt::format("kiln_part{}", parts_++);
    const std::string_view type = name_of(type_of(arg));
    const bool is_vector = arg.kind == Arg::Kind::dat && arg.map != nullptr && arg.component < 0;
    parameters_ += parameters_.empty() ? "" : ", ";
    parameters_ +=
        arg.kind == Arg::Kind::mat && wants_rows()
            ? fmt::format("{} {}[{}][{}]", type, name, matrix_rows(arg), matrix_columns(arg))
            : fmt::format("{} {}{}", type, is_vector ? "**" : "*", name);
    return name;
  }

  std::string pointers(const MixedArg& argument) {
    std::string list;
    std::size_t count = 0;
    for (const Arg& part : argument.parts) {
      const std::string name = parameter(part);
      for (std::size_t c = 0; c < part.map->arity; ++c, ++count)
        list += fmt::format("{}{}[{}]", count == 0 ? "" : ", ", name, c);
    }
    std::string fused = fmt::format("kiln_joined{}", fused_++);
    before_.line("{} *{}[{}] = {{{}}};", name_of(type_of(argument.parts.front())), fused, count,
                 list);
    return fused;
  }

  std::string matrix(const MixedArg& argument) {
    const std::size_t columns = argument.column_parts, rows = argument.parts.size() / columns;
    std::size_t height = 0, width = 0;
    for (std::size_t r = 0; r < rows; ++r) height += matrix_rows(argument.parts[r * columns]);
    for (std::size_t c = 0; c < columns; ++c) width += matrix_columns(argument.parts[c]);
    std::string fused = fmt::format("kiln_joined{}", fused_++);
    const bool in_rows = wants_rows();
    const auto entry = [&](const std::string& name, std::size_t row, std::size_t column,
                           std::size_t of, bool by_rows) {
      return by_rows ? fmt::format("{}[{} + kiln_j][{} + kiln_k]", name, row, column)
                     : fmt::format("{}[({} + kiln_j) * {} + {} + kiln_k]", name, row, of, column);
    };
    const auto for_all = [](KernelWriter& out, std::size_t lines, std::size_t of,
                            const std::string& to, const std::string& from) {
      out.line("for (int kiln_j = 0; kiln_j < {}; ++kiln_j)", lines);
      out.line("  for (int kiln_k = 0; kiln_k < {}; ++kiln_k) {} = {};", of, to, from);
    };
    before_.line(
        "{} {}{};", name_of(type_of(argument.parts.front())), fused,
        in_rows ? fmt::format("[{}][{}]", height, width) : fmt::format("[{}]", height * width));
    for_all(before_, height, width, entry(fused, 0, 0, width, in_rows), "0");
    std::size_t row = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      std::size_t column = 0;
      const std::size_t lines = matrix_rows(argument.parts[r * columns]);
      for (std::size_t c = 0; c < columns; ++c) {
        const Arg& part = argument.parts[r * columns + c];
        const std::size_t of = matrix_columns(part);
        const std::string name = parameter(part);
        for_all(after_, lines, of, entry(name, 0, 0, of, in_rows),
                entry(fused, row, column, width, in_rows));
        column += of;
      }
      row += lines;
    }
    return fused;
  }

  const Session& session_;
  const Kernel& kernel_;
  std::string parameters_, call_;
  KernelWriter before_{1}, after_{1};
  std::size_t place_ = 0;  ///< of the argument that is added, among the user's
  std::size_t parts_ = 0;
  int fused_ = 0;
};

/// The kernel for these arguments; written once for arguments that are made up alike, as long as
/// the user's Kernel lives. Throws as FusedKernel::add() does. Thread-safe.
Kernel fused_kernel(const Session& session, const Kernel& kernel,
                    std::span<const MixedArg> arguments) {
  const KernelState& state = *Handles::state(kernel);
  auto structure = structure_of(arguments);
  {
    const std::lock_guard lock(state.mutex);
    if (const auto known = state.fused.find(structure); known != state.fused.end())
      return known->second;
  }
  FusedKernel fused(session, kernel);
  for (const MixedArg& argument : arguments) fused.add(argument);
  Kernel made = fused.kernel();
  const std::lock_guard lock(state.mutex);
  // What the function takes is not known of a wrong text: another Mesh, with the constants that it
  // wants, may read it.
  if (!state.pointer_depths.empty()) state.fused.try_emplace(std::move(structure), made);
  return made;
}

}  // namespace

void MixedDat::check(const MixedDat& other) const {
  if (other.size() != size())
    refuse("mixed dat of {} parts and one of {}, expected as many", size(), other.size());
}

void MixedDat::copy(const MixedDat& to) const {
  check(to);
  for (std::size_t p = 0; p < size(); ++p) (*this)[p].copy(to[p]);
}

double MixedDat::inner(const MixedDat& other) const {
  check(other);
  double sum = 0;
  for (std::size_t p = 0; p < size(); ++p) sum += (*this)[p].inner(other[p]);
  return sum;
}

double MixedDat::norm() const {
  double norm = 0;
  for (const Dat& part : *this) norm = std::hypot(norm, part.norm());
  return norm;
}

MixedArg arg(const MixedDat& dat, Access access) {
  std::vector<Arg> parts;
  for (const Dat& part : dat) parts.push_back(arg(part, access));
  return MixedArg::by_part(std::move(parts));
}

MixedArg arg(const MixedDat& dat, const MixedMap& maps, Access access) {
  if (dat.size() != maps.size())
    refuse("mixed dat of {} parts through a mixed map of {}, expected as many", dat.size(),
           maps.size());
  std::vector<Arg> parts;
  for (std::size_t p = 0; p < dat.size(); ++p) {
    if (dat[p].type() != dat[0].type())
      refuse("mixed dat: dat {} is of {} and dat {} of {}, expected one type", dat[0].name(),
             name_of(dat[0].type()), dat[p].name(), name_of(dat[p].type()));
    parts.push_back(arg(dat[p], maps[p], access));
  }
  return MixedArg::as_one(std::move(parts));
}

void par_loop(const Kernel& kernel, const Iteration& over, std::span<const MixedArg> arguments) {
  std::vector<Arg> parts;
  for (const MixedArg& argument : arguments) {
    if (!argument.is_fused && argument.parts.size() != 1)
      refuse("loop {}: a mixed dat without maps over one set, expected a loop over a MixedSet",
             kernel.name());
    parts.insert(parts.end(), argument.parts.begin(), argument.parts.end());
  }
  check_alive(kernel, parts);  // a fused kernel is made of what they point to
  par_loop(fused_kernel(*Handles::state(over.set())->session, kernel, arguments), over,
           std::span<const Arg>(parts));
}

void par_loop(const Kernel& kernel, const MixedSet& over, std::span<const MixedArg> arguments) {
  for (const MixedArg& argument : arguments)
    if (argument.is_fused || (argument.parts.size() != 1 && argument.parts.size() != over.size()))
      refuse("loop {}: an argument of {} parts{}, expected one for each of {} sets", kernel.name(),
             argument.parts.size(), argument.is_fused ? " through maps" : "", over.size());
  for (std::size_t p = 0; p < over.size(); ++p) {
    std::vector<Arg> of_part;
    for (const MixedArg& argument : arguments)
      of_part.push_back(argument.parts[argument.parts.size() == 1 ? 0 : p]);
    par_loop(kernel, over[p], std::span<const Arg>(of_part));
  }
}

}  // namespace kiln::mesh
