// What loops keep in a Session.
#include "mesh/loop/loop_session.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>

#include "base/clock.hpp"
#include "device/opencl.hpp"
#include "mesh/loop/prepared_loop.hpp"

namespace kiln::mesh {

LoopSession::LoopSession(const Mesh::Options& given, const Runtime& holder)
    : Session(given, holder),
      recording(given.timeline ? std::make_unique<Recording>() : nullptr),
      plans_(resolver()) {}

void LoopSession::forget(const void* state, std::uint64_t id) {
  plans_.forget(id);
  if (parts_) parts_->forget(state);
}

/// Loops may throw; what ends after them ends all the same.
struct LoopSession::Ending {
  LoopSession& session;
  ~Ending() { session.end_put_off(); }
};
void LoopSession::run_for(const void* state, For what) {
  const Ending ending{*this};
  loops.run_for(state, what, is_distributed());
}
void LoopSession::run_all() {
  const Ending ending{*this};
  loops.run_all();
}

Parts& LoopSession::parts() {
  if (!parts_) parts_ = std::make_unique<Parts>(*this);
  return *parts_;
}

void LoopSession::bring_together(GlobalState&) { parts().shares.bring_together(); }
void LoopSession::forget_share(GlobalState& global) { parts().shares.forget(&global); }

void LoopSession::exchange_all(DatState& dat) {
  Parts& all = parts();
  all.exchange_of(dat, all.classes.whole(*Handles::state(dat.on.set()))).refresh(queue);
  launched();
}

void LoopSession::forget_parts() {
  run_all();
  if (parts_) parts_->shares.bring_together();
  while (!loops.all().empty()) forget_loops(loops.all().front()->over().set);
  loops.clear_places();
  check_cl(::clFinish(queue.cl()()), "clFinish");
  parts_.reset();
}

double LoopSession::copy_bandwidth() {
  // Measuring takes most of a second, and programs make many Meshes on a device.
  static std::mutex mutex;
  static std::map<std::string, double> measured;  // by speed identity
  const std::lock_guard lock(mutex);
  double& found = measured[device()->speed_identity()];
  if (found == 0) {
    const TakesTimes times(*this);
    found = measure_copy_bandwidth(resolver(), queue);
  }
  return found;
}

Program& LoopSession::program(const Request& request, const ChosenParameters& chosen,
                              const std::vector<KernelVariant>& wanted, LoopReport& report,
                              const std::vector<std::string>& lane_notes) {
  const Stopwatch watch;
  EnvironmentExplanation environment;
  Explanation explanation;
  Program& program = resolver().resolve(request, chosen, context(), device(), wanted, &explanation);
  if (!report.lanes_obstacle.empty())
    explanation.notes.push_back("one element at a time: " + report.lanes_obstacle);
  else
    explanation.notes.insert(explanation.notes.end(), lane_notes.begin(), lane_notes.end());
  if (recording != nullptr && !chosen.is_trial) recording->add(explanation);
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
