#include "mesh/linear/solve_checks.hpp"

#include <fmt/format.h>

#include "mesh/object/session.hpp"

namespace kiln::mesh {
namespace {

template <class... Parts>
[[noreturn]] void refuse_system(fmt::format_string<Parts...> text, Parts&&... parts) {
  refuse_solution(fmt::format(text, std::forward<Parts>(parts)...));
}

void check_fits(const Dat& dat, const Dat& x, ScalarType type) {
  if (Handles::state(dat)->session != Handles::state(x)->session)
    refuse_system("dat {} belongs to another Mesh", dat.name());
  if (!(dat.set() == x.set()))
    refuse_system("dat {} is on set {}, expected {}", dat.name(), dat.set().name(), x.set().name());
  if (dat.dim() != x.dim())
    refuse_system("dat {} has {} components, expected {}", dat.name(), dat.dim(), x.dim());
  if (dat.type() != type)
    refuse_system("dat {} is of {}, expected {}", dat.name(), name_of(dat.type()), name_of(type));
}

/// No part of the solution may be another one, or a part of what is given.
void check_apart(const MixedDat& x, const MixedDat& other) {
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t k = 0; k < other.size(); ++k)
      if (x[i] == other[k] && (&x != &other || i != k))
        refuse_system("dat {} is the solution and something else, too", x[i].name());
}

void check_fits_rows(const Mat& mat, const Dat& x) {
  const auto& sparsity = *Handles::state(mat.sparsity());
  if (!(sparsity.row_set == sparsity.column_set) || sparsity.row_dim != sparsity.column_dim)
    refuse_system("mat {} is not square", mat.name());
  if (!(x.set() == sparsity.row_set))
    refuse_system("dat {} is on set {}, expected {}", x.name(), x.set().name(),
                  sparsity.row_set.name());
  if (x.dim() != sparsity.row_dim)
    refuse_system("dat {} has {} components, expected {}", x.name(), x.dim(), sparsity.row_dim);
  if (x.type() != mat.type())
    refuse_system("dat {} is of {}, expected {}", x.name(), name_of(x.type()), name_of(mat.type()));
}

}  // namespace

void refuse_solution(const std::string& why) { throw Error(Errc::bad_input, "solve: " + why); }

void check_options(const SolveOptions& options) {
  const auto check = [](const char* name, double value) {
    if (!(value >= 0)) refuse_system("{} {}, expected 0 or more", name, value);
  };
  check("relative", options.relative);
  check("absolute", options.absolute);
  check("divergence", options.divergence);
}

void check_dats(const MixedDat& x, const MixedDat& b, const MixedDat* diagonal) {
  const ScalarType type = x[0].type();
  if (!is_floating(type))
    refuse_system("dat {} is of {}, expected float or double", x[0].name(), name_of(type));
  for (const MixedDat* other : {&x, &b, diagonal}) {
    if (other == nullptr) continue;
    if (other->size() != x.size())
      refuse_system("mixed dats of {} and {} parts, expected as many", x.size(), other->size());
    for (std::size_t p = 0; p < x.size(); ++p) check_fits((*other)[p], x[p], type);
    check_apart(x, *other);
  }
}

void check_sums(const SolveOptions& options, const MixedDat& x) {
  if (options.sum) return;
  for (const Dat& part : x)
    if (Handles::state(part.set())->exchange != nullptr)
      throw Error(Errc::unsupported,
                  fmt::format("solve: set {} has a HaloExchange, so that inner products need "
                              "SolveOptions::sum, which adds up over all parts",
                              part.set().name()));
}

void check_fits_rows(const MixedMat& mat, const MixedDat& x) {
  if (mat.row_parts() != mat.column_parts())
    refuse_system("a mixed mat of {} x {} parts is not square", mat.row_parts(),
                  mat.column_parts());
  if (x.size() != mat.row_parts())
    refuse_system("a mixed dat of {} parts, expected {}", x.size(), mat.row_parts());
  for (std::size_t p = 0; p < x.size(); ++p) check_fits_rows(mat.block(p, p), x[p]);
}

}  // namespace kiln::mesh
