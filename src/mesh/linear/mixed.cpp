#include "kiln/mesh/mixed.hpp"

#include <fmt/format.h>

#include <cmath>

#include "mesh/object/state.hpp"

namespace kiln::mesh {
namespace {

template <class... Parts>
[[noreturn]] void refuse(fmt::format_string<Parts...> text, Parts&&... parts) {
  throw Error(Errc::bad_input, fmt::format(text, std::forward<Parts>(parts)...));
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

/// A function in C that joins arrays of pointers and calls the user's, which stands before it. So
/// nothing else needs to know of joined arguments.
class Joining {
 public:
  explicit Joining(const Kernel& kernel) : kernel_(kernel) {}

  void add(const MixedArg& argument) {
    call_ += call_.empty() ? "" : ", ";
    if (!argument.joined) {
      call_ += parameter(argument.parts.front());
      return;
    }
    std::string pointers;
    std::size_t count = 0;
    for (const Arg& part : argument.parts) {
      const std::string name = parameter(part);
      for (std::size_t c = 0; c < part.map->arity; ++c, ++count)
        pointers += fmt::format("{}{}[{}]", count == 0 ? "" : ", ", name, c);
    }
    const std::string joined = fmt::format("kiln_joined{}", joined_++);
    body_ += fmt::format("  {} *{}[{}] = {{{}}};\n", name_of(type_of(argument.parts.front())),
                         joined, count, pointers);
    call_ += joined;
  }

  Kernel kernel() const {
    const std::string name = kernel_.name() + "_joined";
    return Kernel(fmt::format("{}\nvoid {}({}) {{\n{}  {}({});\n}}\n", kernel_.code(), name,
                              parameters_, body_, kernel_.name(), call_),
                  name);
  }
  const std::vector<Arg>& arguments() const { return arguments_; }

 private:
  std::string parameter(const Arg& arg) {
    if (arg.kind == Arg::Kind::mat)
      refuse("loop {}: a Mat beside joined arguments", kernel_.name());
    if (arg.index >= 0)
      refuse("loop {}: an iteration index beside joined arguments", kernel_.name());
    const std::string name = fmt::format("kiln_part{}", arguments_.size());
    const bool is_vector = arg.map != nullptr && arg.component < 0;
    parameters_ += fmt::format("{}{} {}{}", arguments_.empty() ? "" : ", ", name_of(type_of(arg)),
                               is_vector ? "**" : "*", name);
    arguments_.push_back(arg);
    return name;
  }

  const Kernel& kernel_;
  std::string parameters_, body_, call_;
  std::vector<Arg> arguments_;
  int joined_ = 0;
};

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
  return {std::move(parts), false};
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
  return {std::move(parts), true};
}

void par_loop(const Kernel& kernel, const Iteration& over, std::span<const MixedArg> arguments) {
  Joining joining(kernel);
  for (const MixedArg& argument : arguments) {
    if (!argument.joined && argument.parts.size() != 1)
      refuse("loop {}: a mixed dat without maps over one set, expected a loop over a MixedSet",
             kernel.name());
    joining.add(argument);
  }
  par_loop(joining.kernel(), over, std::span<const Arg>(joining.arguments()));
}

void par_loop(const Kernel& kernel, const MixedSet& over, std::span<const MixedArg> arguments) {
  for (const MixedArg& argument : arguments)
    if (argument.joined || (argument.parts.size() != 1 && argument.parts.size() != over.size()))
      refuse("loop {}: an argument of {} parts{}, expected one for each of {} sets", kernel.name(),
             argument.parts.size(), argument.joined ? " through maps" : "", over.size());
  for (std::size_t p = 0; p < over.size(); ++p) {
    std::vector<Arg> of_part;
    for (const MixedArg& argument : arguments)
      of_part.push_back(argument.parts[argument.parts.size() == 1 ? 0 : p]);
    par_loop(kernel, over[p], std::span<const Arg>(of_part));
  }
}

}  // namespace kiln::mesh
