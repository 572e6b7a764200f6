// Conjugate gradients. Each step is a parallel loop, so that its scalars are Globals on the device
// and an iteration is enqueued without waiting for the one before. On distributed meshes
// fused_conjugate.cpp has another form of the method.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "base/lifetime.hpp"
#include "kiln/mesh/solve.hpp"
#include "mesh/model/basics.hpp"
#include "mesh/model/session.hpp"
#include "mesh/solve/fused_conjugate.hpp"
#include "mesh/solve/stopping_rule.hpp"

namespace kiln::mesh {
namespace {

// What a solution needs of what it is given. All throw bad_input unless said otherwise.

/// No part of the solution may be another one, or a part of what is given.
void check_apart(const MixedDat& x, const MixedDat& other) {
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t k = 0; k < other.size(); ++k)
      if (x[i] == other[k] && (&x != &other || i != k))
        refuse("solve: dat {} is the solution and something else, too", x[i].name());
}

void check_fits_rows(const Mat& mat, const Dat& x) {
  const auto& sparsity = *Handles::state(mat.sparsity());
  if (!(sparsity.row_set == sparsity.column_set) || sparsity.row_dim != sparsity.column_dim)
    refuse("solve: mat {} is not square", mat.name());
  check_fits(*Handles::state(x),
             {sparsity.session.get(), sparsity.row_set, sparsity.row_dim, mat.type()}, "solve");
}

void check_options(const SolveOptions& options) {
  const auto check = [](const char* name, double value) {
    if (!(value >= 0)) refuse("solve: {} {}, expected 0 or more", name, value);
  };
  check("relative", options.relative);
  check("absolute", options.absolute);
  check("divergence", options.divergence);
}

/// That x, b and the diagonal, where there is one, are of one Mesh, type and shape, and apart.
void check_dats(const MixedDat& x, const MixedDat& b, const MixedDat* diagonal) {
  const ScalarType type = x[0].type();
  if (!is_floating(type))
    refuse("solve: dat {} is of {}, expected float or double", x[0].name(), name_of(type));
  for (const MixedDat* other : {&x, &b, diagonal}) {
    if (other == nullptr) continue;
    if (other->size() != x.size())
      refuse("solve: mixed dats of {} and {} parts, expected as many", x.size(), other->size());
    for (std::size_t p = 0; p < x.size(); ++p)
      check_fits(*Handles::state((*other)[p]),
                 {Handles::state(x[p])->session.get(), x[p].set(), x[p].dim(), type}, "solve");
    check_apart(x, *other);
  }
}

/// Sums over a part are no inner products where others have the rest. Throws unsupported.
void check_sums(const SolveOptions& options, const MixedDat& x) {
  const bool is_distributed = Handles::state(x[0])->session->is_distributed();
  if (is_distributed && options.sum)
    refuse(
        "solve: SolveOptions::sum on a Mesh with a Transport, which adds up over all parts by "
        "itself, expected none");
  if (options.sum || is_distributed) return;
  for (const Dat& part : x)
    if (Handles::state(part.set())->exchange != nullptr)
      throw Error(Errc::unsupported,
                  fmt::format("solve: set {} has a HaloExchange, so that inner products need "
                              "SolveOptions::sum, which adds up over all parts",
                              part.set().name()));
}

/// That the matrix is square, and x one of its columns.
void check_fits_rows(const MixedMat& mat, const MixedDat& x) {
  if (mat.row_parts() != mat.column_parts())
    refuse("solve: a mixed mat of {} x {} parts is not square", mat.row_parts(),
           mat.column_parts());
  if (x.size() != mat.row_parts())
    refuse("solve: a mixed dat of {} parts, expected {}", x.size(), mat.row_parts());
  for (std::size_t p = 0; p < x.size(); ++p) check_fits_rows(mat.block(p, p), x[p]);
}

}  // namespace

struct SolverState {
  SolveOptions options;
  std::unique_ptr<Workspace> workspace{};
  std::unique_ptr<FusedWorkspace> fused{};

  Workspace& workspace_for(const MixedDat& x, bool has_diagonal) {
    if (!workspace || !workspace->fits(x, has_diagonal))
      workspace = std::make_unique<Workspace>(x, has_diagonal);
    return *workspace;
  }
  FusedWorkspace& fused_for(const MixedDat& x, bool has_diagonal) {
    if (!fused || !fused->fits(x, has_diagonal))
      fused = std::make_unique<FusedWorkspace>(x, has_diagonal);
    return *fused;
  }
};

