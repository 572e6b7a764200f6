#include <algorithm>

#include "blas/routines/normal_matrix.hpp"
#include "blas/routines/routines.hpp"
#include "blas/routines/team.hpp"
#include "blas/sequence/sequence_builder.hpp"

namespace kiln::blas {
namespace {

/// What a step of the solution has to do, as templates/solve.cl says.
struct Stretch {
  std::int64_t known = 0, limit = 0;  ///< unknowns found by the step before
  std::int64_t from = 0, to = 0;      ///< to be found by this one
  std::int64_t rest_from = 0, rest_to = 0;
};

/// Solves a triangle on one queue.
class TriangleSolver {
 public:
  TriangleSolver(SequenceBuilder& to, Team& team, const DenseVector& x)
      : to_(to),
        team_(team),
        x_(x),
        matrix_(normal_matrix(to.call())),
        op_(normal_op(matrix_, to.call().trans_a)),
        // A lower triangle gives its unknowns from the first on, the transposed of an upper one
        // too.
        forward_((to.call().uplo == Uplo::lower) != (to.call().trans_a != Transpose::none)),
        choice_(template_choice(to, 0, "solve")),
        is_cpu_(to.device(0).type == Device::Type::cpu) {}

  void add_steps() {
    const std::int64_t n = matrix_.n, block = choice_.chosen.parameters.get("rows", 64);
    // Little work is not worth another launch, nor a band that gives the others hardly any.
    constexpr double little = 1 << 18;
    constexpr std::int64_t narrow = 4096;
    const bool is_narrow = std::max(matrix_.up, matrix_.down) < std::min(n, narrow);
    if (n <= block || (is_cpu_ && (matrix_.area() < little || is_narrow)))
      return add(forward_ ? Stretch{0, 0, 0, n, n, n} : Stretch{n, n, 0, n, 0, 0});
    for (std::int64_t done = 0; done < n; done += block) {
      Stretch stretch;
      const std::int64_t before = std::min(done, block), next = std::min(block, n - done);
      if (forward_)
        stretch = {done - before, done, done, done + next, done + next, n};
      else
        stretch = {n - done, n - done + before, n - done - next, n - done, 0, n - done - next};
      if (before == 0) stretch.known = stretch.limit = forward_ ? 0 : n;
      clip_rest(stretch);
      add(stretch);
    }
  }

 private:
  /// A band's known unknowns reach only so far.
  void clip_rest(Stretch& stretch) const {
    const std::int64_t reach = std::max(matrix_.up, matrix_.down);
    if (forward_)
      stretch.rest_to = std::min(stretch.rest_to, stretch.limit + reach);
    else
      stretch.rest_from = std::max(stretch.rest_from, stretch.known - reach);
    if (stretch.known == stretch.limit || stretch.rest_from > stretch.rest_to)
      stretch.rest_to = stretch.rest_from;
  }

  void add(const Stretch& stretch) {
    const Call& call = to_.call();
    auto arguments = team_.step(0, choice_, range_of(stretch));
    matrix_.put(arguments);
    arguments.numbers(op_.transposed, op_.conjugated, call.diag == Diag::unit, forward_);
    arguments.numbers(stretch.known, stretch.limit, stretch.from, stretch.to, stretch.rest_from,
                      stretch.rest_to);
    x_.put(arguments);
  }

  /// One work-item or work-group that solves, and as many as the rest is worth.
  NDRange range_of(const Stretch& stretch) const {
    constexpr double least_area = 16384;
    const Device& device = to_.device(0);
    const std::int64_t rest = stretch.rest_to - stretch.rest_from;
    if (rest == 0) return work_groups(device, 1);
    if (!is_cpu_) return work_groups(device, static_cast<std::size_t>(1 + (rest + 63) / 64));
    const double area =
        static_cast<double>(rest) * static_cast<double>(stretch.limit - stretch.known);
    const double most = 4.0 * device.compute_units;
    return work_groups(device,
                       1 + static_cast<std::size_t>(std::clamp(area / least_area, 1.0, most)));
  }

  SequenceBuilder& to_;
  Team& team_;
  const DenseVector& x_;
  NormalMatrix matrix_;
  MatrixOp op_;
  bool forward_;
  KernelChoice choice_;
  bool is_cpu_;
};

}  // namespace

void add_trsv(SequenceBuilder& to) {
  Team team(to, 0);  // each block waits for the one before: one queue
  const DenseVector x(to, team, Slot::x, to.call().n);
  TriangleSolver(to, team, x).add_steps();
  x.write_back(to, team);
}

}  // namespace kiln::blas
