// Conjugate gradients on distributed meshes: parts wait for each other once an iteration.
#include "mesh/solve/fused_conjugate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mesh/model/basics.hpp"
#include "mesh/solve/stopping_rule.hpp"

namespace kiln::mesh {
namespace {

/// A loop over each part of a mixed space. An argument with one part is given to all; one with none
/// is left out.
void loops(FusedWorkspace& work, Kernel FusedWorkspace::Kernels::*kernel,
           std::initializer_list<MixedArg> arguments) {
  for (std::size_t part = 0; part < work.r.size(); ++part) {
    std::vector<Arg> of_part;
    for (const MixedArg& argument : arguments)
      if (const auto& parts = argument.parts; !parts.empty())
        of_part.push_back(parts[parts.size() == 1 ? 0 : part]);
    par_loop(work.kernels[part].*kernel, work.r[part].set(), std::span<const Arg>(of_part));
  }
}

MixedArg diagonal_of(const FusedWorkspace& work) {
  return work.has_diagonal ? arg(work.d, READ) : MixedArg::by_part({});
}

}  // namespace

FusedWorkspace::FusedWorkspace(const MixedDat& like, bool with_diagonal)
    : has_diagonal(with_diagonal),
      r(cg_vectors(like, "r")),
      u(cg_vectors(like, "u")),
      w(cg_vectors(like, "w")),
      p(cg_vectors(like, "p")),
      s(cg_vectors(like, "s")),
      d(cg_vectors(like, "d")),
      bb(cg_scalar(like[0], 1)),
      sums(cg_scalar(like[0], 3)),
      coefficients(cg_scalar(like[0], 2)),
      lowest(cg_scalar(like[0], 1, "least entry of the diagonal")) {
  for (const Dat& part : like) {
    const auto make = [&](const char* name, bool diagonal) {
      return cg_kernel(name, part.type(), part.dim(), diagonal);
    };
    kernels.push_back({make("kiln_cg_invert", true), make("kiln_cg_start", with_diagonal),
                       make("kiln_cg_sums", with_diagonal), make("kiln_cg_step", with_diagonal)});
  }
}

bool FusedWorkspace::fits(const MixedDat& x, bool with_diagonal) const {
  return std::equal(r.begin(), r.end(), x.begin(), x.end(),
                    [](const Dat& mine, const Dat& other) {
                      return mine.set() == other.set() && mine.dim() == other.dim() &&
                             mine.type() == other.type();
                    }) &&
         with_diagonal == has_diagonal;
}

void FusedWorkspace::invert_diagonal() {
  set_all(lowest, std::numeric_limits<double>::infinity());
  loops(*this, &Kernels::invert, {arg(d, RW), arg(lowest, MIN)});
  if (values_of(lowest)[0] == 0) refuse("solve: the diagonal has a zero");
}

SolveResult solve_fused(const SolveOptions& options, FusedWorkspace& work,
                        const MixedOperator& apply, const MixedDat& x, const MixedDat& b) {
  using Kernels = FusedWorkspace::Kernels;
  StoppingRule rule(options);
  // r u, r r and w u of all parts, and bb with the first ones.
  const auto sum = [&] {
    apply(work.u, work.w);
    set_all(work.sums, 0);
    loops(work, &Kernels::sums,
          {arg(work.r, READ), arg(work.u, READ), arg(work.w, READ), arg(work.sums, INC)});
    return values_of(work.sums);
  };
  apply(x, work.w);
  set_all(work.bb, 0);
  loops(work, &Kernels::start,
        {arg(b, READ), arg(work.w, READ), diagonal_of(work), arg(work.r, WRITE), arg(work.u, WRITE),
         arg(work.bb, INC)});
  auto sums = sum();
  const double goal = rule.begin(std::sqrt(values_of(work.bb)[0]), std::sqrt(sums[1]));
  rule.set_goal_squared(goal * goal);
  rule.apply(sums, 1, 0);
  double alpha = 0, before = 0;
  for (std::size_t iteration = 1; !rule.is_done(); ++iteration) {
    const double beta = iteration == 1 ? 0 : sums[0] / before;
    const double p_a_p = iteration == 1 ? sums[2] : sums[2] - beta * sums[0] / alpha;
    if (!(p_a_p > 0)) {
      rule.apply(sums, p_a_p, iteration);  // x stays as it is
      break;
    }
    alpha = sums[0] / p_a_p;
    before = sums[0];
    set_all(work.coefficients, std::array{alpha, beta});
    loops(work, &Kernels::step,
          {arg(work.coefficients, READ), arg(work.w, READ), diagonal_of(work), arg(work.p, RW),
           arg(work.s, RW), arg(x, RW), arg(work.r, RW), arg(work.u, RW)});
    sums = sum();
    rule.apply(sums, p_a_p, iteration);
  }
  return rule.result();
}

}  // namespace kiln::mesh
