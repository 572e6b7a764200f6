// Conjugate gradients. Each step is a parallel loop, so that its scalars are Globals on the device
// and an iteration is enqueued without waiting for the one before.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "kiln/mesh/solve.hpp"
#include "mesh/linear/cg_kernels.hpp"
#include "mesh/object/scalar.hpp"
#include "mesh/object/session.hpp"

namespace kiln::mesh {
namespace {

template <class... Parts>
[[noreturn]] void refuse(fmt::format_string<Parts...> text, Parts&&... parts) {
  throw Error(Errc::bad_input, "solve: " + fmt::format(text, std::forward<Parts>(parts)...));
}

void check_dats(const Dat& x, const Dat& b, const Dat* diagonal) {
  if (!is_floating(x.type()))
    refuse("dat {} is of {}, expected float or double", x.name(), name_of(x.type()));
  for (const Dat* other : {&b, diagonal}) {
    if (other == nullptr) continue;
    if (Handles::state(*other)->session != Handles::state(x)->session)
      refuse("dat {} belongs to another Mesh", other->name());
    if (!(other->set() == x.set()))
      refuse("dat {} is on set {}, expected {}", other->name(), other->set().name(),
             x.set().name());
    if (other->dim() != x.dim())
      refuse("dat {} has {} components, expected {}", other->name(), other->dim(), x.dim());
    if (other->type() != x.type())
      refuse("dat {} is of {}, expected {}", other->name(), name_of(other->type()),
             name_of(x.type()));
    if (*other == x) refuse("dat {} is the solution and something else, too", x.name());
  }
}

std::vector<double> values_of(const Global& global) {
  return with_type(global.type(), [&](auto zero) {
    const auto values = global.values<decltype(zero)>();
    return std::vector<double>(values.begin(), values.end());
  });
}
void set_all(Global& global, double value) {
  with_type(global.type(), [&](auto zero) {
    const std::vector<decltype(zero)> values(global.dim(), static_cast<decltype(zero)>(value));
    global.set(std::span<const decltype(zero)>(values));
  });
}

}  // namespace

/// Iterations between two looks at the residual: a few at first, then ever more up to this. A look
/// waits for the device, which then waits for the host; each iteration beyond the last one is for
/// nothing.
constexpr std::size_t first_look = 4, looks_apart = 16;

/// Vectors and scalars for one set, dimension and type.
struct Workspace {
  Workspace(const Dat& like, bool with_diagonal)
      : session(Handles::state(like)->session),
        set(like.set()),
        has_diagonal(with_diagonal),
        kernels(like.type(), like.dim(), with_diagonal),
        r(vector(like, "r")),
        p(vector(like, "p")),
        q(vector(like, "q")),
        d(vector(like, "d")),
        bb(scalar(like, 1)),
        goal(scalar(like, 1)),
        lowest(scalar(like, 1, "least entry of the diagonal")) {
    for (std::size_t i = 0; i <= looks_apart; ++i) s.push_back(scalar(like, 2));
    for (std::size_t i = 0; i < looks_apart; ++i) pq.push_back(scalar(like, 1));
  }
  bool fits(const Dat& x, bool with_diagonal) const {
    return r.set() == x.set() && r.dim() == x.dim() && r.type() == x.type() &&
           with_diagonal == has_diagonal;
  }

  SessionPtr session;
  Set set;
  bool has_diagonal;
  CgKernels kernels;
  Dat r, p, q, d;
  Global bb, goal, lowest;
  std::vector<Global> s, pq;  ///< of the iterations since the last look; s[0] is what came before

 private:
  static Dat vector(const Dat& like, const char* name) {
    const auto& state = *Handles::state(like);
    auto form = state.data.form();
    form.layout = DataLayout::aos;
    return Handles::make<Dat>(state.session->keep(std::unique_ptr<DatState>(
        new DatState{state.session, name, state.on, next_identity(), Residence(form)})));
  }
  static Global scalar(const Dat& like, std::size_t dim, const char* name = "scalar") {
    const auto& session = Handles::state(like)->session;
    return Handles::make<Global>(session->keep(std::unique_ptr<GlobalState>(new GlobalState{
        session, name, next_identity(), Residence({like.type(), 1, dim, DataLayout::aos})})));
  }
};

struct SolverState {
  SolveOptions options;
  std::unique_ptr<Workspace> workspace;

