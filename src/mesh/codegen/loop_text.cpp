// The text of a whole program: the user's functions, the loop in one of its forms (blocks, one
// element a work-item, staged), the fold of its reductions.
#include "mesh/codegen/loop_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "mesh/codegen/element_text.hpp"
#include "mesh/codegen/helper_text.hpp"
#include "mesh/codegen/lanes.hpp"

namespace kiln::mesh {

namespace {

/// Values that a group of lanes may hold: beyond that the text and the registers overflow.
constexpr int most_values = 1024;

/// Components up to which a private copy of an element costs nothing: beyond them it would spill.
constexpr int most_copied = 32, most_copied_of_globals = 8;

/// The arguments whose data the kernel gets where they lie: large elements and large Globals that
/// are read. Empty where there are none or the kernel has no copy for that (space_copies).
/// `copies` receives the text of the copies.
Spaces in_place(const LoopShape& shape, const UserKernel& kernel, const std::vector<Edit>& plain,
                Form form, std::string& copies) {
  Spaces spaces(kernel.kernel().parameters.size(), Space::private_);
  bool any = false;
  for (std::size_t i = 0; i < shape.arguments.size(); ++i) {
    const ArgShape& a = shape.arguments[i];
    const bool dat = a.kind == ArgShape::Kind::dat && a.access != Access::inc && !a.soa &&
                     a.dim > most_copied &&
                     (a.via == ArgShape::Via::direct ||
                      (a.via == ArgShape::Via::component && form != Form::staged));
    const bool global = a.kind == ArgShape::Kind::global && a.access == Access::read &&
                        a.dim > most_copied_of_globals;
    if (!dat && !global) continue;
    spaces[i] = Space::global;
    any = true;
  }
  if (!any) return {};
  const auto made = space_copies(kernel.syntax, plain, kernel.function, spaces);
  if (!made) return {};
  copies = *made;
  return spaces;
}

/// Constants under the user's names.
std::string constant_copies(const LoopShape& shape, const UserKernel& kernel,
                            const ConstantUse& use) {
  std::string text;
  for (const int n : use.of(kernel.function)) {
    const ConstShape& c = shape.constants[static_cast<std::size_t>(n)];
    if (c.scalar)
      text += fmt::format("  const {} {} = kiln_c{};\n", name_of(c.type), c.name, n);
    else if (use.only_indexed(n))
      text += fmt::format("  __constant const {} *{} = kiln_c{};\n", name_of(c.type), c.name, n);
    else
      text += fmt::format("  {0} {1}[{2}];\n  {4} {1}[kiln_k] = kiln_c{3}[kiln_k];\n",
                          name_of(c.type), c.name, c.dim, n, over_components(c.dim));
  }
  return text;
}

/// What a work-item has before its first element, for elements one by one and in lanes.
std::string preparation(const LoopShape& shape, int lanes) {
  std::string text;
  for (const auto& global : read_globals(shape)) text += global_copy(global, lanes);
  for (const auto& reduction : reductions(shape)) text += accumulator(reduction, lanes);
  return text;
}

/// Adds the lanes' results of reductions to those of single elements, lane after lane.
std::string fold_lanes(const LoopShape& shape, int count) {
  std::string text;
  for (const auto& r : reductions(shape))
    for (int lane = 0; lane < count; ++lane) {
      const bool extreme = is_extreme(r);
      const std::string into =
          (extreme ? extreme_name(r.data, 1) : accumulator_name(r.data, 1)) + "[kiln_k]";
      const std::string from =
          extreme ? extreme_name(r.data, count) : accumulator_name(r.data, count);
      text += fmt::format(
          "  {} {} = {};\n", over_components(r.dim), into,
          combined(r.type, r.access, into, fmt::format("{}[kiln_k].s{:x}", from, lane)));
    }
  return text;
}

std::string leave_partials(const LoopShape& shape) {
  std::string text;
  for (const auto& r : reductions(shape))
    text += fmt::format(
        "  {2} kiln_partials{1}[(size_t)(kiln_first_partial "
        "+ (int)get_group_id(0)) * {0} + kiln_k] = kiln_r{1}[kiln_k];\n",
        r.dim, r.data, over_components(r.dim));
  return text;
}

std::string blocks_body(const LoopShape& shape, const UserKernel& kernel, const ConstantUse& use,
                        const Parameters& parameters, int lanes, const Spaces& spaces) {
  ElementForm form;
  form.in_place = spaces;
  form.streaming = parameters.get("STREAM", 0) != 0 && !shape.subset;
  const ElementText one(shape, kernel, use, form);
  form.lanes = lanes;
  form.in_place.clear();
  const ElementText many(shape, kernel, use, form);
  std::string text = constant_copies(shape, kernel, use) + preparation(shape, 1);
  text += fmt::format(
      "  const int kiln_block = {};\n"
      "  int kiln_e = kiln_begin + kiln_block * kiln_block_size;\n"
      "  const int kiln_stop = kiln_end - kiln_e < kiln_block_size ? kiln_end : kiln_e + "
      "kiln_block_size;\n",
      has_conflicts(shape) ? "kiln_blkmap[kiln_first_block + (int)get_group_id(0)]"
                           : "kiln_first_block + (int)get_group_id(0)");
  // Where the first element is aligned all groups of lanes are: see store_non_temporal.
  std::set<int> checked;
  for (const auto& a : shape.arguments)
    if (form.streaming && ElementText::streams(a) && checked.insert(a.data).second)
      text += fmt::format(
          "  const int kiln_aligned{0} = ((size_t)(kiln_d{0} + (size_t)kiln_e * {1}) & 63) == 0;\n",
          a.data, a.dim);
  if (lanes > 1) {
    text += preparation(shape, lanes);
    text += ElementText::one_by_one(shape);
    text += fmt::format("  for (; kiln_stop - kiln_e >= {0}; kiln_e += {0}) {{\n{1}  }}\n", lanes,
                        many.text());
    text += fold_lanes(shape, lanes);
  }
  text += ElementText::one_by_one(shape) + "  for (; kiln_e < kiln_stop; ++kiln_e) {\n" +
          one.text() + "  }\n";
  return text + settle_extremes(shape) + leave_partials(shape);
}

std::string items_body(const LoopShape& shape, const UserKernel& kernel, const ConstantUse& use,
                       const Parameters& parameters, const Spaces& spaces) {
  const bool coloured = form_of(parameters) == Form::coloured;
  ElementForm form;
  form.in_place = spaces;
  form.ordered = coloured && has_conflicts(shape);
  form.commit = coloured ? Commit::plain : Commit::atomic;
  form.pieces = true;
  const ElementText one(shape, kernel, use, form);
  std::string text =
      group_arrays(shape, parameters) + constant_copies(shape, kernel, use) + preparation(shape, 1);
  // No position behind the last is ever computed: for the largest sets an int would not hold it,
  // and a long costs GPUs 6 % of a time step.
  text +=
      "  if ((long)get_global_id(0) < (long)kiln_end - kiln_begin) {\n" +
      ElementText::one_by_one(shape) +
      "  for (int kiln_e = kiln_begin + (int)get_global_id(0);; kiln_e += (int)get_global_size(0)) "
      "{\n" +
      one.text() + "    if (kiln_end - kiln_e <= (long)get_global_size(0)) break;\n  }}\n";
  return text + settle_extremes(shape) + fold_group_text(shape, parameters);
}

/// The first argument of each pair: which Dat, type and access.
std::map<int, ArgShape> first_of_pairs(const LoopShape& shape) {
  std::map<int, ArgShape> found;
  for (const auto& a : shape.arguments)
    if (a.kind == ArgShape::Kind::dat && a.pair >= 0) found.try_emplace(a.pair, a);
  return found;
}

/// The access of a pair's arguments together: RW where they differ.
Access access_of(const LoopShape& shape, int pair, Access first) {
  for (const auto& a : shape.arguments)
    if (a.kind == ArgShape::Kind::dat && a.pair == pair && a.access != first) return Access::rw;
  return first;
}

std::string global_place(const ArgShape& a, int pair) {
  const std::string target = fmt::format("kiln_t{}[kiln_i / {}]", pair, a.dim);
  if (a.soa) return fmt::format("kiln_d{0}[kiln_i % {1} * kiln_s{0} + {2}]", a.data, a.dim, target);
  return fmt::format("kiln_d{}[(size_t){} * {} + kiln_i % {}]", a.data, target, a.dim, a.dim);
}

std::string copy_loop(const ArgShape& a, int pair, std::int64_t group, const std::string& body) {
  return fmt::format(
      "  for (int kiln_i = (int)get_local_id(0); kiln_i < kiln_n{} * {}; kiln_i += {}) {};\n", pair,
      a.dim, group, body);
}

/// Where each pair's targets lie in local memory, one slice behind the other.
std::string slices(const LoopShape& shape, std::size_t pairs) {
  // The parameter is of 16-byte numbers: a driver aligns local memory as its type says.
  std::string text = "  __local char *kiln_free = (__local char *)kiln_local;\n";
  for (const auto& [pair, a] : first_of_pairs(shape))
    text += fmt::format(
        "  const int kiln_n{0} = kiln_ind_sizes[(size_t)kiln_block * {1} + {0}];\n"
        "  __global const int *kiln_t{0} = kiln_ind_map + kiln_ind_offsets[(size_t)kiln_block * "
        "{1} + {0}];\n"
        "  __local {2} *kiln_l{0} = (__local {2} *)kiln_free;\n"
        "  kiln_free += ((size_t)kiln_n{0} * {3} + 15) / 16 * 16;\n",
        pair, pairs, name_of(a.type), static_cast<std::size_t>(a.dim) * size_of(a.type));
  return text;
}

std::string stage_in(const LoopShape& shape, std::int64_t group) {
  std::string text;
  for (const auto& [pair, a] : first_of_pairs(shape)) {
    const Access access = access_of(shape, pair, a.access);
    const std::string here = fmt::format("kiln_l{}[kiln_i]", pair);
    if (access == Access::inc) text += copy_loop(a, pair, group, here + " = 0");
    if (access == Access::read || access == Access::rw)
      text += copy_loop(a, pair, group, here + " = " + global_place(a, pair));
  }
  return text + "  barrier(CLK_LOCAL_MEM_FENCE);\n";
}

std::string stage_out(const LoopShape& shape, std::int64_t group) {
  std::string text = "  barrier(CLK_LOCAL_MEM_FENCE);\n";
  for (const auto& [pair, a] : first_of_pairs(shape)) {
    const Access access = access_of(shape, pair, a.access);
    if (access == Access::read) continue;
    text += copy_loop(a, pair, group,
                      fmt::format("{} {} kiln_l{}[kiln_i]", global_place(a, pair),
                                  access == Access::inc ? "+=" : "=", pair));
  }
  return text;
}

/// The elements of the block, a work-item each at a time. All items go round as often, because the
/// increments of each colour of elements end with a barrier.
std::string rounds(const ElementText& element, std::int64_t group) {
  const std::string increments = element.increments();
  std::string text = fmt::format(
      "  for (int kiln_first = 0; kiln_first < kiln_length; kiln_first += {}) {{\n"
      "    const int kiln_at = kiln_first + (int)get_local_id(0);\n"
      "    const int kiln_position = kiln_start + kiln_at;\n",
      group);
  text += element.increment_arrays();
  text += "    if (kiln_at < kiln_length) {\n    const int kiln_e = kiln_begin + kiln_position;\n" +
          element.text() + "    }\n";
  if (!increments.empty())
    text +=
        "    const int kiln_colour = kiln_at < kiln_length ? kiln_element_colours[kiln_position] : "
        "-1;\n"
        "    const int kiln_colours = kiln_colour_counts[kiln_block];\n"
        "    for (int kiln_c = 0; kiln_c < kiln_colours; ++kiln_c) {\n"
        "      if (kiln_colour == kiln_c) {\n" +
        increments + "      }\n      barrier(CLK_LOCAL_MEM_FENCE);\n    }\n";
  return text + "  }\n";
}

/// The body of a loop in the staged form.
std::string staged_body(const LoopShape& shape, const UserKernel& kernel, const ConstantUse& use,
                        const Parameters& parameters, const Spaces& spaces) {
  const StagedRows rows(shape);
  const std::int64_t group = parameters.get("GROUP", 1);
  ElementForm form;
  form.staged = &rows;
  form.in_place = spaces;
  form.commit = Commit::coloured;
  form.pieces = true;
  const ElementText element(shape, kernel, use, form);
  std::string text =
      group_arrays(shape, parameters) + constant_copies(shape, kernel, use) + preparation(shape, 1);
  text +=
      "  const int kiln_block = kiln_blkmap[kiln_first_block + (int)get_group_id(0)];\n"
      "  const int kiln_size = kiln_end - kiln_begin;\n"
      "  const int kiln_start = kiln_block * kiln_block_size;\n"
      "  const int kiln_length = kiln_size - kiln_start < kiln_block_size ? kiln_size - kiln_start "
      ": "
      "kiln_block_size;\n";
  text += slices(shape, rows.pairs.size()) + stage_in(shape, group) + rounds(element, group) +
          stage_out(shape, group);
  return text + settle_extremes(shape) + fold_group_text(shape, parameters);
}

std::string fold_text(const LoopShape& shape, const Parameters& parameters) {
  if (fold_parameters(shape).empty()) return {};
  std::string text = fold_signature(shape, parameters) + "\n{\n";
  if (fold_group(parameters) > 1) text += group_arrays(shape, parameters);
  for (const auto& r : reductions(shape)) {
    const std::string into = fmt::format("kiln_r{}[kiln_k]", r.data);
    text += one_accumulator(r);
    text += fmt::format(
        "  for (int kiln_i = (int)get_local_id(0); kiln_i < kiln_count; kiln_i += {0})\n"
        "    for (int kiln_k = 0; kiln_k < {1}; ++kiln_k) {{\n"
        "      const {2} kiln_x = kiln_partials{3}[(size_t)kiln_i * {1} + kiln_k];\n"
        "      {4} = {5};\n    }}\n",
        fold_group(parameters), r.dim, name_of(r.type), r.data, into,
        combined(r.type, r.access, into, "kiln_x"));
  }
  if (fold_group(parameters) > 1) text += fold_tree(shape, parameters);
  text += "  if (get_local_id(0) == 0) {\n";
  for (const auto& r : reductions(shape)) {
    const std::string total = fmt::format("kiln_result{}[kiln_k]", r.data);
    text += fmt::format("    for (int kiln_k = 0; kiln_k < {}; ++kiln_k) {} = {};\n", r.dim, total,
                        combined(r.type, r.access, total, fmt::format("kiln_r{}[kiln_k]", r.data)));
  }
  return text + "  }\n}\n";
}

int values_of(const LoopShape& shape) {
  int values = 0;
  for (const auto& a : shape.arguments)
    values += a.dim * (a.via == ArgShape::Via::all ? a.arity : 1);
  return values;
}

/// What of a loop's arguments prevents several elements at once.
std::string arguments_obstacle(const LoopShape& shape, const UserKernel& kernel, int wanted) {
  if (!shape.extents.empty()) return "iteration indices";
  if (shape.arguments.empty()) return "no arguments";
  for (std::size_t i = 0; i < shape.arguments.size(); ++i) {
    const ArgShape& a = shape.arguments[i];
    const bool swaps =
        a.kind == ArgShape::Kind::dat && a.access == Access::rw && a.via != ArgShape::Via::direct;
    const Declaration& parameter = kernel.parameter(i);
    const auto of = [&](const std::string& what) {
      return fmt::format("{}: argument {} ('{}') is {}", where(kernel.syntax, parameter.name_at), i,
                         parameter.name, what);
    };
    if (a.kind == ArgShape::Kind::mat) return of("a matrix");
    if (swaps) return of("RW through a Map: elements may share a target");
    if (!is_floating(a.type)) return of(fmt::format("of an integer type ({})", name_of(a.type)));
  }
  if (const int values = values_of(shape) * wanted; values > most_values)
    return fmt::format("{} lanes have {} values, more than {}", wanted, values, most_values);
  return {};
}

/// The fewest lanes above one: what prevents these prevents all.
constexpr int fewest_lanes = 4;

int wanted_lanes(const Parameters& parameters) {
  return static_cast<int>(parameters.get("LANES", 1));
}

}  // namespace

Lanes lanes_of(const LoopShape& shape, const UserKernel& kernel, int wanted) {
  if (wanted <= 1) return {1, {}, "LANES=1"};
  if (auto found = arguments_obstacle(shape, kernel, wanted); !found.empty())
    return {1, {}, std::move(found)};
  if (only_moves(kernel.syntax, kernel.function))
    return {1, {}, "the kernel only moves numbers: vectors would gain nothing"};
  const auto plain = plain_edits(kernel.syntax, ConstantUse(kernel.syntax));
  auto copies = lane_copies(kernel.syntax, plain, kernel.function, wanted);
  if (!copies) return {1, {}, copies.error().what()};
  return {wanted, std::move(*copies), {}};
}

std::string lanes_obstacle(const LoopShape& shape, const Parameters& parameters) {
  if (form_of(parameters) != Form::blocks) return {};
  const UserKernel kernel = value_or_throw(read_kernel(shape));
  const int wanted = wanted_lanes(parameters);
  // Where the Parameters ask for one lane, as they do by default for integers: what would prevent
  // more, or else that they ask for one.
  const Lanes lanes = lanes_of(shape, kernel, std::max(wanted, fewest_lanes));
  return wanted == 1 && lanes.count > 1 ? "LANES=1" : lanes.obstacle;
}

std::string loop_text(const LoopShape& shape, const Parameters& parameters) {
  const UserKernel kernel = value_or_throw(read_kernel(shape));
  const ConstantUse use(kernel.syntax);
  const auto plain = plain_edits(kernel.syntax, use);
  const std::string& source = kernel.syntax.source->text();
  const Form form = form_of(parameters);
  const Lanes lanes =
      form == Form::blocks ? lanes_of(shape, kernel, wanted_lanes(parameters)) : Lanes{};
  std::string text = "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n" +
                     edited(source, 0, static_cast<std::uint32_t>(source.size()), plain) + "\n" +
                     lanes.copies + "#line 1 \"" + loop_kernel(shape) + "\"\n";
  std::string copies;
  const Spaces spaces = in_place(shape, kernel, plain, form, copies);
  text += copies + helper_text(shape, parameters);
  text += loop_signature(shape, parameters) + "\n{\n";
  if (form == Form::blocks)
    text += blocks_body(shape, kernel, use, parameters, lanes.count, spaces);
  else if (form == Form::staged)
    text += staged_body(shape, kernel, use, parameters, spaces);
  else
    text += items_body(shape, kernel, use, parameters, spaces);
  return text + "}\n" + fold_text(shape, parameters);
}

}  // namespace kiln::mesh
