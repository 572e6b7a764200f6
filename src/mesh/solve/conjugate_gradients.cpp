// The kernels of conjugate gradients, written for a type and a dimension.
#include "mesh/solve/conjugate_gradients.hpp"

#include <fmt/format.h>

#include "mesh/codegen/helper_text.hpp"

namespace kiln::mesh {
namespace {

/// The template of this name. Words are replaced: a macro would stay as it is where the function is
/// copied for several elements at once.
Kernel make(const char* name, ScalarType type, std::size_t dim, bool has_diagonal) {
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

}  // namespace

// From the first iteration on that has reached its goal, or found the matrix indefinite, nothing
// moves: alpha is 0, so x and r stay.
CgKernels::CgKernels(ScalarType type, std::size_t dim, bool has_diagonal)
    : invert(make("kiln_cg_invert", type, dim, true)),
      begin(make("kiln_cg_begin", type, dim, has_diagonal)),
      product(make("kiln_cg_product", type, dim, has_diagonal)),
      update(make("kiln_cg_update", type, dim, has_diagonal)),
      direction(make("kiln_cg_direction", type, dim, has_diagonal)) {}

}  // namespace kiln::mesh