  Workspace& workspace_for(const Dat& x, bool has_diagonal) {
    if (!workspace || !workspace->fits(x, has_diagonal))
      workspace = std::make_unique<Workspace>(x, has_diagonal);
    return *workspace;
  }
};

namespace {

/// One solution.
class Conjugate {
 public:
  Conjugate(const SolveOptions& options, Workspace& work, const Operator& apply, const Dat& x)
      : options_(options), work_(work), kernels_(work.kernels), apply_(apply), x_(x) {}

  /// Inverts the diagonal, which is in the workspace.
  void invert_diagonal() {
    set_all(work_.lowest, std::numeric_limits<double>::infinity());
    par_loop(kernels_.invert, work_.set, arg(work_.d, RW), arg(work_.lowest, MIN));
    if (values_of(work_.lowest)[0] == 0) refuse("the diagonal has a zero");
  }

  SolveResult run(const Dat& b) {
    begin(b);
    for (std::size_t apart = first_look; !is_done(); apart = std::min(2 * apart, looks_apart)) {
      const std::size_t count = std::min(apart, options_.most_iterations - result_.iterations);
      zero_sums(count);
      for (std::size_t i = 0; i < count; ++i) iterate(i);
      look(count);
    }
    result_.residual = residual_;
    result_.converged = result_.end == SolveResult::End::converged;
    return result_;
  }

 private:
  void loop(const Kernel& kernel, const std::vector<Arg>& arguments) {
    par_loop(kernel, work_.set, std::span<const Arg>(arguments));
  }
  /// Arguments with the diagonal's at a place, where there is one.
  std::vector<Arg> with_diagonal(std::vector<Arg> arguments, std::ptrdiff_t place) const {
    if (work_.has_diagonal) arguments.insert(arguments.begin() + place, arg(work_.d, READ));
    return arguments;
  }

  void begin(const Dat& b) {
    apply_(x_, work_.q);
    set_all(work_.s[0], 0);
    set_all(work_.bb, 0);
    loop(kernels_.begin,
         with_diagonal({arg(b, READ), arg(work_.q, READ), arg(work_.r, WRITE), arg(work_.p, WRITE),
                        arg(work_.s[0], INC), arg(work_.bb, INC)},
                       2));
    const double norm = std::sqrt(values_of(work_.bb)[0]);
    const auto first = values_of(work_.s[0]);
    residual_ = std::sqrt(first[1]);
    if (!std::isfinite(norm) || !std::isfinite(residual_))
      refuse("b, x or the matrix has something that is no finite number");
    goal_ = std::max(options_.relative * norm, options_.absolute);
    most_ = options_.divergence * std::max(norm, residual_);
    set_all(work_.goal, goal_ * goal_);
    // Compared as the device does, whose type may be shorter.
    goal_squared_ = values_of(work_.goal)[0];
    check(first, 1, 0);
  }

