#include "mesh/code/reduction_text.hpp"

#include <fmt/format.h>

#include "mesh/code/component_loop.hpp"
#include "mesh/code/literals.hpp"
#include "mesh/code/signature.hpp"

namespace kiln::mesh {
namespace {

std::string identities(const std::string& type, const std::string& name, const ArgShape& r) {
  return fmt::format("  {0} {1}[{2}];\n  {4} {1}[kiln_k] = {3};\n", type, name, r.dim,
                     identity(r.type, r.access), over_components(r.dim));
}

}  // namespace

std::string type_text(ScalarType type, int lanes) {
  return lanes == 1 ? std::string(name_of(type)) : fmt::format("{}{}", name_of(type), lanes);
}

std::string accumulator_name(int global, int lanes) {
  return fmt::format("kiln_{}{}", lanes == 1 ? "r" : "v", global);
}

std::string extreme_name(int global, int lanes) {
  return fmt::format("kiln_{}{}", lanes == 1 ? "b" : "bv", global);
}

std::string global_name(int global, int lanes) {
  return fmt::format("kiln_{}{}", lanes == 1 ? "g" : "w", global);
}

std::string accumulator(const ArgShape& reduction, int lanes) {
  const std::string type = type_text(reduction.type, lanes);
  std::string text = identities(type, accumulator_name(reduction.data, lanes), reduction);
  if (is_extreme(reduction))
    text += identities(type, extreme_name(reduction.data, lanes), reduction);
  return text;
}

std::string one_accumulator(const ArgShape& reduction) {
  return identities(type_text(reduction.type, 1), accumulator_name(reduction.data, 1), reduction);
}

bool is_extreme(const ArgShape& reduction) {
  return reduction.access == Access::min || reduction.access == Access::max;
}

std::string keep_extremes(const LoopShape& shape, int lanes) {
  std::string text;
  for (const auto& r : reductions(shape)) {
    if (!is_extreme(r)) continue;
    const std::string kept = extreme_name(r.data, lanes) + "[kiln_k]";
    text +=
        fmt::format("    {} {} = {};\n", over_components(r.dim), kept,
                    combined(r.type, r.access, kept, accumulator_name(r.data, lanes) + "[kiln_k]"));
  }
  return text;
}

std::string settle_extremes(const LoopShape& shape) {
  std::string text;
  for (const auto& r : reductions(shape))
    if (is_extreme(r))
      text += fmt::format("  {} {}[kiln_k] = {}[kiln_k];\n", over_components(r.dim),
                          accumulator_name(r.data, 1), extreme_name(r.data, 1));
  return text;
}

std::string global_copy(const ArgShape& global, int lanes) {
  return fmt::format("  {} {}[{}];\n  {} {}[kiln_k] = kiln_global{}[kiln_k];\n",
                     type_text(global.type, lanes), global_name(global.data, lanes), global.dim,
                     over_components(global.dim), global_name(global.data, lanes), global.data);
}

}  // namespace kiln::mesh
