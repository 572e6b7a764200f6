#include <algorithm>
#include <functional>

#include "blas/call/call.hpp"
#include "blas/call/routine_traits.hpp"
#include "blas/routines/normal_matrix.hpp"
#include "blas/routines/routines.hpp"
#include "blas/routines/team.hpp"
#include "blas/sequence/sequence_builder.hpp"

// Products of a matrix and a vector: op(A) x in parts that are summed up afterwards where one
// kernel's results are too few to keep a device busy.
namespace kiln::blas {
namespace {

/// What a product leaves in y: alpha op(A) x + beta y.
struct Scaling {
  Coefficient alpha, beta;
};
constexpr Scaling by_call{call_alpha, call_beta};

/// Products that are still to be summed up: vectors one behind another in workspace.
struct PartialSums {
  PartialSums(SequenceBuilder& to, std::int64_t elements, std::int64_t how_many)
      : buffer(to.workspace(static_cast<std::size_t>(elements * how_many) *
                            size_of(to.call().precision))),
        length(elements),
        count(how_many) {}
  cl::Buffer buffer;
  std::int64_t length, count;
};

/// What the sum of parts takes of a matrix' diagonal.
enum class Diagonal { none, as_is, real_part };

// Multiply-adds that are worth a work-item of a CPU.
constexpr double least_product_area = 16384;
constexpr std::int64_t product_items_per_unit = 2, product_groups_per_unit = 16;
// Bytes of a matrix that comes from memory rather than from a cache.
constexpr double least_stream = 32 << 20;
// Results of a GPU's work-group: rows side by side, or columns that share what is read of x.
constexpr std::int64_t group_rows = 64, group_columns = 4;

/// How one queue's share of a product is cut: blocks of the results, and parts of their sums.
struct Cut {
  std::int64_t block, parts;
};

KernelChoice kernel_of(const SequenceBuilder& to, unsigned queue, MatrixOp op) {
  return template_choice(to, queue, op.transposed ? "mv_t" : "mv_n");
}

Cut cut_of(const SequenceBuilder& to, unsigned queue, const NormalMatrix& matrix, MatrixOp op,
           unsigned queues, const KernelChoice& kernel) {
  const Device& device = to.device(queue);
  const std::int64_t units = device.compute_units;
  const std::int64_t results = ceil_div(op.transposed ? matrix.n : matrix.m, queues);
  // The longest sum that there is.
  const std::int64_t terms = op.transposed ? std::min(matrix.m, matrix.up + matrix.down + 1)
                                           : std::min(matrix.n, matrix.up + matrix.down + 1);
  if (device.type != Device::Type::cpu) {
    const std::int64_t block = op.transposed ? group_columns : group_rows;
    const std::int64_t blocks = ceil_div(results, block);
    // Parts with at least so many terms of a sum, that there are so many work-groups a compute
    // unit.
    const auto parts = [&](std::int64_t groups, std::int64_t least_terms) {
      return std::min(units * groups / blocks, terms / least_terms);
    };
    // By rows: so many that the last ones matter little, as long as they have enough to read. A
    // second launch, which adds up parts, takes longer than all of a short sum.
    constexpr std::int64_t short_sum = 256, long_sum = 1024;
    const std::int64_t wanted = op.transposed       ? parts(product_groups_per_unit, 1024)
                                : terms < short_sum ? 1
                                : terms < long_sum  ? parts(product_groups_per_unit, 64)
                                                    : std::max(parts(32, 512), parts(2, 64));
    return {block, std::max<std::int64_t>(1, wanted)};
  }
  const double worth = matrix.area() / queues / least_product_area;
  const auto items = static_cast<std::int64_t>(
      std::clamp(worth, 1.0, static_cast<double>(units * product_items_per_unit)));
  const std::int64_t most_of_block = kernel.chosen.parameters.get("block", 1);
  // From memory whole columns come faster than pieces of them: the parts are columns, whose sums
  // cost next to nothing.
  const std::int64_t long_block = std::min(results, most_of_block);
  const std::int64_t parts_across = items / ceil_div(results, long_block);
  if (!op.transposed && parts_across > 1 && parts_across <= terms / 256 &&
      matrix.area() / queues * static_cast<double>(size_of(to.call().precision)) >= least_stream)
    return {long_block, parts_across};
  const std::int64_t block =
      std::clamp(ceil_div(results, items), std::min<std::int64_t>(64, results), most_of_block);
  return {block, std::clamp<std::int64_t>(items / ceil_div(results, block), 1,
                                          std::max<std::int64_t>(1, terms / 256))};
}

/// Adds a step for each queue that has a share; `output` sets the arguments from alpha on: alpha,
/// beta, x, y, its offset and increment, and the distance of parts.
void add_pieces(SequenceBuilder& to, Team& team, const NormalMatrix& matrix, MatrixOp op,
                std::int64_t parts,
                const std::function<void(SequenceBuilder::Arguments&)>& output) {
  const auto borders = team.shares(op.transposed ? matrix.n : matrix.m, [&](std::int64_t i) {
    return op.transposed ? matrix.rows_of(i) : matrix.columns_of(i);
  });
  for (unsigned queue = 0; queue < team.queues(); ++queue) {
    const std::int64_t from = borders[queue], end = borders[queue + 1];
    if (from == end) continue;
    const KernelChoice kernel = kernel_of(to, queue, op);
    const Cut cut = cut_of(to, queue, matrix, op, team.queues(), kernel);
    const auto groups = static_cast<std::size_t>(ceil_div(end - from, cut.block) * parts);
    auto arguments = team.step(queue, kernel, work_groups(to.device(queue), groups));
    matrix.put(arguments);
    arguments.numbers(from, end, cut.block, parts, op.conjugated);
    output(arguments);
    team.next_writer();
  }
}

/// How many parts a product's sums are cut into so that every device has enough to do; 1 where its
/// results alone are enough.
std::int64_t parts_of(const SequenceBuilder& to, const Team& team, const NormalMatrix& matrix,
                      MatrixOp op) {
  std::int64_t parts = 1;
  for (unsigned queue = 0; queue < team.queues(); ++queue)
    parts = std::max(parts,
                     cut_of(to, queue, matrix, op, team.queues(), kernel_of(to, queue, op)).parts);
  return parts;
}

/// Adds steps (of this round) for `count` of the parts, from `first` on.
void add_product_parts(SequenceBuilder& to, Team& team, const NormalMatrix& matrix, MatrixOp op,
                       const DenseVector& x, const PartialSums& parts, std::int64_t first,
                       std::int64_t count) {
  add_pieces(to, team, matrix, op, count, [&](SequenceBuilder::Arguments& arguments) {
    arguments.scalars(1, 0);
    x.put(arguments);
    arguments.buffer(parts.buffer).numbers(first * parts.length, 1, parts.length);
  });
}

/// Adds y = scaled (the parts' sum + D x), after all that was added before. Without parts the sum
/// is 0.
void add_sum(SequenceBuilder& to, Team& team, const NormalMatrix& matrix, Diagonal diagonal,
             const PartialSums* parts, const DenseVector* x, Slot y, const Scaling& scaling) {
  team.next_round();
  const Device& device = to.device(0);
  std::int64_t length = parts != nullptr ? parts->length : 0;
  if (parts == nullptr)
    for (const Use& use : Uses(to.call()))
      if (use.slot == y) length = static_cast<std::int64_t>(use.length);
  const auto elements = static_cast<std::size_t>(length);
  const NDRange range = device.type == Device::Type::cpu
                            ? stream_range(device, elements)
                            : work_groups(device, (elements + group_rows - 1) / group_rows);
  auto arguments = team.step(0, template_choice(to, 0, "mv_sum"), range);
  matrix.put(arguments);
  arguments.numbers(diagonal);
  if (parts != nullptr)
    arguments.numbers(parts->count, parts->length).buffer(parts->buffer);
  else
    arguments.numbers(0, 0).memory(y);
  arguments.scalars(scaling.alpha, scaling.beta);
  if (x != nullptr)
    x->put(arguments);
  else
    arguments.operand(y);
  arguments.operand(y).numbers(to.call()[y].stride, length);
}

/// Adds a round of steps that compute y = scaled op(matrix) x, and further ones where its sums are
/// cut. x must not be in y's memory.
void add_matrix_vector(SequenceBuilder& to, Team& team, const NormalMatrix& matrix, MatrixOp op,
                       const DenseVector& x, Slot y, const Scaling& scaling) {
  const std::int64_t count = parts_of(to, team, matrix, op);
  if (count > 1) {
    const PartialSums parts(to, op.transposed ? matrix.n : matrix.m, count);
    add_product_parts(to, team, matrix, op, x, parts, 0, count);
    return add_sum(to, team, matrix, Diagonal::none, &parts, nullptr, y, scaling);
  }
  add_pieces(to, team, matrix, op, 1, [&](SequenceBuilder::Arguments& arguments) {
    arguments.scalars(scaling.alpha, scaling.beta);
    x.put(arguments);
    arguments.operand(y).numbers(to.call()[y].stride, 0);
  });
}

/// How many queues have a CPU.
unsigned cpus_of(const SequenceBuilder& to) {
  unsigned count = 0;
  for (unsigned queue = 0; queue < to.queues(); ++queue)
    count += to.device(queue).type == Device::Type::cpu ? 1 : 0;
  return count;
}

/// Work-items of a queue, each with a result vector of its own to fill and to be summed: no more
/// than pay for that.
std::int64_t items_of(const SequenceBuilder& to, unsigned queue, const Team& team,
                      const NormalMatrix& matrix) {
  constexpr double least_area = 16384, vectors_worth = 16;
  const double area = matrix.area() / team.queues();
  const double worth =
      std::min(area / least_area, area / (vectors_worth * static_cast<double>(matrix.n)));
  return static_cast<std::int64_t>(
      std::clamp(worth, 1.0, 2.0 * static_cast<double>(to.device(queue).compute_units)));
}

/// Both halves at once, on CPUs; conj as the kernel takes it.
PartialSums add_halves_on_cpus(SequenceBuilder& to, Team& team, const NormalMatrix& triangle,
                               std::int64_t conj, const DenseVector& x) {
  std::vector<std::int64_t> items;
  std::int64_t all = 0;
  for (unsigned queue = 0; queue < team.queues(); ++queue)
    all += items.emplace_back(items_of(to, queue, team, triangle));
  const PartialSums parts(to, triangle.n, all);
  std::int64_t first = 0;
  for (unsigned queue = 0; queue < team.queues(); ++queue) {
    auto arguments =
        team.step(queue, template_choice(to, queue, "mv_sym"),
                  work_groups(to.device(queue), static_cast<std::size_t>(items[queue])));
    triangle.put(arguments);
    arguments.numbers(first, parts.count, conj);
    x.put(arguments);
    arguments.buffer(parts.buffer).numbers(parts.length);
    first += items[queue];
    team.next_writer();
  }
  return parts;
}

/// How GPUs cut a triangle, as templates/symmetric_vector.cl says: strips of columns, each in
/// stretches of rows.
struct TriangleCut {
  static constexpr std::int64_t most_items = 128;  ///< of a work-group
  std::int64_t width, strips, chunk, stretches;

