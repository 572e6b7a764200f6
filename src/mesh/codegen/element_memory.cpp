// An element's private copies: how they are loaded from memory and stored to it.
#include <fmt/format.h>

#include <algorithm>

#include "mesh/codegen/element_text.hpp"

namespace kiln::mesh {

// What an element's arguments start from: its private copies, from memory or from nothing.

std::string ElementText::declare(std::size_t i) const {
  const ArgShape& a = shape_.arguments[i];
  if (a.kind == Kind::global || is_private_increment(a)) return {};
  const std::string scalar = type(a.type);
  if (a.kind == Kind::mat) {
    const int rows = a.dim * (a.via == Via::all ? a.arity : 1);
    const int columns = a.column_dim * (a.column_index < 0 ? a.column_arity : 1);
    return kernel_.parameter(i).type.depth == 2
               ? fmt::format("    {} kiln_a{}[{}][{}];\n", scalar, i, rows, columns)
               : fmt::format("    {} kiln_a{}[{}];\n", scalar, i, rows * columns);
  }
  if (a.via != Via::all) return fmt::format("    {} kiln_a{}[{}];\n", scalar, i, a.dim);
  return fmt::format("    {} kiln_a{}[{}][{}];\n", scalar, i, a.arity, a.dim);
}

std::string ElementText::zero(const ArgShape& a, const std::string& name) const {
  if (a.dim == 1) return fmt::format("    {}[0] = 0;\n", name);
  return fmt::format("    {} {}[kiln_k] = 0;\n", over_components(a.dim), name);
}

std::string ElementText::load_lanes(const ArgShape& a, const std::string& name,
                                    const Targets& from) const {
  std::string text;
  const std::string vector = type(a.type);
  if (contiguous(a)) {
    for (int k = 0; k < a.dim; ++k)
      text += fmt::format("    {}[{}] = vload{}(0, &{});\n", name, k, form_.lanes,
                          place(a, from[0], std::to_string(k)));
    return text;
  }
  if (const Transpose transpose = transpose_of(a); transpose.possible()) {
    std::vector<std::string> rows;
    for (const auto& target : from)
      rows.push_back(fmt::format("kiln_d{} + (size_t){} * {}", a.data, target, a.dim));
    return transpose.to_lanes(name, rows);
  }
  // Elements as they lie in memory, then transposed in registers.
  std::string rows = name;
  for (char& c : rows)
    if (c == '[' || c == ']') c = '_';
  if (wide(a))
    for (int lane = 0; lane < form_.lanes; ++lane)
      text += fmt::format("    const {}{} {}_{} = vload{}({}, kiln_d{});\n", name_of(a.type), a.dim,
                          rows, lane, a.dim, from[static_cast<std::size_t>(lane)], a.data);
  for (int k = 0; k < a.dim; ++k) {
    std::string values;
    for (int lane = 0; lane < form_.lanes; ++lane)
      values += (lane == 0 ? "" : ", ") +
                (wide(a) ? fmt::format("{}_{}.s{:x}", rows, lane, k)
                         : place(a, from[static_cast<std::size_t>(lane)], std::to_string(k)));
    text += fmt::format("    {}[{}] = ({})({});\n", name, k, vector, values);
  }
  return text;
}

std::string ElementText::load_one(const ArgShape& a, const std::string& name,
                                  const Targets& from) const {
  if (a.access == Access::inc) return zero(a, name);
  if (a.access == Access::write) return {};
  if (form_.lanes > 1) return load_lanes(a, name, from);
  if (a.dim == 1) return fmt::format("    {}[0] = {};\n", name, place(a, from[0], "0"));
  if (const int width = piece(a); width > 1) {
    std::string text;
    for (int first = 0; first < a.dim; first += width) {
      std::string take;
      for (int k = 0; k < width; ++k)
        take += fmt::format(" {}[{}] = kiln_v.s{:x};", name, first + k, k);
      text += fmt::format("    {{ const {0}{1} kiln_v = *(__global const {0}{1} *)&{2};{3} }}\n",
                          name_of(a.type), width, place(a, from[0], std::to_string(first)), take);
    }
    return text;
  }
  return fmt::format("    {} {}[kiln_k] = {};\n", over_components(a.dim), name,
                     place(a, from[0], "kiln_k"));
}

std::string ElementText::load(std::size_t i) const {
  const ArgShape& a = shape_.arguments[i];
  if (a.kind == Kind::global || is_in_place(i)) return {};
  std::string text = declare(i);
  const std::string name = fmt::format("kiln_a{}", i);
  if (a.kind == Kind::mat) {
    const int rows = a.dim * (a.via == Via::all ? a.arity : 1);
    const int columns = a.column_dim * (a.column_index < 0 ? a.column_arity : 1);
    return text + fmt::format("    {} (({} *){})[kiln_k] = 0;\n", over_components(rows * columns),
                              name_of(a.type), name);
  }
  if (a.via != Via::all) return text + load_one(a, name, targets(a, component_of(a)));
  for (int c = 0; c < a.arity; ++c)
    text += load_one(a, fmt::format("{}[{}]", name, c), targets(a, std::to_string(c)));
  std::string pointers;
  if (a.flatten) {
    for (int k = 0; k < a.dim; ++k)
      for (int c = 0; c < a.arity; ++c)
        pointers += fmt::format("{}&{}[{}][{}]", pointers.empty() ? "" : ", ", name, c, k);
  } else {
    for (int c = 0; c < a.arity; ++c)
      pointers += fmt::format("{}{}[{}]", c == 0 ? "" : ", ", name, c);
  }
  return text + fmt::format("    {}{} *kiln_p{}[] = {{{}}};\n",
                            kernel_.parameter(i).type.is_const ? "const " : "", type(a.type), i,
                            pointers);
}

// What an element leaves in memory.

std::string ElementText::store_one(const ArgShape& a, const std::string& name,
                                   const std::string& target, int lane) const {
  const bool adds = a.access == Access::inc;
  if (adds && form_.commit == Commit::atomic && a.via != Via::direct)
    return fmt::format("    {} kiln_add_{}(&{}, {});\n", over_components(a.dim), name_of(a.type),
                       place(a, target, "kiln_k"), value(name, "kiln_k", lane));
  if (const Transpose transpose = transpose_of(a); transpose.possible()) {
    std::string text;
    for (int number = 0; number < a.dim / transpose.piece(); ++number) {
      const std::string at =
          fmt::format("{}, kiln_d{} + (size_t){} * {}", number, a.data, target, a.dim);
      const std::string old = adds ? fmt::format("vload{}({}) + ", transpose.piece(), at) : "";
      text += fmt::format("    vstore{}({}{}, {});\n", transpose.piece(), old,
                          transpose.row_piece(name, lane, number), at);
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
    return lane == 0 ? store_non_temporal(i) : std::string();
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
std::string ElementText::store_non_temporal(std::size_t i) const {
  const ArgShape& a = shape_.arguments[i];
  const std::string type(name_of(a.type)), name = fmt::format("kiln_a{}", i);
  const int line = 64 / static_cast<int>(size_of(a.type));
  const int numbers = std::min(line, form_.lanes * a.dim);
  const Transpose transpose = transpose_of(a);
  const int step = transpose.possible() ? transpose.piece() : 1;
  std::string past, usual;
  for (int first = 0; first < form_.lanes * a.dim; first += numbers) {
    std::string values;
    for (int n = first; n < first + numbers; n += step)
      values += (n == first ? "" : ", ") +
                (step > 1 ? transpose.row_piece(name, n / a.dim, n % a.dim / step)
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
std::string ElementText::transpose_back(std::size_t i) const {
  const ArgShape& a = shape_.arguments[i];
  const Transpose transpose = transpose_of(a);
  const bool writes = a.access != Access::read && !is_private_increment(a) && !is_in_place(i);
  const bool atomic = a.access == Access::inc && form_.commit == Commit::atomic;
  if (!writes || atomic || !transpose.possible()) return {};
  const std::string name = fmt::format("kiln_a{}", i);
  if (a.via != Via::all) return transpose.to_rows(name);
  std::string text;
  for (int c = 0; c < a.arity; ++c) text += transpose.to_rows(fmt::format("{}[{}]", name, c));
  return text;
}

/// Lane after lane, so that increments of a target come in the order of elements.
std::string ElementText::stores(bool indexed) const {
  std::string text;
  for (std::size_t i = 0; i < shape_.arguments.size(); ++i)
    if ((shape_.arguments[i].via == Via::index) == indexed) text += transpose_back(i);
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
