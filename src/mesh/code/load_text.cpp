// What an element's arguments start from: its private copies, from memory or from nothing.
#include <fmt/format.h>

#include "mesh/code/component_loop.hpp"
#include "mesh/code/element_text.hpp"

namespace kiln::mesh {

using Via = ArgShape::Via;
using Kind = ArgShape::Kind;

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
  if (const Turn turn = turned(a); turn.possible()) {
    std::vector<std::string> rows;
    for (const auto& target : from)
      rows.push_back(fmt::format("kiln_d{} + (size_t){} * {}", a.data, target, a.dim));
    return turn.to_lanes(name, rows);
  }
  // Elements as they lie in memory, then turned round in registers.
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

}  // namespace kiln::mesh
