// The text of an element, or of a group in lanes: its targets, the call, its block of a matrix. How
// its data are loaded and stored is in element_memory.cpp.
#include "mesh/codegen/element_text.hpp"

#include <algorithm>
#include <set>

#include "mesh/codegen/lanes.hpp"

namespace kiln::mesh {

int StagedRows::row(int pair, int component) const {
  const auto at = static_cast<std::size_t>(pair);
  const auto& components = pairs[at].components;
  for (std::size_t slot = 0; slot < components.size(); ++slot)
    if (components[slot] == static_cast<std::uint32_t>(component)) return layout.rows[at][slot];
  throw Error(Errc::internal, "a component of a Map that no pair has");
}

void ElementText::one_by_one() const {
  if (std::ranges::any_of(shape_.arguments, [](const ArgShape& a) {
        return a.kind == Kind::mat || (a.via != Via::direct && a.access != Access::read);
      }))
    out_.line("#pragma clang loop vectorize(disable) interleave(disable)");
}

// Where the data of an argument are.

std::string ElementText::component_of(const ArgShape& a) const {
  return a.via == Via::index ? fmt::format("i{}", a.index) : std::to_string(a.component);
}

/// The element of a lane.
std::string ElementText::target(const ArgShape& a, const std::string& component, int lane) const {
  if (a.via == Via::direct) return fmt::format("kiln_el{}", lane);
  if (form_.staged == nullptr) return fmt::format("kiln_m{}_{}_{}", a.map, component, lane);
  return fmt::format("kiln_loc{}", form_.staged->row(a.pair, std::stoi(component)));
}

/// A pointer to an element whose components lie together.
std::string ElementText::row(const ArgShape& a, const std::string& target) const {
  return fmt::format("kiln_d{} + (size_t){} * {}", a.data, target, a.dim);
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

/// Component `k` of a private array, in one lane.
std::string ElementText::value(const std::string& name, const std::string& k, int lane) const {
  if (form_.lanes == 1) return fmt::format("{}[{}]", name, k);
  return fmt::format("{}[{}].s{:x}", name, k, lane);
}

/// The same of `count` components.
std::string ElementText::values(const std::string& name, int first, int count, int lane) const {
  return list_of(count, [&](int k) { return value(name, std::to_string(first + k), lane); });
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
  const bool fits = in_global && !a.soa && size_of(a.type) >= 4 && a.dim % width == 0;
  return form_.pieces && form_.lanes == 1 && fits ? width : 1;
}

bool ElementText::is_private_increment(const ArgShape& a) const {
  return form_.commit == Commit::coloured && a.kind == Kind::dat && a.access == Access::inc &&
         a.via != Via::direct;
}

/// Whether an argument is another one at each point of the iteration indices.
bool ElementText::is_inner(const ArgShape& a) const {
  return a.via == Via::index || (a.kind == Kind::mat && !shape_.extents.empty());
}

// What an element, or a group in lanes, consists of.

void ElementText::elements() const {
  for (int lane = 0; lane < form_.lanes; ++lane) {
    std::string position = lane == 0 ? "kiln_e" : fmt::format("kiln_e + {}", lane);
    if (form_.ordered) position = fmt::format("kiln_order[{}]", position);
    if (shape_.subset) position = fmt::format("kiln_subset[{}]", position);
    out_.line("const int kiln_el{} = {};", lane, position);
  }
}

void ElementText::map_target(int map, int arity, const std::string& component,
                             const std::string& name) const {
  // A row of a Map at once; it lies at a multiple of its own size.
  const bool is_number = component.find_first_not_of("0123456789") == std::string::npos;
  if (form_.pieces && form_.lanes == 1 && is_number && !shape_.extruded &&
      (arity == 2 || arity == 4))
    return out_.line(
        "const int kiln_m{0}_{1}_0 = (*(__global const int{2} *)&kiln_map{0}[(size_t)kiln_el0 * "
        "{2}]).s{3};",
        map, name, arity, component);
  const std::string layer =
      shape_.extruded ? fmt::format(" + kiln_layer * kiln_offset{}[{}]", map, component) : "";
  for (int lane = 0; lane < form_.lanes; ++lane)
    out_.line("const int kiln_m{0}_{1}_{2} = kiln_map{0}[(size_t)kiln_el{2} * {3} + {4}]{5};", map,
              name, lane, arity, component, layer);
}

/// Declares each target that arguments use once: those that depend on iteration indices, or the
/// others.
void ElementText::map_targets(bool indexed) const {
  if (form_.staged != nullptr) {
    for (std::size_t row = 0; row < form_.staged->layout.row_count && !indexed; ++row)
      out_.line(
          "const int kiln_loc{0} = (int)kiln_loc_map[(size_t){0} * kiln_size + kiln_position];",
          row);
    return;
  }
  std::set<std::pair<int, std::string>> done;
  const auto add = [&](int map, int arity, const std::string& component, const std::string& name) {
    if (done.emplace(map, name).second) map_target(map, arity, component, name);
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
}

void ElementText::call() const {
  const auto argument = [&](int number) -> std::string {
    const auto i = static_cast<std::size_t>(number);
    if (i >= shape_.arguments.size()) return fmt::format("kiln_i{}", i - shape_.arguments.size());
    const ArgShape& a = shape_.arguments[i];
    if (is_in_place(i))
      return a.kind == Kind::global ? fmt::format("kiln_global{}", a.data)
                                    : row(a, target(a, component_of(a), 0));
    if (a.kind == Kind::global)
      return a.access == Access::read ? global_name(a.data, form_.lanes)
                                      : accumulator_name(a.data, form_.lanes);
    return fmt::format("kiln_{}{}", a.kind == Kind::dat && a.via == Via::all ? "p" : "a", i);
  };
  const std::string arguments =
      list_of(static_cast<int>(shape_.arguments.size() + shape_.extents.size()), argument);
  out_.line("{}{}({}{});", shape_.kernel,
            form_.lanes == 1 ? spaces_suffix(form_.in_place) : lanes_suffix(form_.lanes), arguments,
            constants_.arguments(kernel_.function, arguments.empty()));
  keep_extremes(out_, shape_, form_.lanes);
}

void ElementText::write() const {
  elements();
  if (shape_.extruded) {
    one_by_one();
    out_.line("for (int kiln_layer = 0; kiln_layer < kiln_layers; ++kiln_layer) {{");
  }
  map_targets(false);
  loads(false);
  for (std::size_t i = 0; i < shape_.extents.size(); ++i) {
    one_by_one();
    out_.line("for (int kiln_i{0} = 0; kiln_i{0} < {1}; ++kiln_i{0}) {{", i, shape_.extents[i]);
  }
  map_targets(true);
  loads(true);
  call();
  for (std::size_t i = 0; i < shape_.arguments.size(); ++i)
    if (shape_.arguments[i].kind == Kind::mat) store_matrix(i);
  stores(true);
  for (std::size_t i = 0; i < shape_.extents.size(); ++i) out_.line("}}");
  stores(false);
  if (shape_.extruded) out_.line("}}");
}

/// Adds or writes a local block, entry by entry: each pair of a row's and a column's element is one
/// block of the matrix, found in its row by bisection.
void ElementText::store_matrix(std::size_t i) const {
  const ArgShape& a = shape_.arguments[i];
  const bool all_rows = a.via == Via::all, all_columns = a.column_index < 0;
  const int rows = all_rows ? a.arity : 1, columns = all_columns ? a.column_arity : 1;
  const int width = columns * a.column_dim;
  const bool adds = a.access == Access::inc;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      out_.line("{{");
      out_.line(
          "  const int kiln_at = kiln_find(kiln_rowptr{0}, kiln_colidx{0}, kiln_m{1}_{2}_0, "
          "kiln_m{3}_{4}_0);",
          a.data, a.map, all_rows ? std::to_string(r) : component_of(a), a.column_map,
          all_columns ? std::to_string(c) : fmt::format("i{}", a.column_index));
      for (int j = 0; j < a.dim; ++j)
        for (int k = 0; k < a.column_dim; ++k) {
          const std::string from = fmt::format("(({} *)kiln_a{})[{}]", name_of(a.type), i,
                                               (r * a.dim + j) * width + c * a.column_dim + k);
          const std::string to = fmt::format("kiln_values{}[(size_t)kiln_at * {} + {}]", a.data,
                                             a.dim * a.column_dim, j * a.column_dim + k);
          if (adds && form_.commit == Commit::atomic)
            out_.line("  if (kiln_at >= 0) kiln_add_{}(&{}, {});", name_of(a.type), to, from);
          else
            out_.line("  if (kiln_at >= 0) {} {} {};", to, adds ? "+=" : "=", from);
        }
      out_.line("}}");
    }
}

}  // namespace kiln::mesh