namespace {

/// One solution. What sums over all parts are loops over each, which add to the same Global.
class Conjugate {
 public:
  Conjugate(const SolveOptions& options, Workspace& work, const MixedOperator& apply,
            const MixedDat& x)
      : options_(options), work_(work), apply_(apply), x_(x), rule_(options) {}

  /// Inverts the diagonal, which is in the workspace.
  void invert_diagonal() {
    set_all(work_.lowest, std::numeric_limits<double>::infinity());
    loops(&CgKernels::invert, {arg(work_.d, RW), arg(work_.lowest, MIN)});
    // All parts must come to the same end.
    double zeros = values_of(work_.lowest)[0] == 0 ? 1 : 0;
    if (options_.sum) options_.sum({&zeros, 1});
    if (zeros > 0) refuse("solve: the diagonal has a zero");
  }

  SolveResult run(const MixedDat& b) {
    begin(b);
    for (std::size_t apart = first_look; !is_done(); apart = std::min(2 * apart, looks_apart)) {
      const std::size_t count = std::min(apart, options_.most_iterations - rule_.iterations());
      zero_sums(count);
      for (std::size_t i = 0; i < count; ++i) iterate(i);
      look(count);
    }
    return rule_.result();
  }

 private:
  /// A loop over each part. An argument with one part is given to all; one with none is left out.
  void loops(Kernel CgKernels::*kernel, std::initializer_list<MixedArg> arguments) {
    for (std::size_t part = 0; part < work_.parts(); ++part) {
      std::vector<Arg> of_part;
      for (const MixedArg& argument : arguments)
        if (const auto& parts = argument.parts; !parts.empty())
          of_part.push_back(parts[parts.size() == 1 ? 0 : part]);
      par_loop(work_.kernels[part].*kernel, work_.r[part].set(), std::span<const Arg>(of_part));
    }
  }
  MixedArg diagonal() const {
    return work_.has_diagonal ? arg(work_.d, READ) : MixedArg::by_part({});
  }

  void begin(const MixedDat& b) {
    apply_(x_, work_.q);
    set_all(work_.s[0], 0);
    set_all(work_.bb, 0);
    loops(&CgKernels::begin, {arg(b, READ), arg(work_.q, READ), diagonal(), arg(work_.r, WRITE),
                              arg(work_.p, WRITE), arg(work_.s[0], INC), arg(work_.bb, INC)});
    sum_up(work_.bb);
    sum_up(work_.s[0]);
    const double norm = std::sqrt(values_of(work_.bb)[0]);
    const auto first = values_of(work_.s[0]);
    const double goal = rule_.begin(norm, std::sqrt(first[1]));
    set_all(work_.goal, goal * goal);
    rule_.set_goal_squared(values_of(work_.goal)[0]);
    rule_.apply(first, 1, 0);
  }

  /// Of all parts of a distributed mesh, where there are several.
  void sum_up(Global& global) const {
    if (!options_.sum) return;
    auto values = values_of(global);
    options_.sum(values);
    set_all(global, values);
  }

  /// What the next iterations add to. The device is idle now: in memory that it shares with the
  /// host nothing needs to be enqueued, elsewhere nothing needs to be waited for.
  void zero_sums(std::size_t count) {
    const Queue& queue = work_.session->queue;
    const std::array<double, 2> zeros{};
    const auto zero = [&](const Global& global) {
      auto& state = *Handles::state(global);
      // Loops that read what it was may still wait.
      work_.session->run_for(&state, Session::For::writing);
      Residence& data = state.data;
      if (queue.device()->host_memory)
        std::memset(data.on_host(queue, true), 0, data.bytes());
      else
        data.overwrite(queue, zeros.data());
    };
    for (std::size_t i = 0; i < count; ++i) {
      zero(work_.pq[i]);
      zero(work_.s[i + 1]);
    }
  }

  void iterate(std::size_t i) {
    Global &s = work_.s[i], &next = work_.s[i + 1], &pq = work_.pq[i];
    apply_(work_.p, work_.q);
    loops(&CgKernels::product, {arg(work_.p, READ), arg(work_.q, READ), arg(pq, INC)});
    sum_up(pq);
    loops(&CgKernels::update,
          {arg(s, READ), arg(pq, READ), arg(work_.goal, READ), arg(work_.p, READ),
           arg(work_.q, READ), diagonal(), arg(x_, RW), arg(work_.r, RW), arg(next, INC)});
    sum_up(next);
    loops(&CgKernels::direction,
          {arg(s, READ), arg(next, READ), diagonal(), arg(work_.r, READ), arg(work_.p, RW)});
  }