  TriangleCut(Precision precision, std::int64_t n, std::int64_t units)
      : width(is_complex(precision) ? 16 : 32), strips(ceil_div(n, width)) {
    constexpr std::int64_t groups_per_unit = 16, most_turns = 8;
    // Rows that a work-item reads at once, and a work-group. Half of the stretches are empty.
    const std::int64_t rows = 16 / static_cast<std::int64_t>(size_of(precision));
    const std::int64_t turn = most_items * rows;
    const std::int64_t wanted = ceil_div(2 * groups_per_unit * units, strips);
    chunk = turn * std::clamp<std::int64_t>(ceil_div(ceil_div(n, wanted), turn), 1, most_turns);
    // The first may begin a little before row 0.
    stretches = ceil_div(n + rows - 1, chunk);
  }
};

/// y = by_call (S + op(S) + D) x, where D is the diagonal, on GPUs: one round leaves a vector of
/// sums for each strip and for each stretch, another sums them up.
void add_symv_on_gpus(SequenceBuilder& to, Team& team, const NormalMatrix& triangle,
                      std::int64_t conj, Diagonal diagonal, const DenseVector& x) {
  const std::int64_t n = triangle.n;
  auto borders = team.shares(n, [&](std::int64_t column) { return triangle.rows_of(column) + 1; });
  std::int64_t units = 0;
  for (unsigned queue = 0; queue < team.queues(); ++queue) units += to.device(queue).compute_units;
  const TriangleCut cut(to.call().precision, n, units);
  for (unsigned queue = 1; queue < team.queues(); ++queue)
    borders[queue] = borders[queue] / cut.width * cut.width;
  // Each vector begins at a line of memory.
  const PartialSums parts(to, cut.strips * cut.width, cut.strips + cut.stretches);
  // So that what is to be summed up for a row is one range of the vectors.
  const bool is_lower = triangle.up < 0;
  const std::int64_t first_row_part = is_lower ? cut.stretches : 0,
                     first_column_part = is_lower ? 0 : cut.strips;
  for (unsigned queue = 0; queue < team.queues(); ++queue) {
    const std::int64_t from = borders[queue], end = borders[queue + 1];
    if (from == end) continue;
    const std::int64_t groups = ceil_div(end - from, cut.width) * cut.stretches;
    NDRange range;
    range.local[0] = std::min<std::size_t>(work_group_of(to.device(queue)), cut.most_items);
    range.global[0] = static_cast<std::size_t>(groups) * range.local[0];
    auto arguments = team.step(queue, template_choice(to, queue, "mv_sym"), range);
    triangle.put(arguments);
    arguments.numbers(from, end, cut.chunk, cut.stretches, first_row_part, first_column_part, conj,
                      diagonal);
    x.put(arguments);
    arguments.buffer(parts.buffer).numbers(parts.length);
    team.next_writer();
  }
  team.next_round();
  constexpr std::int64_t sums_of_group = 16;
  const auto groups = static_cast<std::size_t>(ceil_div(n, sums_of_group));
  auto arguments =
      team.step(0, template_choice(to, 0, "mv_sym_sum"), work_groups(to.device(0), groups));
  triangle.put(arguments);
  arguments.numbers(cut.chunk, cut.stretches).buffer(parts.buffer).numbers(parts.length);
  arguments.scalars(by_call.alpha, by_call.beta);
  arguments.operand(Slot::y).numbers(to.call()[Slot::y].stride);
}

/// The same in one launch, for a few rows.
void add_symv_of_few(SequenceBuilder& to, Team& team, const NormalMatrix& triangle,
                     std::int64_t conj, Diagonal diagonal, const DenseVector& x) {
  constexpr std::int64_t rows_of_group = 32;
  const auto groups = static_cast<std::size_t>(ceil_div(triangle.n, rows_of_group));
  auto arguments =
      team.step(0, template_choice(to, 0, "mv_sym_few"), work_groups(to.device(0), groups));
  triangle.put(arguments);
  arguments.numbers(conj, diagonal);
  x.put(arguments);
  arguments.scalars(by_call.alpha, by_call.beta);
  arguments.operand(Slot::y).numbers(to.call()[Slot::y].stride);
}

}  // namespace

void add_gemv(SequenceBuilder& to) {
  const Call& call = to.call();
  const NormalMatrix matrix = normal_matrix(call);
  Team team(to, matrix.area());
  if (call.alpha == Scalar(0))
    return add_sum(to, team, matrix, Diagonal::none, nullptr, nullptr, Slot::y, by_call);
  const DenseVector x(to, team, Slot::x, call.trans_a == Transpose::none ? call.n : call.m);
  add_matrix_vector(to, team, matrix, normal_op(matrix, call.trans_a), x, Slot::y, by_call);
}

void add_symv(SequenceBuilder& to) {
  const Call& call = to.call();
  const NormalMatrix matrix = normal_matrix(call), triangle = matrix.without_diagonal();
  Team team(to, matrix.area());
  if (call.alpha == Scalar(0))
    return add_sum(to, team, matrix, Diagonal::none, nullptr, nullptr, Slot::y, by_call);
  const DenseVector x(to, team, Slot::x, call.n);
  const bool hermitian = has(call.routine, trait::conjugated);
  const auto diagonal = hermitian ? Diagonal::real_part : Diagonal::as_is;
  // A Hermitian matrix is its own conjugate transpose: one of its halves is conjugated.
  const MatrixOp direct{false, hermitian && matrix.flipped};
  const MatrixOp mirrored{true, hermitian && !matrix.flipped};
  // Of a band there is too little for vectors of each strip.
  const unsigned cpus = cpus_of(to);
  const bool is_band = std::max(triangle.up, triangle.down) < triangle.n - 1;
  // Which half is conjugated, as mv_sym takes it.
  const std::int64_t conj = hermitian ? (matrix.flipped ? 1 : 2) : 0;
  constexpr std::int64_t few_rows = 512;
  if (cpus == 0 && triangle.n <= few_rows && work_group_of(to.device(0)) >= 32)
    return add_symv_of_few(to, team, triangle, conj, diagonal, x);
  if (cpus == 0 && !is_band) return add_symv_on_gpus(to, team, triangle, conj, diagonal, x);
  if (cpus == to.queues()) {
    const PartialSums parts = add_halves_on_cpus(to, team, triangle, conj, x);
    return add_sum(to, team, matrix, diagonal, &parts, &x, Slot::y, by_call);
  }
  const std::int64_t first = parts_of(to, team, triangle, direct),
                     second = parts_of(to, team, triangle, mirrored);
  const PartialSums parts(to, matrix.n, first + second);
  add_product_parts(to, team, triangle, direct, x, parts, 0, first);
  add_product_parts(to, team, triangle, mirrored, x, parts, first, second);
  add_sum(to, team, matrix, diagonal, &parts, &x, Slot::y, by_call);
}

void add_trmv(SequenceBuilder& to) {
  const Call& call = to.call();
  NormalMatrix matrix = normal_matrix(call);
  Team team(to, matrix.area());
  // Work-items read x while others write it: they read a copy.
  const DenseVector x(to, team, Slot::x, call.n, DenseVector::Copy::always);
  const bool unit = call.diag == Diag::unit;
  // A unit diagonal is not read: it adds x itself.
  if (unit) matrix = matrix.without_diagonal();
  add_matrix_vector(to, team, matrix, normal_op(matrix, call.trans_a), x, Slot::x,
                    {1, unit ? 1 : 0});
}

}  // namespace kiln::blas
