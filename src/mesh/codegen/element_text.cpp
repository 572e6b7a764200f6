// The text of an element, or of a group in lanes: its targets, the call, its block of a matrix. How
// its data are loaded and stored is in element_memory.cpp.
#include "mesh/codegen/element_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mesh/codegen/lanes.hpp"

namespace kiln::mesh {

int StagedRows::row(int pair, int component) const {
  const auto at = static_cast<std::size_t>(pair);
  const auto& components = pairs[at].components;
  for (std::size_t slot = 0; slot < components.size(); ++slot)
    if (components[slot] == static_cast<std::uint32_t>(component)) return layout.rows[at][slot];
  throw Error(Errc::internal, "a component of a Map that no pair has");
}

/// Component `k` of a private array, in one lane.
std::string ElementText::value(const std::string& name, const std::string& k, int lane) const {
  if (form_.lanes == 1) return fmt::format("{}[{}]", name, k);
  return fmt::format("{}[{}].s{:x}", name, k, lane);
}

std::string ElementText::one_by_one(const LoopShape& shape) {
  const bool shares =
      std::any_of(shape.arguments.begin(), shape.arguments.end(), [](const ArgShape& a) {
        return a.kind == Kind::mat || (a.via != Via::direct && a.access != Access::read);
      });
  return shares ? "#pragma clang loop vectorize(disable) interleave(disable)\n" : "";
}

std::string ElementText::elements() const {
  std::string text;
  for (int lane = 0; lane < form_.lanes; ++lane) {
    std::string position = lane == 0 ? "kiln_e" : fmt::format("kiln_e + {}", lane);
    if (form_.ordered) position = fmt::format("kiln_order[{}]", position);
    if (shape_.subset) position = fmt::format("kiln_subset[{}]", position);
    text += fmt::format("    const int kiln_el{} = {};\n", lane, position);
  }
  return text;
}

std::string ElementText::map_target(int map, int arity, const std::string& component,
                                    const std::string& name) const {
  std::string text;
  // A row of a Map at once; it lies at a multiple of its own size.
  const bool is_number = component.find_first_not_of("0123456789") == std::string::npos;
  if (form_.pieces && form_.lanes == 1 && is_number && !shape_.extruded &&
      (arity == 2 || arity == 4))
    return fmt::format(
        "    const int kiln_m{0}_{1}_0 = (*(__global const int{2} *)&kiln_map{0}[(size_t)kiln_el0 "
        "* "
        "{2}]).s{3};\n",
        map, name, arity, component);
  for (int lane = 0; lane < form_.lanes; ++lane)
    text += fmt::format(
        "    const int kiln_m{0}_{1}_{2} = kiln_map{0}[(size_t)kiln_el{2} * {3} + {4}]{5};\n", map,
        name, lane, arity, component,
        shape_.extruded ? fmt::format(" + kiln_layer * kiln_offset{}[{}]", map, component) : "");
  return text;
}

/// Declares each target that arguments use once: those that depend on iteration indices, or the
/// others.
std::string ElementText::map_targets(bool indexed) const {
  std::set<std::string> done;
  std::string text;
  if (form_.staged != nullptr) {
    for (std::size_t row = 0; row < form_.staged->layout.row_count && !indexed; ++row)
      text += fmt::format(
          "    const int kiln_loc{0} = (int)kiln_loc_map[(size_t){0} * kiln_size + "
          "kiln_position];\n",
          row);
    return text;
  }
  const auto add = [&](int map, int arity, const std::string& component, const std::string& name) {
    if (done.insert(fmt::format("{} {}", map, name)).second)
      text += map_target(map, arity, component, name);
  };
  const auto add_all = [&](int map, int arity, int index) {
    if (map < 0 || (index >= 0) != indexed) return;
    if (index >= 0)
      return add(map, arity, fmt::format("kiln_i{}", index), fmt::format("i{}", index));
    for (int c = 0; c < arity; ++c) add(map, arity, std::to_string(c), std::to_string(c));
  };
  for (const auto& a : shape_.arguments) {
    if (a.via == Via::component && !indexed)
      add(a.map, a.arity, std::to_string(a.component), std::to_string(a.component));
    if (a.via == Via::all || a.via == Via::index)
      add_all(a.map, a.arity, a.via == Via::index ? a.index : -1);
    if (a.kind == Kind::mat) add_all(a.column_map, a.column_arity, a.column_index);
  }
  return text;
}

std::string ElementText::component_of(const ArgShape& a) const {
  if (a.via == Via::index) return fmt::format("i{}", a.index);
  return std::to_string(a.component);
}

ElementText::Targets ElementText::targets(const ArgShape& a, const std::string& component) const {
  Targets names;
  for (int lane = 0; lane < form_.lanes; ++lane)
    if (a.via == Via::direct)
      names.push_back(fmt::format("kiln_el{}", lane));
    else if (form_.staged != nullptr)
      names.push_back(fmt::format("kiln_loc{}", form_.staged->row(a.pair, std::stoi(component))));
    else
      names.push_back(fmt::format("kiln_m{}_{}_{}", a.map, component, lane));
  return names;
}

/// Component k of an element as an lvalue.
std::string ElementText::place(const ArgShape& a, const std::string& target,
                               const std::string& k) const {
  if (form_.staged != nullptr && a.via != Via::direct)
    return fmt::format("kiln_l{}[{} * {} + {}]", a.pair, target, a.dim, k);
  if (a.soa) return fmt::format("kiln_d{0}[{1} * kiln_s{0} + {2}]", a.data, k, target);
  if (a.dim == 1) return fmt::format("kiln_d{}[{}]", a.data, target);
  return fmt::format("kiln_d{}[(size_t){} * {} + {}]", a.data, target, a.dim, k);
}

/// Whether the lanes' values of one component lie together in memory.
bool ElementText::contiguous(const ArgShape& a) const {
  return a.via == Via::direct && (a.dim == 1 || a.soa) && !shape_.subset && !form_.ordered;
}

/// Whether an element is read and written as one vector.
bool ElementText::wide(const ArgShape& a) const {
  return !a.soa && (a.dim == 2 || a.dim == 3 || a.dim == 4 || a.dim == 8 || a.dim == 16);
}

/// How lanes get at an argument's elements; not possible() where they need no transpose.
Transpose ElementText::transpose_of(const ArgShape& a) const {
  const bool rows = a.kind == Kind::dat && !a.soa && !contiguous(a) && form_.staged == nullptr;
  return {a.type, rows ? form_.lanes : 1, a.dim};
}

/// Whether an argument's elements are written by non-temporal stores: whole vectors, one after
/// another.
bool ElementText::streams(const ArgShape& a) {
  return a.kind == Kind::dat && a.access == Access::write && a.via == Via::direct && !a.soa &&
         (a.dim == 2 || a.dim == 4 || a.dim == 8);
}

/// Components that a GPU moves at once: 16 bytes of an element, where it consists of such pieces;
/// then each lies at a multiple of 16 bytes, as arrays begin at one. 1: one by one.
int ElementText::piece(const ArgShape& a) const {
  const int width = 16 / static_cast<int>(size_of(a.type));
  const bool in_global = form_.staged == nullptr || a.via == Via::direct;
  return form_.pieces && in_global && !a.soa && size_of(a.type) >= 4 && a.dim % width == 0 ? width
                                                                                           : 1;
}

bool ElementText::is_private_increment(const ArgShape& a) const {
  return form_.commit == Commit::coloured && a.kind == Kind::dat && a.access == Access::inc &&
         a.via != Via::direct;
}

std::string ElementText::call() const {
  std::string arguments;
  for (std::size_t i = 0; i < shape_.arguments.size(); ++i) {
    const ArgShape& a = shape_.arguments[i];
    arguments += i == 0 ? "" : ", ";
    if (is_in_place(i))
      arguments += a.kind == Kind::global ? fmt::format("kiln_global{}", a.data)
                                          : fmt::format("kiln_d{} + (size_t){} * {}", a.data,
                                                        targets(a, component_of(a))[0], a.dim);
    else if (a.kind == Kind::global)
      arguments += a.access == Access::read ? global_name(a.data, form_.lanes)
                                            : accumulator_name(a.data, form_.lanes);
    else
      arguments +=
          fmt::format("kiln_{}{}", a.kind == Kind::dat && a.via == Via::all ? "p" : "a", i);
  }
  for (std::size_t i = 0; i < shape_.extents.size(); ++i)
    arguments += fmt::format("{}kiln_i{}", arguments.empty() ? "" : ", ", i);
  return fmt::format("    {}{}({}{});\n", shape_.kernel,
                     form_.lanes == 1 ? spaces_suffix(form_.in_place) : lanes_suffix(form_.lanes),
                     arguments, constants_.arguments(kernel_.function, arguments.empty())) +
         keep_extremes(shape_, form_.lanes);
}

std::string ElementText::with_extents() const {
  const bool indexed = !shape_.extents.empty();
  std::string text, end;
  for (std::size_t i = 0; i < shape_.extents.size(); ++i) {
    text += one_by_one(shape_);
    text += fmt::format("    for (int kiln_i{0} = 0; kiln_i{0} < {1}; ++kiln_i{0}) {{\n", i,
                        shape_.extents[i]);
    end += "    }\n";
  }
  text += map_targets(true);
  const auto inner = [&](const ArgShape& a) {
    return a.via == Via::index || (a.kind == Kind::mat && indexed);
  };
  for (std::size_t i = 0; i < shape_.arguments.size(); ++i)
    if (inner(shape_.arguments[i])) text += load(i);
  text += call();
  for (std::size_t i = 0; i < shape_.arguments.size(); ++i)
    if (shape_.arguments[i].kind == Kind::mat) text += matrix_store(i);
  text += stores(true);
  return text + end;
}

std::string ElementText::text() const {
  std::string text = elements();
  if (shape_.extruded)
    text += one_by_one(shape_) +
            "    for (int kiln_layer = 0; kiln_layer < kiln_layers; ++kiln_layer) {\n";
  text += map_targets(false);
  for (std::size_t i = 0; i < shape_.arguments.size(); ++i) {
    const ArgShape& a = shape_.arguments[i];
    const bool inner = a.via == Via::index || (a.kind == Kind::mat && !shape_.extents.empty());
    if (!inner) text += load(i);
  }
  text += with_extents() + stores(false);
  if (shape_.extruded) text += "    }\n";
  return text;
}

/// Adds or writes a local block, entry by entry: each pair of a row's and a column's element is one
/// block of the matrix, found in its row by bisection.
std::string ElementText::matrix_store(std::size_t i) const {
  const ArgShape& a = shape_.arguments[i];
  const bool all_rows = a.via == Via::all, all_columns = a.column_index < 0;
  const int rows = all_rows ? a.arity : 1, columns = all_columns ? a.column_arity : 1;
  const int width = columns * a.column_dim;
  std::string text;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      const std::string row = all_rows ? std::to_string(r) : component_of(a);
      const std::string column =
          all_columns ? std::to_string(c) : fmt::format("i{}", a.column_index);
      text += fmt::format(
          "    {{\n      const int kiln_at = kiln_find(kiln_rowptr{0}, kiln_colidx{0}, "
          "kiln_m{1}_{2}_0, kiln_m{3}_{4}_0);\n",
          a.data, a.map, row, a.column_map, column);
      const std::string block = fmt::format("(({} *)kiln_a{})", name_of(a.type), i);
      for (int j = 0; j < a.dim; ++j)
        for (int k = 0; k < a.column_dim; ++k) {
          const std::string from =
              fmt::format("{}[{}]", block, (r * a.dim + j) * width + c * a.column_dim + k);
          const std::string to = fmt::format("kiln_values{}[(size_t)kiln_at * {} + {}]", a.data,
                                             a.dim * a.column_dim, j * a.column_dim + k);
          if (a.access == Access::inc && form_.commit == Commit::atomic)
            text += fmt::format("      if (kiln_at >= 0) kiln_add_{}(&{}, {});\n", name_of(a.type),
                                to, from);
          else
            text += fmt::format("      if (kiln_at >= 0) {} {} {};\n", to,
                                a.access == Access::inc ? "+=" : "=", from);
        }
      text += "    }\n";
    }
  return text;
}

}  // namespace kiln::mesh
