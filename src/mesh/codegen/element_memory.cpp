// An element's private copies: how they are loaded from memory and stored to it.
#include <algorithm>

#include "mesh/codegen/element_text.hpp"

namespace kiln::mesh {

// What an element's arguments start from: its private copies, from memory or from nothing.

void ElementText::declare(std::size_t i) const {
  const ArgShape& a = shape_.arguments[i];
  const std::string rows = a.via == Via::all ? fmt::format("[{}]", a.arity) : "";
  if (a.kind != Kind::mat) return out_.line("{} kiln_a{}{}[{}];", type(a.type), i, rows, a.dim);
  const int down = a.dim * (a.via == Via::all ? a.arity : 1);
  const int along = a.column_dim * (a.column_index < 0 ? a.column_arity : 1);
  if (kernel_.parameter(i).type->depth == 2)
    out_.line("{} kiln_a{}[{}][{}];", type(a.type), i, down, along);
  else
    out_.line("{} kiln_a{}[{}];", type(a.type), i, down * along);
  out_.line("{} (({} *)kiln_a{})[kiln_k] = 0;", over_components(down * along), name_of(a.type), i);
}

void ElementText::load_lanes(const ArgShape& a, const std::string& name,
                             const std::string& component) const {
  const auto element = [&](int lane) { return target(a, component, lane); };
  if (contiguous(a)) {
    for (int k = 0; k < a.dim; ++k)
      out_.line("{}[{}] = vload{}(0, &{});", name, k, form_.lanes,
                place(a, element(0), std::to_string(k)));
    return;
  }
  if (const Transpose transpose = transpose_of(a); transpose.possible()) {
    std::vector<std::string> rows;
    for (int lane = 0; lane < form_.lanes; ++lane) rows.push_back(row(a, element(lane)));
    return transpose.to_lanes(out_, name, rows);
  }
  // Elements as they lie in memory, then transposed in registers.
  const std::string rows = flat_name(name);
  if (wide(a))
    for (int lane = 0; lane < form_.lanes; ++lane)
      out_.line("const {}{} {}_{} = vload{}({}, kiln_d{});", name_of(a.type), a.dim, rows, lane,
                a.dim, element(lane), a.data);
  for (int k = 0; k < a.dim; ++k)
    out_.line("{}[{}] = ({})({});", name, k, type(a.type), list_of(form_.lanes, [&](int lane) {
                return wide(a) ? fmt::format("{}_{}.s{:x}", rows, lane, k)
                               : place(a, element(lane), std::to_string(k));
              }));
}

void ElementText::load_array(const ArgShape& a, const std::string& name,
                             const std::string& component) const {
  if (a.access == Access::write) return;
  const bool zero = a.access == Access::inc;
  if (form_.lanes > 1 && !zero) return load_lanes(a, name, component);
  const auto from = [&](const std::string& k) {
    return zero ? "0" : place(a, target(a, component, 0), k);
  };
  if (a.dim == 1) return out_.line("{}[0] = {};", name, from("0"));
  const int width = zero ? 1 : piece(a);
  if (width == 1)
    return out_.line("{} {}[kiln_k] = {};", over_components(a.dim), name, from("kiln_k"));
  for (int first = 0; first < a.dim; first += width)
    out_.line(
        "{{ const {0}{1} kiln_v = *(__global const {0}{1} *)&{2};{3} }}", name_of(a.type), width,
        from(std::to_string(first)),
        list_of(
            width,
            [&](int k) { return fmt::format(" {}[{}] = kiln_v.s{:x};", name, first + k, k); }, ""));
}

void ElementText::load(std::size_t i) const {
  const ArgShape& a = shape_.arguments[i];
  if (a.kind == Kind::global || is_in_place(i)) return;
  if (!is_private_increment(a)) declare(i);
  if (a.kind == Kind::mat) return;
  for_arrays(i, [&](const std::string& name, const std::string& component) {
    load_array(a, name, component);
  });
  if (a.via != Via::all) return;
  const auto pointer = [&](int n) {
    return a.flatten ? fmt::format("&kiln_a{}[{}][{}]", i, n % a.arity, n / a.arity)
                     : fmt::format("kiln_a{}[{}]", i, n);
  };
  out_.line("{}{} *kiln_p{}[] = {{{}}};", kernel_.parameter(i).type->is_const ? "const " : "",
            type(a.type), i, list_of(a.arity * (a.flatten ? a.dim : 1), pointer));
}

/// Of the arguments that are the same at all points of the iteration indices, or of the others.
void ElementText::loads(bool inner) const {
  for (std::size_t i = 0; i < shape_.arguments.size(); ++i)
    if (is_inner(shape_.arguments[i]) == inner) load(i);
}

// What an element leaves in memory.

void ElementText::store_array(const ArgShape& a, const std::string& name, const std::string& target,
                              int lane) const {
  const bool adds = a.access == Access::inc;
  const std::string to = place(a, target, "kiln_k"), from = value(name, "kiln_k", lane);
  if (adds && form_.commit == Commit::atomic && a.via != Via::direct)
    return out_.line("{} kiln_add_{}(&{}, {});", over_components(a.dim), name_of(a.type), to, from);
  const auto store_vector = [&](int width, const std::string& vector, const std::string& at) {
    out_.line("vstore{}({}{}, {});", width, adds ? fmt::format("vload{}({}) + ", width, at) : "",
              vector, at);
  };
  if (const Transpose transpose = transpose_of(a); transpose.possible()) {
    for (int number = 0; number < a.dim / transpose.piece(); ++number)
      store_vector(transpose.piece(), transpose.row_piece(name, lane, number),
                   fmt::format("{}, {}", number, row(a, target)));
    return;
  }
  const std::string all =
      fmt::format("({}{})({})", name_of(a.type), a.dim, values(name, 0, a.dim, lane));
  // One vector for the element, where that is measured to be faster: gathered additions are not.
  if (form_.lanes > 1 && wide(a) && a.via == Via::direct)
    return store_vector(a.dim, all, fmt::format("{}, kiln_d{}", target, a.data));
  if (form_.lanes == 1 && form_.streaming && streams(a)) {
    out_.line("if (kiln_aligned{})", a.data);
    out_.line("  kiln_stream((__global {}{} *)({}), {});", name_of(a.type), a.dim, row(a, target),
              all);
    out_.line("else");
    return out_.line("  {} {} = {};", over_components(a.dim), to, from);
  }
  const char* assign = adds ? "+=" : "=";
  if (const int width = piece(a); width > 1) {
    for (int first = 0; first < a.dim; first += width)
      out_.line("*(__global {0}{1} *)&{2} {3} ({0}{1})({4});", name_of(a.type), width,
                place(a, target, std::to_string(first)), assign, values(name, first, width, lane));
    return;
  }
  if (form_.lanes == 1 && a.dim > 1)
    return out_.line("{} {} {} {};", over_components(a.dim), to, assign, from);
  for (int k = 0; k < a.dim; ++k)
    out_.line("{} {} {};", place(a, target, std::to_string(k)), assign,
              value(name, std::to_string(k), lane));
}

bool ElementText::is_stored(std::size_t i) const {
  const ArgShape& a = shape_.arguments[i];
  return a.kind == Kind::dat && a.access != Access::read && !is_private_increment(a) &&
         !is_in_place(i);
}

/// What one lane of an argument leaves; all lanes of a contiguous one with lane 0.
void ElementText::store(std::size_t i, int lane) const {
  const ArgShape& a = shape_.arguments[i];
  const bool at_once = contiguous(a), streamed = form_.streaming && streams(a);
  if (form_.lanes == 1 || (!at_once && !streamed))
    for_arrays(i, [&](const std::string& name, const std::string& component) {
      store_array(a, name, target(a, component, lane), lane);
    });
  else if (lane == 0 && at_once)
    store_lanes(i);
  else if (lane == 0)
    store_non_temporal(i);
}

void ElementText::store_lanes(std::size_t i) const {
  const ArgShape& a = shape_.arguments[i];
  for (int k = 0; k < a.dim; ++k) {
    const std::string at = "&" + place(a, "kiln_el0", std::to_string(k));
    const std::string old =
        a.access == Access::inc ? fmt::format("vload{}(0, {}) + ", form_.lanes, at) : "";
    out_.line("vstore{}({}kiln_a{}[{}], 0, {});", form_.lanes, old, i, k, at);
  }
}

/// All lanes' elements by whole lines of the cache, which go to memory without being read first.
/// Such stores want their own alignment, which not every array has: then as usual.
void ElementText::store_non_temporal(std::size_t i) const {
  const ArgShape& a = shape_.arguments[i];
  const std::string name = fmt::format("kiln_a{}", i);
  const int numbers = std::min(64 / static_cast<int>(size_of(a.type)), form_.lanes * a.dim);
  const std::string vector = fmt::format("{}{}", name_of(a.type), numbers);
  const Transpose transpose = transpose_of(a);
  const int step = transpose.possible() ? transpose.piece() : 1;
  const auto line = [&](int first) {
    return fmt::format("({})({})", vector, list_of(numbers / step, [&](int k) {
                         const int n = first + k * step;
                         return step > 1 ? transpose.row_piece(name, n / a.dim, n % a.dim / step)
                                         : value(name, std::to_string(n % a.dim), n / a.dim);
                       }));
  };
  out_.line("__global {} *kiln_to{} = {};", name_of(a.type), i, row(a, "kiln_el0"));
  out_.open("if (kiln_aligned{})", a.data);
  for (int first = 0; first < form_.lanes * a.dim; first += numbers)
    out_.line("kiln_stream((__global {} *)(kiln_to{} + {}), {});", vector, i, first, line(first));
  out_.otherwise();
  for (int first = 0; first < form_.lanes * a.dim; first += numbers)
    out_.line("vstore{}({}, 0, kiln_to{} + {});", numbers, line(first), i, first);
  out_.close();
}

/// Lane after lane, so that increments of a target come in the order of elements. Where lanes hold
/// transposed elements they become elements again first.
void ElementText::stores(bool indexed) const {
  std::vector<std::size_t> stored;
  for (std::size_t i = 0; i < shape_.arguments.size(); ++i)
    if ((shape_.arguments[i].via == Via::index) == indexed && is_stored(i)) stored.push_back(i);
  for (const std::size_t i : stored) {
    const ArgShape& a = shape_.arguments[i];
    const Transpose transpose = transpose_of(a);
    const bool atomic = a.access == Access::inc && form_.commit == Commit::atomic;
    if (!atomic && transpose.possible())
      for_arrays(
          i, [&](const std::string& name, const std::string&) { transpose.to_rows(out_, name); });
  }
  for (int lane = 0; lane < form_.lanes; ++lane)
    for (const std::size_t i : stored) store(i, lane);
}

bool ElementText::has_increments() const {
  return std::ranges::any_of(shape_.arguments,
                             [&](const ArgShape& a) { return is_private_increment(a); });
}

void ElementText::declare_increments() const {
  for (std::size_t i = 0; i < shape_.arguments.size(); ++i)
    if (is_private_increment(shape_.arguments[i])) declare(i);
}

void ElementText::write_increments() const {
  for (std::size_t i = 0; i < shape_.arguments.size(); ++i) {
    const ArgShape& a = shape_.arguments[i];
    if (!is_private_increment(a)) continue;
    for_arrays(i, [&](const std::string& name, const std::string& component) {
      out_.line(
          "{} kiln_l{}[(int)kiln_loc_map[(size_t){} * kiln_size + kiln_position] * {} + kiln_k] += "
          "{}[kiln_k];",
          over_components(a.dim), a.pair, form_.staged->row(a.pair, std::stoi(component)), a.dim,
          name);
    });
  }
}

}  // namespace kiln::mesh
