#include "mesh/loop/noted_program.hpp"

#include <algorithm>

#include "base/clock.hpp"

namespace kiln::mesh {

Program& noted_program(const Session& session, Resolver& resolver, const Request& request,
                       const std::vector<KernelVariant>& wanted, LoopReport& report) {
  const Stopwatch watch;
  EnvironmentExplanation environment;
  Explanation explanation;
  Program& program =
      resolver.resolve(request, session.context(), session.device(), wanted, &explanation);
  if (!report.lanes_obstacle.empty())
    explanation.notes.push_back("one element at a time: " + report.lanes_obstacle);
  if (session.recording != nullptr && !session.is_for_trials(resolver))
    session.recording->add(explanation);
  if (explains_by_environment()) *environment.get() = explanation;
  const bool was_made =
      std::any_of(explanation.steps.begin(), explanation.steps.end(), [](const auto& step) {
        return step.answered && (step.layer == "compile" || step.layer == "variant");
      });
  if (!was_made) ++report.program_hits;
  report.compile_seconds += watch.seconds();
  return program;
}

}  // namespace kiln::mesh
