#include <algorithm>

#include "blas/call/routine_traits.hpp"
#include "blas/routines/normal_matrix.hpp"
#include "blas/routines/routines.hpp"
#include "blas/routines/team.hpp"
#include "blas/sequence/sequence_builder.hpp"

namespace kiln::blas {
namespace {

/// How a routine's update looks to the kernel.
struct Update {
  bool has_two_terms = false;
  std::int64_t flags = 0;
  Slot down = Slot::x, along = Slot::x;  ///< the vectors that go along columns, and along rows
};

enum UpdateFlags : std::int64_t {
  conjugate_down = 1,
  conjugate_along = 2,
  conjugate_second_alpha = 4,
  real_diagonal = 8
};

Update update_of(const Call& call, bool flipped) {
  Update update;
  const bool symmetric = !has(call.routine, trait::rectangular);
  const bool has_two = has(call.routine, trait::second);
  const bool conjugates = has(call.routine, trait::conjugated);
  if (has_two) update.along = Slot::y;
  update.has_two_terms = symmetric && has_two;
  if (symmetric && conjugates)
    update.flags = has_two ? real_diagonal | conjugate_second_alpha : real_diagonal;
  // The transposed of alpha x op(y) has y in its columns, and the conjugation stays with y.
  if (flipped) std::swap(update.down, update.along);
  if (conjugates) update.flags |= flipped ? conjugate_down : conjugate_along;
  return update;
}

std::size_t length_of(const Call& call, Slot slot) {
  return has(call.routine, trait::rectangular) && slot == Slot::x ? call.m : call.n;
}

struct UpdateCut {
  std::int64_t columns, parts;  ///< as the kernel takes them
  NDRange range;
};

/// Blocks of columns, and parts of the rows where the columns are few.
UpdateCut cpu_cut_of(const Device& device, const NormalMatrix& matrix, std::int64_t columns,
                     double area) {
  constexpr double least_area = 16384;
  constexpr std::int64_t items_per_unit = 4, least_rows = 1024;
  const auto items = static_cast<std::int64_t>(std::clamp(
      area / least_area, 1.0, static_cast<double>(device.compute_units * items_per_unit)));
  UpdateCut cut{};
  cut.columns = std::max<std::int64_t>(1, columns / items);
  const std::int64_t blocks = ceil_div(columns, cut.columns);
  cut.parts =
      std::clamp<std::int64_t>(items / blocks, 1, std::max<std::int64_t>(1, matrix.m / least_rows));
  cut.range = work_groups(device, static_cast<std::size_t>(blocks * cut.parts));
  return cut;
}

/// As many columns as the kernel keeps, in dimension 0, and two rows for a work-item, or more where
/// these would be too many work-groups, in dimension 1; `parts` is how many rows a work-group has.
UpdateCut gpu_cut_of(const Device& device, const NormalMatrix& matrix, std::int64_t columns) {
  constexpr std::int64_t most_columns = 4 /* the template's AT_ONCE */, groups_per_unit = 128,
                         rows_of_item = 2;
  const auto group = static_cast<std::int64_t>(work_group_of(device));
  const std::int64_t rows_of_group = rows_of_item * group;
  UpdateCut cut{};
  cut.columns = std::min(most_columns, columns);
  const std::int64_t blocks = ceil_div(columns, cut.columns);
  const std::int64_t most = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(device.compute_units) * groups_per_unit / blocks, 1, 65535);
  const std::int64_t turns = ceil_div(ceil_div(matrix.m, rows_of_group), most);
  cut.parts = std::max<std::int64_t>(1, turns) * rows_of_group;
  cut.range.dimensions = 2;
  cut.range.local[0] = static_cast<std::size_t>(group);
  cut.range.global[0] = static_cast<std::size_t>(blocks * group);
  cut.range.local[1] = 1;
  cut.range.global[1] =
      static_cast<std::size_t>(std::max<std::int64_t>(1, ceil_div(matrix.m, cut.parts)));
  return cut;
}

}  // namespace

void add_rank_update(SequenceBuilder& to) {
  const Call& call = to.call();
  if (call.alpha == Scalar(0)) return;
  const NormalMatrix matrix = normal_matrix(call);
  const Update update = update_of(call, matrix.flipped);
  const double area = matrix.area();
  Team team(to, area);
  const DenseVector down(to, team, update.down, length_of(call, update.down));
  const DenseVector other =
      update.along == update.down
          ? down
          : DenseVector(to, team, update.along, length_of(call, update.along));
  const auto borders =
      team.shares(matrix.n, [&](std::int64_t column) { return matrix.rows_of(column); });
  for (unsigned queue = 0; queue < team.queues(); ++queue) {
    const std::int64_t from = borders[queue], end = borders[queue + 1];
    if (from == end) continue;
    const Device& device = to.device(queue);
    const UpdateCut cut = device.type == Device::Type::cpu
                              ? cpu_cut_of(device, matrix, end - from, area / team.queues())
                              : gpu_cut_of(device, matrix, end - from);
    auto arguments = team.step(
        queue,
        template_choice(to, queue, "rank_update", {{"two", std::int64_t{update.has_two_terms}}}),
        cut.range);
    matrix.put(arguments);
    arguments.numbers(from, end, cut.columns, cut.parts).scalars(call_alpha).numbers(update.flags);
    down.put(arguments);
    other.put(arguments);
    team.next_writer();
  }
}

}  // namespace kiln::blas
