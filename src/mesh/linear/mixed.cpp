#include "kiln/mesh/mixed.hpp"

#include <fmt/format.h>

#include <cmath>

#include "mesh/loop/check.hpp"
#include "mesh/loop/joined_kernel.hpp"
#include "mesh/object/state.hpp"

namespace kiln::mesh {
namespace {

template <class... Parts>
[[noreturn]] void refuse_mixed(fmt::format_string<Parts...> text, Parts&&... parts) {
  throw Error(Errc::bad_input, fmt::format(text, std::forward<Parts>(parts)...));
}

}  // namespace

void MixedDat::check(const MixedDat& other) const {
  if (other.size() != size())
    refuse_mixed("mixed dat of {} parts and one of {}, expected as many", size(), other.size());
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
    refuse_mixed("mixed dat of {} parts through a mixed map of {}, expected as many", dat.size(),
                 maps.size());
  std::vector<Arg> parts;
  for (std::size_t p = 0; p < dat.size(); ++p) {
    if (dat[p].type() != dat[0].type())
      refuse_mixed("mixed dat: dat {} is of {} and dat {} of {}, expected one type", dat[0].name(),
                   name_of(dat[0].type()), dat[p].name(), name_of(dat[p].type()));
    parts.push_back(arg(dat[p], maps[p], access));
  }
  return MixedArg::as_one(std::move(parts));
}

void par_loop(const Kernel& kernel, const Iteration& over, std::span<const MixedArg> arguments) {
  std::vector<Arg> parts;
  for (const MixedArg& argument : arguments) {
    if (!argument.joined && argument.parts.size() != 1)
      refuse_mixed(
          "loop {}: a mixed dat without maps over one set, expected a loop over a MixedSet",
          kernel.name());
    parts.insert(parts.end(), argument.parts.begin(), argument.parts.end());
  }
  check_alive(kernel, parts);  // a joined kernel is made of what they point to
  par_loop(joined_kernel(*Handles::state(over.set())->session, kernel, arguments), over,
           std::span<const Arg>(parts));
}

void par_loop(const Kernel& kernel, const MixedSet& over, std::span<const MixedArg> arguments) {
  for (const MixedArg& argument : arguments)
    if (argument.joined || (argument.parts.size() != 1 && argument.parts.size() != over.size()))
      refuse_mixed("loop {}: an argument of {} parts{}, expected one for each of {} sets",
                   kernel.name(), argument.parts.size(), argument.joined ? " through maps" : "",
                   over.size());
  for (std::size_t p = 0; p < over.size(); ++p) {
    std::vector<Arg> of_part;
    for (const MixedArg& argument : arguments)
      of_part.push_back(argument.parts[argument.parts.size() == 1 ? 0 : p]);
    par_loop(kernel, over[p], std::span<const Arg>(of_part));
  }
}

}  // namespace kiln::mesh
