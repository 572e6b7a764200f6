// The kernels of conjugate gradients, written for a type and a dimension.
#include "mesh/solve/conjugate_gradients.hpp"

#include <fmt/format.h>

namespace kiln::mesh {
namespace {

/// A function with the body done for each component k of an element, after `before`.
Kernel make(const char* name, std::string parameters, std::string before, std::string body,
            ScalarType type, std::size_t dim, bool has_diagonal) {
  const auto replace = [](std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  std::string text = fmt::format(
      "void {}({}) {{\n{}  for (int kiln_k = 0; kiln_k < {}; ++kiln_k) {{\n{}  }}\n}}\n", name,
      parameters, before, dim, body);
  replace(text, "$D", has_diagonal ? ", const T *kiln_d" : "");
  replace(text, "$d*", has_diagonal ? "kiln_d[kiln_k] * " : "");
  // A macro would stay as it is where the function is copied for several elements at once.
  replace(text, "T *", std::string(name_of(type)) + " *");
  replace(text, "T kiln", std::string(name_of(type)) + " kiln");
  return Kernel(text, name);
}

}  // namespace

// From the first iteration on that has reached its goal, or found the matrix indefinite, nothing
// moves: alpha is 0, so x and r stay.
CgKernels::CgKernels(ScalarType type, std::size_t dim, bool has_diagonal)
    : invert(make("kiln_cg_invert", "T *kiln_d, T *kiln_lowest", "",
                  "    *kiln_lowest = fmin(*kiln_lowest, fabs(kiln_d[kiln_k]));\n"
                  "    kiln_d[kiln_k] = 1 / kiln_d[kiln_k];\n",
                  type, dim, true)),
      begin(make("kiln_cg_begin",
                 "const T *kiln_b, const T *kiln_q$D, T *kiln_r, T *kiln_p, T *kiln_s, T *kiln_bb",
                 "",
                 "    kiln_r[kiln_k] = kiln_b[kiln_k] - kiln_q[kiln_k];\n"
                 "    kiln_p[kiln_k] = $d*kiln_r[kiln_k];\n"
                 "    kiln_s[0] += kiln_r[kiln_k] * kiln_p[kiln_k];\n"
                 "    kiln_s[1] += kiln_r[kiln_k] * kiln_r[kiln_k];\n"
                 "    *kiln_bb += kiln_b[kiln_k] * kiln_b[kiln_k];\n",
                 type, dim, has_diagonal)),
      product(make("kiln_cg_product", "const T *kiln_p, const T *kiln_q, T *kiln_pq", "",
                   "    *kiln_pq += kiln_p[kiln_k] * kiln_q[kiln_k];\n", type, dim, has_diagonal)),
      update(make("kiln_cg_update",
                  "const T *kiln_s, const T *kiln_pq, const T *kiln_goal, const T *kiln_p, const T "
                  "*kiln_q$D, T *kiln_x, T *kiln_r, T *kiln_next",
                  "  const T kiln_alpha = kiln_s[1] > *kiln_goal && *kiln_pq > 0 ? kiln_s[0] / "
                  "*kiln_pq : 0;\n",
                  "    kiln_x[kiln_k] += kiln_alpha * kiln_p[kiln_k];\n"
                  "    kiln_r[kiln_k] -= kiln_alpha * kiln_q[kiln_k];\n"
                  "    kiln_next[0] += $d*kiln_r[kiln_k] * kiln_r[kiln_k];\n"
                  "    kiln_next[1] += kiln_r[kiln_k] * kiln_r[kiln_k];\n",
                  type, dim, has_diagonal)),
      direction(make("kiln_cg_direction",
                     "const T *kiln_s, const T *kiln_next$D, const T *kiln_r, T *kiln_p",
                     "  const T kiln_beta = kiln_next[1] > 0 ? kiln_next[0] / kiln_s[0] : 0;\n",
                     "    kiln_p[kiln_k] = $d*kiln_r[kiln_k] + kiln_beta * kiln_p[kiln_k];\n", type,
                     dim, has_diagonal)) {}

}  // namespace kiln::mesh
