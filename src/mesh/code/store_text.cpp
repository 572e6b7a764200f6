// What an element leaves in memory.
#include <fmt/format.h>

#include <algorithm>

#include "mesh/code/component_loop.hpp"
#include "mesh/code/element_text.hpp"

namespace kiln::mesh {

using Via = ArgShape::Via;
using Kind = ArgShape::Kind;

std::string ElementText::store_one(const ArgShape& a, const std::string& name,
                                   const std::string& target, int lane) const {
  const bool adds = a.access == Access::inc;
  if (adds && form_.commit == Commit::atomic && a.via != Via::direct)
    return fmt::format("    {} kiln_add_{}(&{}, {});\n", over_components(a.dim), name_of(a.type),
                       place(a, target, "kiln_k"), value(name, "kiln_k", lane));
  if (const Turn turn = turned(a); turn.possible()) {
    std::string text;
    for (int number = 0; number < a.dim / turn.piece(); ++number) {
      const std::string at =
          fmt::format("{}, kiln_d{} + (size_t){} * {}", number, a.data, target, a.dim);
      const std::string old = adds ? fmt::format("vload{}({}) + ", turn.piece(), at) : "";
      text += fmt::format("    vstore{}({}{}, {});\n", turn.piece(), old,
                          turn.row_piece(name, lane, number), at);
    }
    return text;
  }
  // One vector for the element, where that is measured to be faster: gathered additions are not.
  if (form_.lanes > 1 && wide(a) && a.via == Via::direct) {
    std::string values;
    for (int k = 0; k < a.dim; ++k)
      values += (k == 0 ? "" : ", ") + value(name, std::to_string(k), lane);
    const std::string made = fmt::format("({}{})({})", name_of(a.type), a.dim, values);
    const std::string at = fmt::format("{}, kiln_d{}", target, a.data);
    const std::string old = adds ? fmt::format("vload{}({}) + ", a.dim, at) : "";
    return fmt::format("    vstore{}({}{}, {});\n", a.dim, old, made, at);
  }
  const char* assign = adds ? "+=" : "=";
  if (form_.lanes == 1 && form_.streaming && streams(a)) {
    std::string values;
    for (int k = 0; k < a.dim; ++k)
      values += (k == 0 ? "" : ", ") + value(name, std::to_string(k), lane);
    return fmt::format(
        "    if (kiln_aligned{0})\n"
        "      kiln_stream((__global {1}{2} *)(kiln_d{0} + (size_t){3} * {2}), ({1}{2})({4}));\n"
        "    else\n"
        "      {7} {5} = {6};\n",
        a.data, name_of(a.type), a.dim, target, values, place(a, target, "kiln_k"),
        value(name, "kiln_k", lane), over_components(a.dim));
  }
  std::string text;
  if (const int width = piece(a); form_.lanes == 1 && width > 1) {
    for (int first = 0; first < a.dim; first += width) {
      std::string values;
      for (int k = 0; k < width; ++k)
        values += (k == 0 ? "" : ", ") + value(name, std::to_string(first + k), lane);
      text += fmt::format("    *(__global {0}{1} *)&{2} {3} ({0}{1})({4});\n", name_of(a.type),
                          width, place(a, target, std::to_string(first)), assign, values);
    }
    return text;
  }
  if (form_.lanes == 1 && a.dim > 1)
    return fmt::format("    {} {} {} {};\n", over_components(a.dim), place(a, target, "kiln_k"),
                       assign, value(name, "kiln_k", lane));
  for (int k = 0; k < a.dim; ++k)
    text += fmt::format("    {} {} {};\n", place(a, target, std::to_string(k)), assign,
                        value(name, std::to_string(k), lane));
  return text;
}

/// What one lane of an argument leaves; all lanes of a contiguous one with lane 0.
std::string ElementText::store(std::size_t i, int lane) const {
  const ArgShape& a = shape_.arguments[i];
  const bool writes = a.kind == Kind::dat && a.access != Access::read && !is_private_increment(a);
  if (!writes || is_in_place(i)) return {};
  const std::string name = fmt::format("kiln_a{}", i);
  if (form_.lanes > 1 && contiguous(a)) return lane == 0 ? store_lanes(i) : std::string();
  if (form_.lanes > 1 && form_.streaming && streams(a))
    return lane == 0 ? store_past_caches(i) : std::string();
  if (a.via != Via::all)
    return store_one(a, name, targets(a, component_of(a))[static_cast<std::size_t>(lane)], lane);
  std::string text;
  for (int c = 0; c < a.arity; ++c)
    text += store_one(a, fmt::format("{}[{}]", name, c),
                      targets(a, std::to_string(c))[static_cast<std::size_t>(lane)], lane);
  return text;
}

std::string ElementText::store_lanes(std::size_t i) const {
  const ArgShape& a = shape_.arguments[i];
  std::string text;
  for (int k = 0; k < a.dim; ++k) {
    const std::string at = fmt::format("&{}", place(a, "kiln_el0", std::to_string(k)));
    const std::string old =
        a.access == Access::inc ? fmt::format("vload{}(0, {}) + ", form_.lanes, at) : "";
    text += fmt::format("    vstore{}({}kiln_a{}[{}], 0, {});\n", form_.lanes, old, i, k, at);
  }
  return text;
}

/// All lanes' elements by whole lines of the cache, which go to memory without being read first.
/// Such stores want their own alignment, which not every array has: then as usual.
std::string ElementText::store_past_caches(std::size_t i) const {
  const ArgShape& a = shape_.arguments[i];
  const std::string type(name_of(a.type)), name = fmt::format("kiln_a{}", i);
  const int line = 64 / static_cast<int>(size_of(a.type));
  const int numbers = std::min(line, form_.lanes * a.dim);
  const Turn turn = turned(a);
  const int step = turn.possible() ? turn.piece() : 1;
  std::string past, usual;
  for (int first = 0; first < form_.lanes * a.dim; first += numbers) {
    std::string values;
    for (int n = first; n < first + numbers; n += step)
      values +=
          (n == first ? "" : ", ") + (step > 1 ? turn.row_piece(name, n / a.dim, n % a.dim / step)
                                               : value(name, std::to_string(n % a.dim), n / a.dim));
    past +=
        fmt::format("      kiln_stream((__global {0}{1} *)(kiln_to{2} + {3}), ({0}{1})({4}));\n",
                    type, numbers, i, first, values);
    usual += fmt::format("      vstore{1}(({0}{1})({4}), 0, kiln_to{2} + {3});\n", type, numbers, i,
                         first, values);
  }
  return fmt::format(
      "    __global {} *kiln_to{} = kiln_d{} + (size_t)kiln_el0 * {};\n"
      "    if (kiln_aligned{}) {{\n{}    }} else {{\n{}    }}\n",
      type, i, a.data, a.dim, a.data, past, usual);
}

/// Lanes become elements again, for store_one.
std::string ElementText::turn_back(std::size_t i) const {
  const ArgShape& a = shape_.arguments[i];
  const Turn turn = turned(a);
  const bool writes = a.access != Access::read && !is_private_increment(a) && !is_in_place(i);
  const bool atomic = a.access == Access::inc && form_.commit == Commit::atomic;
  if (!writes || atomic || !turn.possible()) return {};
  const std::string name = fmt::format("kiln_a{}", i);
  if (a.via != Via::all) return turn.to_rows(name);
  std::string text;
  for (int c = 0; c < a.arity; ++c) text += turn.to_rows(fmt::format("{}[{}]", name, c));
  return text;
}

/// Lane after lane, so that increments of a target come in the order of elements.
std::string ElementText::stores(bool indexed) const {
  std::string text;
  for (std::size_t i = 0; i < shape_.arguments.size(); ++i)
    if ((shape_.arguments[i].via == Via::index) == indexed) text += turn_back(i);
  for (int lane = 0; lane < form_.lanes; ++lane)
    for (std::size_t i = 0; i < shape_.arguments.size(); ++i)
      if ((shape_.arguments[i].via == Via::index) == indexed) text += store(i, lane);
  return text;
}

std::string ElementText::increment_arrays() const {
  std::string text;
  for (std::size_t i = 0; i < shape_.arguments.size(); ++i) {
    const ArgShape& a = shape_.arguments[i];
    if (!is_private_increment(a)) continue;
    const int arity = a.via == Via::all ? a.arity : 1;
    text += a.via == Via::all
                ? fmt::format("    {} kiln_a{}[{}][{}];\n", name_of(a.type), i, arity, a.dim)
                : fmt::format("    {} kiln_a{}[{}];\n", name_of(a.type), i, a.dim);
  }
  return text;
}

std::string ElementText::increments() const {
  std::string text;
  for (std::size_t i = 0; i < shape_.arguments.size(); ++i) {
    const ArgShape& a = shape_.arguments[i];
    if (!is_private_increment(a)) continue;
    const int count = a.via == Via::all ? a.arity : 1;
    for (int c = 0; c < count; ++c) {
      const int component = a.via == Via::all ? c : a.component;
      const int row = form_.staged->row(a.pair, component);
      const std::string place = fmt::format(
          "kiln_l{0}[(int)kiln_loc_map[(size_t){1} * kiln_size + "
          "kiln_position] * {2} + kiln_k]",
          a.pair, row, a.dim);
      text += fmt::format("        {} {} += kiln_a{}{}[kiln_k];\n", over_components(a.dim), place,
                          i, a.via == Via::all ? fmt::format("[{}]", c) : "");
    }
  }
  return text;
}

}  // namespace kiln::mesh
