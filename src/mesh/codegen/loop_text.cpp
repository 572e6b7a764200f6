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

/// The first argument of each pair: which Dat, type and access. RW where the arguments of a pair
/// differ.
std::map<int, ArgShape> first_of_pairs(const LoopShape& shape) {
  std::map<int, ArgShape> found;
  for (const auto& a : shape.arguments) {
    if (a.kind != ArgShape::Kind::dat || a.pair < 0) continue;
    ArgShape& first = found.try_emplace(a.pair, a).first->second;
    if (a.access != first.access) first.access = Access::rw;
  }
  return found;
}

/// The function that a loop's work-items run, from its signature to its end.
class LoopBody {
 public:
  LoopBody(KernelWriter& out, const LoopShape& shape, const UserKernel& kernel,
           const ConstantUse& use, const Parameters& parameters)
      : out_(out), shape_(shape), kernel_(kernel), use_(use), parameters_(parameters) {}

  /// @param lanes of the form `blocks`.
  void write(const Spaces& spaces, int lanes) {
    const Form form = form_of(parameters_);
    form_.in_place = spaces;
    out_.lines(loop_signature(shape_, parameters_) + "\n");
    out_.open();
    if (form != Form::blocks) write_group_arrays(out_, shape_, parameters_);
    constant_copies();
    write_preparation(out_, shape_, 1);
    if (form == Form::blocks)
      blocks(lanes);
    else if (form == Form::staged)
      staged();
    else
      items(form);
    leave_partials(out_, shape_, parameters_);
    out_.close();
  }

 private:
  ElementText element() const { return {out_, shape_, kernel_, use_, form_}; }

  /// Constants under the user's names.
  void constant_copies() {
    for (const int n : use_.of(kernel_.function)) {
      const ConstShape& c = shape_.constants[static_cast<std::size_t>(n)];
      if (c.scalar) {
        out_.line("const {} {} = kiln_c{};", name_of(c.type), c.name, n);
      } else if (use_.only_indexed(n)) {
        out_.line("__constant const {} *{} = kiln_c{};", name_of(c.type), c.name, n);
      } else {
        out_.line("{} {}[{}];", name_of(c.type), c.name, c.dim);
        out_.line("{} {}[kiln_k] = kiln_c{}[kiln_k];", over_components(c.dim), c.name, n);
      }
    }
  }

  void blocks(int lanes) {
    form_.streaming = parameters_.get("STREAM", 0) != 0 && !shape_.subset;
    const ElementText one = element();
    out_.line("const int kiln_block = {};",
              has_conflicts(shape_) ? "kiln_blkmap[kiln_first_block + (int)get_group_id(0)]"
                                    : "kiln_first_block + (int)get_group_id(0)");
    out_.line("int kiln_e = kiln_begin + kiln_block * kiln_block_size;");
    out_.line(
        "const int kiln_stop = kiln_end - kiln_e < kiln_block_size ? kiln_end : kiln_e + "
        "kiln_block_size;");
    // Where the first element is aligned all groups of lanes are: see store_non_temporal.
    std::set<int> checked;
    for (const auto& a : shape_.arguments)
      if (form_.streaming && ElementText::streams(a) && checked.insert(a.data).second)
        out_.line(
            "const int kiln_aligned{0} = ((size_t)(kiln_d{0} + (size_t)kiln_e * {1}) & 63) == 0;",
            a.data, a.dim);
    if (lanes > 1) {
      form_.lanes = lanes;
      form_.in_place.clear();
      write_preparation(out_, shape_, lanes);
      one.one_by_one();
      out_.open("for (; kiln_stop - kiln_e >= {0}; kiln_e += {0})", lanes);
      element().write();
      out_.close();
      fold_lanes(out_, shape_, lanes);
    }
    one.one_by_one();
    out_.open("for (; kiln_e < kiln_stop; ++kiln_e)");
    one.write();
    out_.close();
  }

  void items(Form form) {
    const bool coloured = form == Form::coloured;
    form_.ordered = coloured && has_conflicts(shape_);
    form_.commit = coloured ? Commit::plain : Commit::atomic;
    form_.pieces = true;
    const ElementText one = element();
    // No position behind the last is ever computed: for the largest sets an int would not hold it,
    // and a long costs GPUs 6 % of a time step.
    out_.line("if ((long)get_global_id(0) < (long)kiln_end - kiln_begin) {{");
    one.one_by_one();
    out_.open(
        "for (int kiln_e = kiln_begin + (int)get_global_id(0);; kiln_e += "
        "(int)get_global_size(0))");
    one.write();
    out_.line("if (kiln_end - kiln_e <= (long)get_global_size(0)) break;");
    out_.close("}}");
  }

  /// Where each pair's targets lie in local memory, one slice behind the other.
  void slices(std::size_t pairs) {
    // The parameter is of 16-byte numbers: a driver aligns local memory as its type says.
    out_.line("__local char *kiln_free = (__local char *)kiln_local;");
    for (const auto& [pair, a] : first_of_pairs(shape_)) {
      const std::string at = fmt::format("[(size_t)kiln_block * {} + {}]", pairs, pair);
      out_.line("const int kiln_n{} = kiln_ind_sizes{};", pair, at);
      out_.line("__global const int *kiln_t{} = kiln_ind_map + kiln_ind_offsets{};", pair, at);
      out_.line("__local {1} *kiln_l{0} = (__local {1} *)kiln_free;", pair, name_of(a.type));
      out_.line("kiln_free += ((size_t)kiln_n{} * {} + 15) / 16 * 16;", pair,
                static_cast<std::size_t>(a.dim) * size_of(a.type));
    }
  }

