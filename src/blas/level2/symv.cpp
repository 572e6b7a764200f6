#include <algorithm>

#include "blas/level2/level2.hpp"
#include "blas/level2/product.hpp"
#include "blas/template/template_choice.hpp"

namespace kiln::blas {
namespace {

bool is_hermitian(Routine routine) {
  return routine == Routine::hemv || routine == Routine::hpmv || routine == Routine::hbmv;
}

/// Whether every queue's device is a CPU, which reads the triangle once for both halves.
bool has_only_cpus(const SequenceBuilder& to) {
  for (unsigned queue = 0; queue < to.queues(); ++queue)
    if (to.device(queue).type != Device::Type::cpu) return false;
  return true;
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

/// Both halves at once; conj as the kernel takes it.
void add_halves_together(SequenceBuilder& to, Team& team, const NormalMatrix& triangle,
                         std::int64_t conj, const DenseVector& x, const Parts& parts,
                         const std::vector<std::int64_t>& items) {
  std::int64_t first = 0;
  for (unsigned queue = 0; queue < team.queues(); ++queue) {
    NDRange range;
    range.global[0] = static_cast<std::size_t>(items[queue]);
    auto arguments = team.step(queue, template_choice(to, queue, "mv_sym"), range);
    triangle.put(arguments);
    arguments.number(first).number(parts.count).number(conj);
    x.put(arguments);
    arguments.buffer(parts.buffer).number(parts.length);
    first += items[queue];
    team.next_writer();
  }
}

}  // namespace

void add_symv(SequenceBuilder& to) {
  const Call& call = to.call();
  const NormalMatrix matrix = normal_matrix(call), triangle = matrix.without_diagonal();
  Team team(to, matrix.area());
  if (call.alpha == Scalar(0))
    return add_sum(to, team, matrix, Diagonal::none, nullptr, nullptr, Slot::y, Scaling::call);
  const DenseVector x(to, team, Slot::x, call.n);
  const bool hermitian = is_hermitian(call.routine);
  const auto diagonal = hermitian ? Diagonal::real_part : Diagonal::as_is;
  // A hermitian matrix is its own transposed, conjugated: one of its halves is.
  const MatrixOp direct{false, hermitian && matrix.flipped};
  const MatrixOp mirrored{true, hermitian && !matrix.flipped};
  if (has_only_cpus(to)) {
    std::vector<std::int64_t> items;
    std::int64_t all = 0;
    for (unsigned queue = 0; queue < team.queues(); ++queue)
      all += items.emplace_back(items_of(to, queue, team, matrix));
    const Parts parts(to, matrix.n, all);
    add_halves_together(to, team, triangle, hermitian ? (matrix.flipped ? 1 : 2) : 0, x, parts,
                        items);
    return add_sum(to, team, matrix, diagonal, &parts, &x, Slot::y, Scaling::call);
  }
  const std::int64_t first = parts_of(to, team, triangle, direct),
                     second = parts_of(to, team, triangle, mirrored);
  const Parts parts(to, matrix.n, first + second);
  add_product_parts(to, team, triangle, direct, x, parts, 0, first);
  add_product_parts(to, team, triangle, mirrored, x, parts, first, second);
  add_sum(to, team, matrix, diagonal, &parts, &x, Slot::y, Scaling::call);
}

}  // namespace kiln::blas
