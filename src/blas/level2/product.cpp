#include "blas/level2/product.hpp"

#include <algorithm>
#include <functional>

#include "blas/template/template_choice.hpp"
#include "blas/uses.hpp"

namespace kiln::blas {
namespace {

// Multiply-adds that are worth a work-item of a CPU.
constexpr double least_product_area = 16384;
constexpr std::int64_t product_items_per_unit = 2, product_groups_per_unit = 16;
// Results of a GPU's work-group: rows side by side, or columns that share what is read of x.
constexpr std::int64_t group_rows = 64, group_columns = 4;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// How one queue's share of a product is cut: blocks of the results, and parts of their sums.
struct Cut {
  std::int64_t block, parts;
};

KernelChoice kernel_of(const SequenceBuilder& to, unsigned queue, MatrixOp op) {
  return template_choice(to, queue, op.transposed ? "mv_t" : "mv_n");
}

Cut cut_of(const SequenceBuilder& to, unsigned queue, const NormalMatrix& matrix, MatrixOp op,
           unsigned queues) {
  const Device& device = to.device(queue);
  const std::int64_t units = device.compute_units;
  const std::int64_t results = ceil_div(op.transposed ? matrix.n : matrix.m, queues);
  // The longest sum that there is.
  const std::int64_t terms = op.transposed ? std::min(matrix.m, matrix.up + matrix.down + 1)
                                           : std::min(matrix.n, matrix.up + matrix.down + 1);
  if (device.type != Device::Type::cpu) {
    const std::int64_t block = op.transposed ? group_columns : group_rows;
    const std::int64_t most = std::max<std::int64_t>(1, terms / (op.transposed ? 1024 : 64));
    return {block, std::clamp<std::int64_t>(
                       units * product_groups_per_unit / ceil_div(results, block), 1, most)};
  }
  const double worth = matrix.area() / queues / least_product_area;
  const auto items = static_cast<std::int64_t>(
      std::clamp(worth, 1.0, static_cast<double>(units * product_items_per_unit)));
  const std::int64_t most_of_block = to.parameters(kernel_of(to, queue, op), queue).get("block", 1);
  const std::int64_t block =
      std::clamp(ceil_div(results, items), std::min<std::int64_t>(64, results), most_of_block);
  return {block, std::clamp<std::int64_t>(items / ceil_div(results, block), 1,
                                          std::max<std::int64_t>(1, terms / 256))};
}

NDRange range_of(const Device& device, std::int64_t results, const Cut& cut) {
  NDRange range;
  range.global[0] = static_cast<std::size_t>(ceil_div(results, cut.block) * cut.parts);
  if (device.type == Device::Type::cpu) return range;
  range.local[0] = work_group_of(device);
  range.global[0] *= range.local[0];
  return range;
}

/// Adds a step for each queue that has a share; `output` sets alpha, beta, y, its offset and
/// increment, and the distance of parts.
void add_pieces(
    SequenceBuilder& to, Team& team, const NormalMatrix& matrix, MatrixOp op, const DenseVector& x,
    std::int64_t parts,
    const std::function<void(SequenceBuilder::Arguments&, const DenseVector&)>& output) {
  const auto borders = team.shares(op.transposed ? matrix.n : matrix.m, [&](std::int64_t i) {
    return op.transposed ? matrix.rows_of(i) : matrix.columns_of(i);
  });
  for (unsigned queue = 0; queue < team.queues(); ++queue) {
    const std::int64_t from = borders[queue], end = borders[queue + 1];
    if (from == end) continue;
    Cut cut = cut_of(to, queue, matrix, op, team.queues());
    cut.parts = parts;
    auto arguments =
        team.step(queue, kernel_of(to, queue, op), range_of(to.device(queue), end - from, cut));
    matrix.put(arguments);
    arguments.number(from).number(end).number(cut.block).number(parts);
    arguments.number(std::int64_t{op.conjugated});
    output(arguments, x);
    team.next_writer();
  }
}

void put_scaling(const SequenceBuilder& builder, SequenceBuilder::Arguments& to, Scaling scaling) {
  if (scaling == Scaling::call) {
    to.alpha().beta();
    return;
  }
  const Precision precision = builder.call().precision;
  to.scalar(1, precision).scalar(scaling == Scaling::add ? 1 : 0, precision);
}

}  // namespace

Parts::Parts(SequenceBuilder& to, std::int64_t elements, std::int64_t how_many)
    : buffer(to.workspace(static_cast<std::size_t>(elements * how_many) *
                          size_of(to.call().precision))),
      length(elements),
      count(how_many) {}

std::int64_t parts_of(const SequenceBuilder& to, const Team& team, const NormalMatrix& matrix,
                      MatrixOp op) {
  std::int64_t parts = 1;
  for (unsigned queue = 0; queue < team.queues(); ++queue)
    parts = std::max(parts, cut_of(to, queue, matrix, op, team.queues()).parts);
  return parts;
}

void add_product_parts(SequenceBuilder& to, Team& team, const NormalMatrix& matrix, MatrixOp op,
                       const DenseVector& x, const Parts& parts, std::int64_t first,
                       std::int64_t count) {
  const Precision precision = to.call().precision;
  add_pieces(to, team, matrix, op, x, count,
             [&](SequenceBuilder::Arguments& arguments, const DenseVector& from) {
               arguments.scalar(1, precision).scalar(0, precision);
               from.put(arguments);
               arguments.buffer(parts.buffer).number(first * parts.length);
               arguments.number(std::int64_t{1}).number(parts.length);
             });
}

void add_product(SequenceBuilder& to, Team& team, const NormalMatrix& matrix, MatrixOp op,
                 const DenseVector& x, Slot y, Scaling scaling) {
  const std::int64_t count = parts_of(to, team, matrix, op);
  if (count > 1) {
    const Parts parts(to, op.transposed ? matrix.n : matrix.m, count);
    add_product_parts(to, team, matrix, op, x, parts, 0, count);
    return add_sum(to, team, matrix, Diagonal::none, &parts, nullptr, y, scaling);
  }
  add_pieces(to, team, matrix, op, x, 1,
             [&](SequenceBuilder::Arguments& arguments, const DenseVector& from) {
               put_scaling(to, arguments, scaling);
               from.put(arguments);
               arguments.memory(y).offset(y).number(to.call()[y].stride).number(std::int64_t{0});
             });
}

void add_sum(SequenceBuilder& to, Team& team, const NormalMatrix& matrix, Diagonal diagonal,
             const Parts* parts, const DenseVector* x, Slot y, Scaling scaling) {
  team.next_round();
  std::int64_t length = parts != nullptr ? parts->length : 0;
  if (parts == nullptr)
    for (const Use& use : Uses(to.call()))
      if (use.slot == y) length = static_cast<std::int64_t>(use.length);
  auto arguments = team.step(0, template_choice(to, 0, "mv_sum"),
                             stream_range(to.device(0), static_cast<std::size_t>(length)));
  matrix.put(arguments);
  arguments.number(static_cast<std::int64_t>(diagonal));
  if (parts != nullptr)
    arguments.number(parts->count).number(parts->length).buffer(parts->buffer);
  else
    arguments.number(std::int64_t{0}).number(std::int64_t{0}).memory(y);
  put_scaling(to, arguments, scaling);
  if (x != nullptr)
    x->put(arguments);
  else
    arguments.memory(y).offset(y);
  arguments.memory(y).offset(y).number(to.call()[y].stride).number(length);
}

}  // namespace kiln::blas