  /// The group copies a pair's targets into local memory, or back; what is added to starts from 0.
  void copy(const ArgShape& a, bool back) {
    const bool adds = a.access == Access::inc;
    const std::string here = fmt::format("kiln_l{}[kiln_i]", a.pair);
    const std::string target = fmt::format("kiln_t{}[kiln_i / {}]", a.pair, a.dim);
    const std::string there =
        a.soa ? fmt::format("kiln_d{0}[kiln_i % {1} * kiln_s{0} + {2}]", a.data, a.dim, target)
              : fmt::format("kiln_d{0}[(size_t){1} * {2} + kiln_i % {2}]", a.data, target, a.dim);
    out_.line("for (int kiln_i = (int)get_local_id(0); kiln_i < kiln_n{} * {}; kiln_i += {}) {};",
              a.pair, a.dim, parameters_.get("GROUP", 1),
              back ? fmt::format("{} {} {}", there, adds ? "+=" : "=", here)
                   : fmt::format("{} = {}", here, adds ? "0" : there));
  }

  /// The elements of the block, a work-item each at a time. All items go round as often, because
  /// the increments of each colour of elements end with a barrier.
  void rounds(const ElementText& element) {
    out_.open("for (int kiln_first = 0; kiln_first < kiln_length; kiln_first += {})",
              parameters_.get("GROUP", 1));
    out_.line("const int kiln_at = kiln_first + (int)get_local_id(0);");
    out_.line("const int kiln_position = kiln_start + kiln_at;");
    element.declare_increments();
    out_.line("if (kiln_at < kiln_length) {{");
    out_.line("const int kiln_e = kiln_begin + kiln_position;");
    element.write();
    out_.line("}}");
    if (element.has_increments()) {
      out_.line(
          "const int kiln_colour = kiln_at < kiln_length ? kiln_element_colours[kiln_position] : "
          "-1;");
      out_.line("const int kiln_colours = kiln_colour_counts[kiln_block];");
      out_.open("for (int kiln_c = 0; kiln_c < kiln_colours; ++kiln_c)");
      out_.open("if (kiln_colour == kiln_c)");
      element.write_increments();
      out_.close();
      out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
      out_.close();
    }
    out_.close();
  }

  void staged() {
    const StagedRows rows(shape_);
    form_.staged = &rows;
    form_.commit = Commit::coloured;
    form_.pieces = true;
    out_.line("const int kiln_block = kiln_blkmap[kiln_first_block + (int)get_group_id(0)];");
    out_.line("const int kiln_size = kiln_end - kiln_begin;");
    out_.line("const int kiln_start = kiln_block * kiln_block_size;");
    out_.line(
        "const int kiln_length = kiln_size - kiln_start < kiln_block_size ? kiln_size - kiln_start "
        ": "
        "kiln_block_size;");
    slices(rows.pairs.size());
    const auto pairs = first_of_pairs(shape_);
    for (const auto& [pair, a] : pairs)
      if (a.access != Access::write) copy(a, false);
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    rounds(element());
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    for (const auto& [pair, a] : pairs)
      if (a.access != Access::read) copy(a, true);
  }

  KernelWriter& out_;
  const LoopShape& shape_;
  const UserKernel& kernel_;
  const ConstantUse& use_;
  const Parameters& parameters_;
  ElementForm form_;
};

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

Lanes lanes_of(const LoopShape& shape, const UserKernel& kernel, int wanted,
               const BuiltIns& on_vectors) {
  if (wanted <= 1) return {1, {}, "LANES=1"};
  if (auto found = arguments_obstacle(shape, kernel, wanted); !found.empty())
    return {1, {}, std::move(found)};
  if (only_moves(kernel.syntax, kernel.function))
    return {1, {}, "the kernel only moves numbers: vectors would gain nothing"};
  const auto plain = plain_edits(kernel.syntax, ConstantUse(kernel.syntax));
  auto copies = lane_copies(kernel.syntax, plain, kernel.function, wanted, on_vectors);
  if (!copies) return {1, {}, copies.error().what()};
  return {wanted, std::move(*copies), {}};
}

std::string lanes_obstacle(const LoopShape& shape, const Parameters& parameters,
                           const BuiltIns& on_vectors) {
  if (form_of(parameters) != Form::blocks) return {};
  const UserKernel kernel = value_or_throw(read_kernel(shape));
  const int wanted = wanted_lanes(parameters);
  // Where the Parameters ask for one lane, as they do by default for integers: what would prevent
  // more, or else that they ask for one.
  const Lanes lanes = lanes_of(shape, kernel, std::max(wanted, fewest_lanes), on_vectors);
  return wanted == 1 && lanes.count > 1 ? "LANES=1" : lanes.obstacle;
}

std::string loop_text(const LoopShape& shape, const Parameters& parameters,
                      const BuiltIns& on_vectors) {
  const UserKernel kernel = value_or_throw(read_kernel(shape));
  const ConstantUse use(kernel.syntax);
  const auto plain = plain_edits(kernel.syntax, use);
  const Form form = form_of(parameters);
  const Lanes lanes = form == Form::blocks
                          ? lanes_of(shape, kernel, wanted_lanes(parameters), on_vectors)
                          : Lanes{};
  std::string copies;
  const Spaces spaces = in_place(shape, kernel, plain, form, copies);
  KernelWriter out;
  out.lines(template_text("fp64"));
  out.lines(edited(kernel.syntax.text(), plain) + "\n");
  out.lines(lanes.copies);
  out.line("#line 1 \"{}\"", loop_kernel(shape));
  out.lines(copies);
  write_helpers(out, shape, parameters);
  LoopBody(out, shape, kernel, use, parameters).write(spaces, lanes.count);
  write_fold_kernel(out, shape, parameters);
  return out.take();
}

}  // namespace kiln::mesh
