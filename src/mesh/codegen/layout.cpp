// The parameters of generated kernels, their declarations, and the pairs and conflicts of their
// plans.
#include "mesh/codegen/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "kernel/source/lexer.hpp"
#include "kernel/text/kernel_writer.hpp"

namespace kiln::mesh {
namespace {

using ParameterKind = KernelParameter::Kind;

/// The numbers of a kind's data, rising, each once.
std::set<int> data_numbers(const LoopShape& shape, ArgShape::Kind kind, bool reductions) {
  std::set<int> found;
  for (const auto& a : shape.arguments)
    if (a.kind == kind && is_reduction(a) == reductions) found.insert(a.data);
  return found;
}

bool is_soa(const LoopShape& shape, int dat) {
  return std::ranges::any_of(shape.arguments, [&](const ArgShape& a) {
    return a.kind == ArgShape::Kind::dat && a.data == dat && a.soa;
  });
}

std::set<int> map_numbers(const LoopShape& shape) {
  std::set<int> found;
  for (const auto& argument : shape.arguments)
    for (const int map : {argument.map, argument.column_map})
      if (map >= 0) found.insert(map);
  return found;
}

void add_data(std::vector<KernelParameter>& list, const LoopShape& shape) {
  for (const int dat : data_numbers(shape, ArgShape::Kind::dat, false)) {
    list.push_back({ParameterKind::dat, dat});
    if (is_soa(shape, dat)) list.push_back({ParameterKind::dat_stride, dat});
  }
  for (const int global : data_numbers(shape, ArgShape::Kind::global, false))
    list.push_back({ParameterKind::global, global});
  for (const int global : data_numbers(shape, ArgShape::Kind::global, true))
    list.push_back({ParameterKind::partials, global});
  for (std::size_t i = 0; i < shape.constants.size(); ++i)
    list.push_back({ParameterKind::constant, static_cast<int>(i)});
  for (const int mat : data_numbers(shape, ArgShape::Kind::mat, false))
    for (const ParameterKind kind :
         {ParameterKind::mat_values, ParameterKind::mat_rowptr, ParameterKind::mat_colidx})
      list.push_back({kind, mat});
  for (const int map : map_numbers(shape)) {
    list.push_back({ParameterKind::map, map});
    if (shape.extruded) list.push_back({ParameterKind::map_offset, map});
  }
}

void add_plan(std::vector<KernelParameter>& list, const LoopShape& shape, Form form) {
  const bool conflicts = has_conflicts(shape);
  if (form == Form::blocks || form == Form::staged) {
    list.push_back({ParameterKind::block_size});
    list.push_back({ParameterKind::first_block});
    if (conflicts || form == Form::staged) list.push_back({ParameterKind::blkmap});
  }
  if (form == Form::coloured && conflicts) list.push_back({ParameterKind::order});
  if (form == Form::staged)
    for (const ParameterKind kind :
         {ParameterKind::ind_map, ParameterKind::ind_sizes, ParameterKind::ind_offsets,
          ParameterKind::loc_map, ParameterKind::element_colours, ParameterKind::colour_counts,
          ParameterKind::local_bytes})
      list.push_back({kind});
}

}  // namespace

bool is_reduction(const ArgShape& argument) {
  return argument.kind == ArgShape::Kind::global && argument.access != Access::read;
}

Form form_of(const Parameters& parameters) { return static_cast<Form>(parameters.get("FORM", 0)); }

std::vector<KernelParameter> loop_parameters(const LoopShape& shape, const Parameters& parameters) {
  std::vector<KernelParameter> list;
  add_data(list, shape);
  list.push_back({ParameterKind::begin});
  list.push_back({ParameterKind::end});
  if (shape.subset) list.push_back({ParameterKind::subset});
  if (shape.extruded) list.push_back({ParameterKind::layers});
  add_plan(list, shape, form_of(parameters));
  if (!fold_parameters(shape).empty()) list.push_back({ParameterKind::first_partial});
  return list;
}

std::vector<KernelParameter> fold_parameters(const LoopShape& shape) {
  std::vector<KernelParameter> list;
  for (const int global : data_numbers(shape, ArgShape::Kind::global, true)) {
    list.push_back({ParameterKind::partials, global});
    list.push_back({ParameterKind::global_result, global});
  }
  if (!list.empty()) list.push_back({ParameterKind::partial_count});
  return list;
}

std::size_t fold_group(const Parameters& parameters) {
  return form_of(parameters) == Form::blocks ? 1
                                             : static_cast<std::size_t>(parameters.get("GROUP", 1));
}

std::string loop_kernel(const LoopShape& shape) { return "kiln_loop_" + shape.kernel; }
std::string fold_kernel(const LoopShape& shape) { return "kiln_fold_" + shape.kernel; }

std::vector<int> conflicting_arguments(const LoopShape& shape) {
  std::vector<int> found;
  for (std::size_t i = 0; i < shape.arguments.size(); ++i) {
    const ArgShape& argument = shape.arguments[i];
    const bool adds = argument.access == Access::inc || argument.access == Access::rw;
    if (argument.kind == ArgShape::Kind::mat ||
        (argument.kind == ArgShape::Kind::dat && argument.via != ArgShape::Via::direct && adds))
      found.push_back(static_cast<int>(i));
  }
  return found;
}

bool has_conflicts(const LoopShape& shape) { return !conflicting_arguments(shape).empty(); }

LoopShape with_used_constants(LoopShape shape) {
  std::set<std::string_view> words;
  const Lexed lexed = shape.source ? lex(shape.source->text()) : Lexed{};
  for (const auto& token : lexed.tokens)
    if (token.kind == TokenKind::identifier) words.insert(token.text);
  std::erase_if(shape.constants, [&](const ConstShape& c) { return !words.contains(c.name); });
  return shape;
}

namespace {

/// Whether some argument writes to a Dat or Mat.
bool is_written(const LoopShape& shape, int dat) {
  return std::ranges::any_of(shape.arguments, [&](const ArgShape& a) {
    return a.kind == ArgShape::Kind::dat && a.data == dat && a.access != Access::read;
  });
}

// By ParameterKind, with a type {0} and the number {1}. Distinct Dats never share memory, which
// `restrict` tells the compiler.
constexpr const char* declarations[] = {
    "__global {0} *restrict kiln_d{1}",
    "const long kiln_s{1}",
    "__global const {0} *restrict kiln_global{1}",
    "__global {0} *restrict kiln_partials{1}",
    "{0} kiln_c{1}",
    "__global {0} *restrict kiln_values{1}",
    "__global const int *restrict kiln_rowptr{1}",
    "__global const int *restrict kiln_colidx{1}",
    "__global const int *restrict kiln_map{1}",
    "__global const int *restrict kiln_offset{1}",
    "const int kiln_begin",
    "const int kiln_end",
    "__global const int *restrict kiln_subset",
    "const int kiln_layers",
    "const int kiln_block_size",
    "const int kiln_first_block",
    "__global const int *restrict kiln_blkmap",
    "__global const int *restrict kiln_order",
    "__global const int *restrict kiln_ind_map",
    "__global const int *restrict kiln_ind_sizes",
    "__global const int *restrict kiln_ind_offsets",
    "__global const {0} *restrict kiln_loc_map",
    "__global const int *restrict kiln_element_colours",
    "__global const int *restrict kiln_colour_counts",
    "__local long2 *kiln_local",
    "const int kiln_first_partial",
    "const int kiln_count",
    "__global {0} *restrict kiln_result{1}",
};
static_assert(std::size(declarations) ==
              static_cast<std::size_t>(ParameterKind::global_result) + 1);

/// The type in a declaration; nothing where that does not depend on the loop.
std::string declared_type(const LoopShape& shape, const Parameters& parameters,
                          const KernelParameter& p) {
  const auto type = [&](ArgShape::Kind kind, bool reduced = false) {
    return std::string(name_of(first_argument(shape, kind, p.number, reduced).type));
  };
  switch (p.kind) {
    case ParameterKind::dat:
      return (is_written(shape, p.number) ? "" : "const ") + type(ArgShape::Kind::dat);
    case ParameterKind::global:
      return type(ArgShape::Kind::global);
    case ParameterKind::partials:
    case ParameterKind::global_result:
      return type(ArgShape::Kind::global, true);
    case ParameterKind::constant: {
      const ConstShape& constant = shape.constants[static_cast<std::size_t>(p.number)];
      return fmt::format(fmt::runtime(constant.scalar ? "const {}" : "__constant {} *"),
                         name_of(constant.type));
    }
    case ParameterKind::mat_values:
      return type(ArgShape::Kind::mat);
    case ParameterKind::loc_map:
      return parameters.get("LOC32", 0) != 0 ? "uint" : "ushort";
    default:
      return {};
  }
}

std::string signature(const LoopShape& shape, const Parameters& parameters, const std::string& name,
                      const std::vector<KernelParameter>& list, std::size_t group) {
  const auto declare = [&](int i) {
    const KernelParameter& p = list[static_cast<std::size_t>(i)];
    return fmt::format(fmt::runtime(declarations[static_cast<std::size_t>(p.kind)]),
                       declared_type(shape, parameters, p), p.number);
  };
  return fmt::format("__kernel __attribute__((reqd_work_group_size({}, 1, 1)))\nvoid {}(\n    {})",
                     group, name, list_of(static_cast<int>(list.size()), declare, ",\n    "));
}

}  // namespace

const ArgShape& first_argument(const LoopShape& shape, ArgShape::Kind kind, int number,
                               bool reduced) {
  const auto found = std::ranges::find_if(shape.arguments, [&](const ArgShape& a) {
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

// What a loop's plan is made of.

namespace {

/// Adds the components of its Map that an argument can reach.
void add_components(PlanPair& pair, const ArgShape& a) {
  const bool is_one = a.via == ArgShape::Via::component;
  for (int c = is_one ? a.component : 0; c < (is_one ? a.component + 1 : a.arity); ++c)
    if (const auto number = static_cast<std::uint32_t>(c);
        std::ranges::find(pair.components, number) == pair.components.end())
      pair.components.push_back(number);
}

PlanPair pair_of(const ArgShape& a) {
  PlanPair pair;
  pair.map = static_cast<std::size_t>(a.map);
  pair.element_bytes = size_of(a.type) * static_cast<std::size_t>(a.dim);
  return pair;
}

}  // namespace

std::vector<PlanPair> plan_pairs(const LoopShape& shape) {
  std::vector<PlanPair> pairs;
  for (const auto& a : shape.arguments) {
    if (a.kind != ArgShape::Kind::dat || a.via == ArgShape::Via::direct || a.pair < 0) continue;
    const auto at = static_cast<std::size_t>(a.pair);
    // Numbered by first occurrence: a new pair is the next one.
    if (at >= pairs.size()) pairs.push_back(pair_of(a));
    add_components(pairs[at], a);
  }
  return pairs;
}

std::vector<PlanConflict> plan_conflicts(const LoopShape& shape) {
  // By kind and number; within one by Map, since all its components conflict with one another.
  std::map<std::pair<ArgShape::Kind, int>, std::map<int, PlanPair>> found;
  const auto conflicting = conflicting_arguments(shape);
  for (const int i : conflicting) {
    const ArgShape& a = shape.arguments[static_cast<std::size_t>(i)];
    found[{a.kind, a.data}];
  }
  for (const auto& a : shape.arguments) {
    const bool counts = a.access != Access::read && a.map >= 0;
    const auto at = found.find({a.kind, a.data});
    if (!counts || at == found.end()) continue;
    add_components(at->second.try_emplace(a.map, pair_of(a)).first->second, a);
  }
  std::vector<PlanConflict> conflicts;
  for (const auto& [data, through] : found) {
    conflicts.emplace_back();
    for (const auto& [map, pair] : through) conflicts.back().through.push_back(pair);
  }
  return conflicts;
}

}  // namespace kiln::mesh
