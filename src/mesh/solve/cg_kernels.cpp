// The kernels of conjugate gradients, written for a type and a dimension, and what they work on.
// The method itself, with its stopping rule, is in solver.cpp.
#include "mesh/solve/cg_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mesh/codegen/helper_text.hpp"

namespace kiln::mesh {

/// The template of this name. Words are replaced: a macro would stay as it is where the function is
/// copied for several elements at once.
Kernel cg_kernel(const char* name, ScalarType type, std::size_t dim, bool has_diagonal) {
  std::string text(template_text(name));
  const auto replace = [&](std::string_view from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  if (!has_diagonal) {
    replace(", const T *kiln_d", "");
    replace("kiln_d[kiln_k] * ", "");
  }
  replace("T *", fmt::format("{} *", name_of(type)));
  replace("T kiln", fmt::format("{} kiln", name_of(type)));
  replace("DIM", std::to_string(dim));
  return Kernel(text, name);
}

MixedDat cg_vectors(const MixedDat& like, const char* name) {
  std::vector<Dat> made;
  for (const Dat& part : like) {
    const auto& state = *Handles::state(part);
    auto form = state.data.form();
    form.layout = DataLayout::aos;
    made.push_back(Handles::keep<Dat>(
        DatState{state.session, name, state.on, next_identity(), Residence(form)}));
  }
  return MixedDat(std::move(made));
}

Global cg_scalar(const Dat& like, std::size_t dim, const char* name) {
  return Handles::keep<Global>(GlobalState{Handles::state(like)->session, name, next_identity(),
                                           Residence({like.type(), 1, dim, DataLayout::aos})});
}

std::vector<double> values_of(const Global& global) {
  return with_type(global.type(), [&](auto zero) {
    const auto values = global.values<decltype(zero)>();
    return std::vector<double>(values.begin(), values.end());
  });
}
void set_all(Global& global, std::span<const double> values) {
  with_type(global.type(), [&](auto zero) {
    const std::vector<decltype(zero)> numbers(values.begin(), values.end());
    global.set(std::span<const decltype(zero)>(numbers));
  });
}
void set_all(Global& global, double value) {
  set_all(global, std::vector<double>(global.dim(), value));
}

// From the first iteration on that has reached its goal, or found the matrix indefinite, nothing
// moves: alpha is 0, so x and r stay.
CgKernels::CgKernels(ScalarType type, std::size_t dim, bool has_diagonal)
    : invert(cg_kernel("kiln_cg_invert", type, dim, true)),
      begin(cg_kernel("kiln_cg_begin", type, dim, has_diagonal)),
      product(cg_kernel("kiln_cg_product", type, dim, has_diagonal)),
      update(cg_kernel("kiln_cg_update", type, dim, has_diagonal)),
      direction(cg_kernel("kiln_cg_direction", type, dim, has_diagonal)) {}

Workspace::Workspace(const MixedDat& like, bool with_diagonal)
    : session(Handles::state(like[0])->session),
      has_diagonal(with_diagonal),
      r(cg_vectors(like, "r")),
      p(cg_vectors(like, "p")),
      q(cg_vectors(like, "q")),
      d(cg_vectors(like, "d")),
      bb(cg_scalar(like[0], 1)),
      goal(cg_scalar(like[0], 1)),
      lowest(cg_scalar(like[0], 1, "least entry of the diagonal")) {
  for (const Dat& part : like) kernels.emplace_back(part.type(), part.dim(), with_diagonal);
  for (std::size_t i = 0; i <= looks_apart; ++i) s.push_back(cg_scalar(like[0], 2));
  for (std::size_t i = 0; i < looks_apart; ++i) pq.push_back(cg_scalar(like[0], 1));
}

bool Workspace::fits(const MixedDat& x, bool with_diagonal) const {
  return std::equal(r.begin(), r.end(), x.begin(), x.end(),
                    [](const Dat& mine, const Dat& other) {
                      return mine.set() == other.set() && mine.dim() == other.dim() &&
                             mine.type() == other.type();
                    }) &&
         with_diagonal == has_diagonal;
}

}  // namespace kiln::mesh
