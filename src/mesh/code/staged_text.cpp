#include "mesh/code/staged_text.hpp"

#include <fmt/format.h>

#include <map>

#include "mesh/code/signature.hpp"

namespace kiln::mesh {
namespace {

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

}  // namespace

std::string staged_body(const LoopShape& shape, const UserKernel& kernel, const ConstantUse& use,
                        const Parameters& parameters, const std::string& constants,
                        const Spaces& spaces) {
  const StagedRows rows(shape);
  const std::int64_t group = parameters.get("GROUP", 1);
  ElementForm form;
  form.staged = &rows;
  form.in_place = spaces;
  form.commit = Commit::coloured;
  form.pieces = true;
  const ElementText element(shape, kernel, use, form);
  std::string text = group_arrays(shape, parameters) + constants;
  for (const auto& global : read_globals(shape)) text += global_copy(global, 1);
  for (const auto& reduction : reductions(shape)) text += accumulator(reduction, 1);
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

}  // namespace kiln::mesh