  /// Takes the scalars of `count` iterations to the host.
  void look(std::size_t count) {
    const std::size_t before = rule_.iterations();
    std::vector<double> last;
    for (std::size_t i = 0; i < count && !is_done(); ++i) {
      last = values_of(work_.s[i + 1]);
      rule_.apply(last, values_of(work_.pq[i])[0], before + i + 1);
    }
    if (!is_done()) set_all(work_.s[0], last);
  }

  bool is_done() const { return rule_.is_done(); }

  const SolveOptions& options_;
  Workspace& work_;
  const MixedOperator& apply_;
  const MixedDat& x_;
  StoppingRule rule_;
};

using GetDiagonal = std::function<void(const MixedDat& to)>;

/// `diagonal`: empty where there is none.
SolveResult run(SolverState& state, const MixedOperator& apply, const MixedDat& x,
                const MixedDat& b, const GetDiagonal& diagonal) {
  check_sums(state.options, x);
  const bool jacobi =
      diagonal && state.options.preconditioner == SolveOptions::Preconditioner::jacobi;
  if (Handles::state(x[0])->session->is_distributed()) {
    FusedWorkspace& work = state.fused_for(x, jacobi);
    if (jacobi) {
      diagonal(work.d);
      work.invert_diagonal();
    }
    return solve_fused(state.options, work, apply, x, b);
  }
  Workspace& work = state.workspace_for(x, jacobi);
  Conjugate method(state.options, work, apply, x);
  if (jacobi) {
    diagonal(work.d);
    method.invert_diagonal();
  }
  return method.run(b);
}

}  // namespace

Solver::Solver(const SolveOptions& options)
    : state_(std::make_unique<SolverState>(SolverState{options})) {
  check_options(options);
}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

SolveResult Solver::solve(const Mat& mat, const Dat& x, const Dat& b) {
  return solve(MixedMat(1, 1, {mat}), MixedDat({x}), MixedDat({b}));
}

SolveResult Solver::solve(const MixedMat& mat, const MixedDat& x, const MixedDat& b) {
  check_fits_rows(mat, x);
  const MixedOperator apply = [&](const MixedDat& from, const MixedDat& to) {
    multiply(mat, from, to);
  };
  check_dats(x, b, nullptr);
  return run(held(state_, "Solver"), apply, x, b, [&](const MixedDat& to) { mat.diagonal(to); });
}

SolveResult Solver::solve(const Operator& apply, const Dat& x, const Dat& b, const Dat* diagonal) {
  const MixedOperator of_parts = [&](const MixedDat& from, const MixedDat& to) {
    apply(from[0], to[0]);
  };
  if (diagonal == nullptr) return solve(of_parts, MixedDat({x}), MixedDat({b}));
  const MixedDat mixed({*diagonal});
  return solve(of_parts, MixedDat({x}), MixedDat({b}), &mixed);
}

SolveResult Solver::solve(const MixedOperator& apply, const MixedDat& x, const MixedDat& b,
                          const MixedDat* diagonal) {
  check_dats(x, b, diagonal);
  GetDiagonal get;
  if (diagonal != nullptr) get = [&](const MixedDat& to) { diagonal->copy(to); };
  return run(held(state_, "Solver"), apply, x, b, get);
}

SolveResult solve(const Mat& mat, const Dat& x, const Dat& b, const SolveOptions& options) {
  return Solver(options).solve(mat, x, b);
}
SolveResult solve(const Operator& apply, const Dat& x, const Dat& b, const SolveOptions& options,
                  const Dat* diagonal) {
  return Solver(options).solve(apply, x, b, diagonal);
}
SolveResult solve(const MixedMat& mat, const MixedDat& x, const MixedDat& b,
                  const SolveOptions& options) {
  return Solver(options).solve(mat, x, b);
}
SolveResult solve(const MixedOperator& apply, const MixedDat& x, const MixedDat& b,
                  const SolveOptions& options, const MixedDat* diagonal) {
  return Solver(options).solve(apply, x, b, diagonal);
}

}  // namespace kiln::mesh
