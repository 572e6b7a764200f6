#include "mesh/code/layout.hpp"

#include <algorithm>
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

}  // namespace kiln::mesh
