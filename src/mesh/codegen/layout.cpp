// The parameters of generated kernels, their declarations, and the pairs and conflicts of their
// plans.
#include "mesh/codegen/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "kernel/source/lexer.hpp"

namespace kiln::mesh {
namespace {

using ParameterKind = KernelParameter::Kind;

/// The numbers of arguments that `counts` takes, rising, each once.
template <class Counts, class NumberOf>
std::vector<int> numbers(const LoopShape& shape, const Counts& counts, const NumberOf& number_of) {
  std::set<int> found;
  for (const auto& argument : shape.arguments)
    if (counts(argument)) found.insert(number_of(argument));
  return {found.begin(), found.end()};
}

std::vector<int> data_numbers(const LoopShape& shape, ArgShape::Kind kind, bool reductions) {
  return numbers(
      shape, [&](const ArgShape& a) { return a.kind == kind && is_reduction(a) == reductions; },
      [](const ArgShape& a) { return a.data; });
}

bool is_soa(const LoopShape& shape, int dat) {
  return std::any_of(shape.arguments.begin(), shape.arguments.end(), [&](const ArgShape& a) {
    return a.kind == ArgShape::Kind::dat && a.data == dat && a.soa;
  });
}

std::vector<int> map_numbers(const LoopShape& shape) {
  std::set<int> found;
  for (const auto& argument : shape.arguments)
    for (const int map : {argument.map, argument.column_map})
      if (map >= 0) found.insert(map);
  return {found.begin(), found.end()};
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

// What a loop's plan is made of.

namespace {

/// The components of its Map that an argument can reach.
std::vector<std::uint32_t> components_of(const ArgShape& a) {
  if (a.via == ArgShape::Via::component) return {static_cast<std::uint32_t>(a.component)};
  std::vector<std::uint32_t> all(static_cast<std::size_t>(a.arity));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
  return all;
}

void add_components(PlanPair& pair, const ArgShape& a) {
  for (const auto component : components_of(a))
    if (std::find(pair.components.begin(), pair.components.end(), component) ==
        pair.components.end())
      pair.components.push_back(component);
}

PlanPair pair_of(const ArgShape& a) {
  PlanPair pair;
  pair.map = static_cast<std::size_t>(a.map);
  pair.element_bytes = size_of(a.type) * static_cast<std::size_t>(a.dim);
  return pair;
}

bool is_indirect_dat(const ArgShape& a) {
  return a.kind == ArgShape::Kind::dat && a.via != ArgShape::Via::direct;
}

}  // namespace

std::vector<PlanPair> plan_pairs(const LoopShape& shape) {
  std::vector<PlanPair> pairs;
  for (const auto& a : shape.arguments) {
    if (!is_indirect_dat(a) || a.pair < 0) continue;
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
