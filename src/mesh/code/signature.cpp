#include "mesh/code/signature.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::mesh {
namespace {

using ParameterKind = KernelParameter::Kind;

/// Whether some argument writes to a Dat or Mat.
bool is_written(const LoopShape& shape, int dat) {
  return std::any_of(shape.arguments.begin(), shape.arguments.end(), [&](const ArgShape& a) {
    return a.kind == ArgShape::Kind::dat && a.data == dat && a.access != Access::read;
  });
}

// Distinct Dats never share memory, which `restrict` tells the compiler.
std::string declare(const LoopShape& shape, const Parameters& parameters,
                    const KernelParameter& p) {
  const auto type = [&](ArgShape::Kind kind, bool reduced = false) {
    return name_of(first_argument(shape, kind, p.number, reduced).type);
  };
  const int n = p.number;
  switch (p.kind) {
    case ParameterKind::dat:
      return fmt::format("__global {}{} *restrict kiln_d{}", is_written(shape, n) ? "" : "const ",
                         type(ArgShape::Kind::dat), n);
    case ParameterKind::dat_stride:
      return fmt::format("const long kiln_s{}", n);
    case ParameterKind::global:
      return fmt::format("__global const {} *restrict kiln_global{}", type(ArgShape::Kind::global),
                         n);
    case ParameterKind::partials:
      return fmt::format("__global {} *restrict kiln_partials{}",
                         type(ArgShape::Kind::global, true), n);
    case ParameterKind::global_result:
      return fmt::format("__global {} *restrict kiln_result{}", type(ArgShape::Kind::global, true),
                         n);
    case ParameterKind::constant: {
      const ConstShape& constant = shape.constants[static_cast<std::size_t>(n)];
      return fmt::format("{} kiln_c{}",
                         constant.scalar ? fmt::format("const {}", name_of(constant.type))
                                         : fmt::format("__constant {} *", name_of(constant.type)),
                         n);
    }
    case ParameterKind::mat_values:
      return fmt::format("__global {} *restrict kiln_values{}", type(ArgShape::Kind::mat), n);
    case ParameterKind::mat_rowptr:
      return fmt::format("__global const int *restrict kiln_rowptr{}", n);
    case ParameterKind::mat_colidx:
      return fmt::format("__global const int *restrict kiln_colidx{}", n);
    case ParameterKind::map:
      return fmt::format("__global const int *restrict kiln_map{}", n);
    case ParameterKind::map_offset:
      return fmt::format("__global const int *restrict kiln_offset{}", n);
    case ParameterKind::begin:
      return "const int kiln_begin";
    case ParameterKind::end:
      return "const int kiln_end";
    case ParameterKind::subset:
      return "__global const int *restrict kiln_subset";
    case ParameterKind::layers:
      return "const int kiln_layers";
    case ParameterKind::block_size:
      return "const int kiln_block_size";
    case ParameterKind::first_block:
      return "const int kiln_first_block";
    case ParameterKind::blkmap:
      return "__global const int *restrict kiln_blkmap";
    case ParameterKind::order:
      return "__global const int *restrict kiln_order";
    case ParameterKind::ind_map:
      return "__global const int *restrict kiln_ind_map";
    case ParameterKind::ind_sizes:
      return "__global const int *restrict kiln_ind_sizes";
    case ParameterKind::ind_offsets:
      return "__global const int *restrict kiln_ind_offsets";
    case ParameterKind::loc_map:
      return fmt::format("__global const {} *restrict kiln_loc_map",
                         parameters.get("LOC32", 0) != 0 ? "uint" : "ushort");
    case ParameterKind::element_colours:
      return "__global const int *restrict kiln_element_colours";
    case ParameterKind::colour_counts:
      return "__global const int *restrict kiln_colour_counts";
    case ParameterKind::local_bytes:
      return "__local long2 *kiln_local";
    case ParameterKind::first_partial:
      return "const int kiln_first_partial";
    case ParameterKind::partial_count:
      return "const int kiln_count";
  }
  return {};
}

std::string signature(const LoopShape& shape, const Parameters& parameters, const std::string& name,
                      const std::vector<KernelParameter>& list, std::size_t group) {
  std::string text = fmt::format(
      "__kernel __attribute__((reqd_work_group_size({}, 1, 1)))\nvoid {}(", group, name);
  for (std::size_t i = 0; i < list.size(); ++i)
    text += (i == 0 ? "\n    " : ",\n    ") + declare(shape, parameters, list[i]);
  return text + ")";
}

}  // namespace

const ArgShape& first_argument(const LoopShape& shape, ArgShape::Kind kind, int number,
                               bool reduced) {
  const auto found =
      std::find_if(shape.arguments.begin(), shape.arguments.end(), [&](const ArgShape& a) {
        return a.kind == kind && a.data == number && is_reduction(a) == reduced;
      });
  if (found == shape.arguments.end())
    throw Error(Errc::internal, "a loop's layout names data that no argument has");
  return *found;
}

std::vector<ArgShape> reductions(const LoopShape& shape) {
  std::vector<ArgShape> found;
  for (const auto& p : fold_parameters(shape))
    if (p.kind == ParameterKind::partials)
      found.push_back(first_argument(shape, ArgShape::Kind::global, p.number, true));
  return found;
}

std::vector<ArgShape> read_globals(const LoopShape& shape) {
  std::vector<ArgShape> found;
  for (const auto& p : loop_parameters(shape, {}))
    if (p.kind == ParameterKind::global)
      found.push_back(first_argument(shape, ArgShape::Kind::global, p.number, false));
  return found;
}

std::string loop_signature(const LoopShape& shape, const Parameters& parameters) {
  const bool blocks = form_of(parameters) == Form::blocks;
  return signature(shape, parameters, loop_kernel(shape), loop_parameters(shape, parameters),
                   blocks ? 1 : static_cast<std::size_t>(parameters.get("GROUP", 1)));
}

std::string fold_signature(const LoopShape& shape, const Parameters& parameters) {
  return signature(shape, parameters, fold_kernel(shape), fold_parameters(shape),
                   fold_group(parameters));
}

}  // namespace kiln::mesh
