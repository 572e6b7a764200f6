#include "tune/parameter_duel.hpp"

#include <algorithm>

#include "blas/duel.hpp"

namespace kiln::bench {

using namespace kiln::blas;

namespace {

/// What streams memory takes microseconds, and more luck.
int pairs_of(const Call& call) { return rival::is_compute_bound(call.routine) ? 25 : 101; }

int launches_for(const Call& call) {
  const double work = std::max(rival::operations_of(call), 8 * rival::traffic_of(call));
  return static_cast<int>(std::clamp(4e9 / work, 1.0, 1000.0));
}

/// One of the two sides, in the memory and on the queue of a problem that they share: buffers of
/// their own differ in speed by more than Parameters do.
rival::Contender side_of(Library& library, const rival::Problem& problem, int calls) {
  return in_a_row(
      "Kiln",
      [&library, &problem] {
        const cl_command_queue queue = problem.queue();
        if (library.run(problem.call(), {{&queue, 1}}) != Status::success)
          throw Error(Errc::internal, "a call was refused");
      },
      [&problem] { check_cl(::clFinish(problem.queue()), "clFinish"); }, calls);
}

}  // namespace

double ratio_of(Library& one, Library& other, rival::Machine& machine, const Call& call) {
  const rival::Problem problem(machine, call);
  const int calls = launches_for(call);
  std::vector<rival::Contender> sides{side_of(other, problem, calls), side_of(one, problem, calls)};
  rival::measure(sides, pairs_of(call));
  return ratio({std::move(sides[0].samples), std::move(sides[1].samples)}, "ms").value;
}

}  // namespace kiln::bench