  /// What the next iterations add to. The device is idle now: in memory that it shares with the
  /// host nothing needs to be enqueued, elsewhere nothing needs to be waited for.
  void zero_sums(std::size_t count) {
    const Queue& queue = work_.session->queue;
    const std::array<double, 2> zeros{};
    const auto zero = [&](const Global& global) {
      auto& state = *Handles::state(global);
      // Loops that read what it was may still wait.
      work_.session->loops.run_for(&state, LoopQueue::For::writing);
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
    loop(kernels_.product, {arg(work_.p, READ), arg(work_.q, READ), arg(pq, INC)});
    loop(kernels_.update,
         with_diagonal({arg(s, READ), arg(pq, READ), arg(work_.goal, READ), arg(work_.p, READ),
                        arg(work_.q, READ), arg(x_, RW), arg(work_.r, RW), arg(next, INC)},
                       5));
    loop(kernels_.direction,
         with_diagonal({arg(s, READ), arg(next, READ), arg(work_.r, READ), arg(work_.p, RW)}, 2));
  }

  /// Takes the scalars of `count` iterations to the host.
  void look(std::size_t count) {
    const std::size_t before = result_.iterations;
    std::vector<double> last;
    for (std::size_t i = 0; i < count && !is_done(); ++i) {
      last = values_of(work_.s[i + 1]);
      check(last, values_of(work_.pq[i])[0], before + i + 1);
    }
    if (!is_done())
      with_type(work_.s[0].type(), [&](auto zero) {
        using T = decltype(zero);
        const T values[] = {static_cast<T>(last[0]), static_cast<T>(last[1])};
        work_.s[0].set(std::span<const T>(values));
      });
  }

  void check(const std::vector<double>& s, double pq, std::size_t iteration) {
    using End = SolveResult::End;
    result_.iterations = iteration;
    residual_ = std::sqrt(s[1]);
    if (std::isnan(s[0]) || std::isnan(s[1]) || std::isnan(pq))
      refuse("iteration {} met something that is no number (NaN)", iteration);
    is_done_ = true;
    if (s[1] <= goal_squared_)
      result_.end = End::converged;
    else if (pq <= 0 || s[0] <= 0)
      result_.end = End::indefinite;
    else if (residual_ > most_)
      result_.end = End::diverged;
    else
      is_done_ = iteration >= options_.most_iterations;
  }
  bool is_done() const { return is_done_; }

  const SolveOptions& options_;
  Workspace& work_;
  const CgKernels& kernels_;
  const Operator& apply_;
  const Dat& x_;
  SolveResult result_;
  double residual_ = 0, goal_ = 0, goal_squared_ = 0, most_ = 0;
  bool is_done_ = false;
};

void check_options(const SolveOptions& options) {
  const auto check = [](const char* name, double value) {
    if (!(value >= 0)) refuse("{} {}, expected 0 or more", name, value);
  };
  check("relative", options.relative);
  check("absolute", options.absolute);
  check("divergence", options.divergence);
}

}  // namespace

Solver::Solver(const SolveOptions& options)
    : state_(std::make_unique<SolverState>(SolverState{options, nullptr})) {
  check_options(options);
}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

SolveResult Solver::solve(const Mat& mat, const Dat& x, const Dat& b) {
  const auto& sparsity = *Handles::state(mat.sparsity());
  if (!(sparsity.row_set == sparsity.column_set) || sparsity.row_dim != sparsity.column_dim)
    refuse("mat {} is not square", mat.name());
  if (!(x.set() == sparsity.row_set))
    refuse("dat {} is on set {}, expected {}", x.name(), x.set().name(), sparsity.row_set.name());
  if (x.dim() != sparsity.row_dim)
    refuse("dat {} has {} components, expected {}", x.name(), x.dim(), sparsity.row_dim);
  if (x.type() != mat.type())
    refuse("dat {} is of {}, expected {}", x.name(), name_of(x.type()), name_of(mat.type()));
  check_dats(x, b, nullptr);
  const bool jacobi = state_->options.preconditioner == SolveOptions::Preconditioner::jacobi;
  Workspace& work = state_->workspace_for(x, jacobi);
  const Operator apply = [&](const Dat& from, const Dat& to) { multiply(mat, from, to); };
  Conjugate method(state_->options, work, apply, x);
  if (jacobi) {
    mat.diagonal(work.d);
    method.invert_diagonal();
  }
  return method.run(b);
}

SolveResult Solver::solve(const Operator& apply, const Dat& x, const Dat& b, const Dat* diagonal) {
  check_dats(x, b, diagonal);
  const bool jacobi =
      diagonal != nullptr && state_->options.preconditioner == SolveOptions::Preconditioner::jacobi;
  Workspace& work = state_->workspace_for(x, jacobi);
  Conjugate method(state_->options, work, apply, x);
  if (jacobi) {
    diagonal->copy(work.d);
    method.invert_diagonal();
  }
  return method.run(b);
}

SolveResult solve(const Mat& mat, const Dat& x, const Dat& b, const SolveOptions& options) {
  return Solver(options).solve(mat, x, b);
}
SolveResult solve(const Operator& apply, const Dat& x, const Dat& b, const SolveOptions& options,
                  const Dat* diagonal) {
  return Solver(options).solve(apply, x, b, diagonal);
}

}  // namespace kiln::mesh
