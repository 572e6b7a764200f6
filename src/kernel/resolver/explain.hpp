#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "kernel/request/parameters.hpp"

// How a program or plan was found, step by step.
namespace kiln {

/// One step of a look-up: which layer was asked, what it said, what it cost.
struct ResolveStep {
  std::string layer;  ///< "memory", "local store", "compile", "load", "variant"
  bool answered = false;
  std::string reason;  ///< why not, or what was done
  std::int64_t start_ns = 0, end_ns = 0;
};

/// How one program or plan was found. Filled by the Resolver where the caller passes one.
struct Explanation {
  std::string what;  ///< "VectorAdd on DEVICE"
  std::string key;   ///< hexadecimal
  ChosenParameters parameters;
  std::vector<ResolveStep> steps;
  std::vector<std::string> notes;  ///< what a front end has to say of it
};

/// Notes one step of an Explanation (where there is one) when it goes out of scope.
class StepTimer {
 public:
  StepTimer(Explanation* explanation, std::string layer)
      : explanation_(explanation), step_{std::move(layer), false, "", now_ns(), 0} {}
  StepTimer(const StepTimer&) = delete;
  StepTimer& operator=(const StepTimer&) = delete;
  ~StepTimer() {
    step_.end_ns = now_ns();
    if (explanation_ != nullptr) explanation_->steps.push_back(std::move(step_));
  }
  void answered(std::string how = "") {
    step_.answered = true;
    step_.reason = std::move(how);
  }
  void missed(std::string why) { step_.reason = std::move(why); }
  double seconds() const { return static_cast<double>(now_ns() - step_.start_ns) * 1e-9; }

 private:
  Explanation* explanation_;
  ResolveStep step_;
};

/// The layer that has just answered gave nothing of use.
inline void take_back_answer(Explanation* explanation, std::string why) {
  if (explanation == nullptr || explanation->steps.empty()) return;
  explanation->steps.back().answered = false;
  explanation->steps.back().reason = std::move(why);
}

/// A line for the program and one for each step, for people.
std::string text_of(const Explanation& explanation);

/// Its steps as spans of the host's lane, of category compile, plan or lookup. Their details:
/// "answered" (yes or no), then "reason".
std::vector<TraceEvent> trace_events(const Explanation& explanation);

/// Whether the user of a program asks for explanations: KILN_EXPLAIN is 1, on, true or yes. Read
/// once a process.
bool explains_by_environment();

/// An Explanation that is written to standard error when it goes: for calls whose caller wants
/// none, in processes whose user does. (The only thing that the library ever prints.)
class EnvironmentExplanation {
 public:
  EnvironmentExplanation() = default;
  EnvironmentExplanation(const EnvironmentExplanation&) = delete;
  EnvironmentExplanation& operator=(const EnvironmentExplanation&) = delete;
  ~EnvironmentExplanation();
  Explanation* get() { return &explanation_; }

 private:
  Explanation explanation_;
};

}  // namespace kiln
