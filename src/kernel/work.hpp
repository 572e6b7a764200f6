#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "kernel/compile.hpp"
#include "kernel/resolver.hpp"

namespace kiln {

/// One program's making: what its steps share. Lives on the stack of the thread that makes it.
struct Resolver::Work {
  const Request& request;
  const Parameters& parameters;
  const ContextPtr& context;
  const DevicePtr& device;
  const std::vector<KernelVariant>& wanted;
  Explanation* explanation;
  Key key;
  Bytes canonical;

  Artifact artifact;  ///< what is kept; its binary is empty where nothing can be
  cl::Program handle;
  double cost_seconds = 0;
  std::optional<Digest> source = {};  ///< of the text that was compiled
  std::string build_log = {};
  bool stored_is_bad = false;  ///< what the store holds is to be replaced, not merged with
  bool warned = false;         ///< of what the store holds: a look-up may come twice
  Reservation right = {};      ///< to make it; held until it is in the store

  /// What the helper is asked for, for a program that nobody has compiled yet.
  ApartRequest from_text(std::string text) const {
    ApartRequest ask;
    ask.text = std::move(text);
    ask.options = request.options;
    ask.label = request.label;
    ask.build_hash = poclbin::build_hash(key.digest.bytes);
    ask.variants = wanted;
    return ask;
  }
  Metadata metadata() const {
    return {artifact_schema, request.label, device->fingerprint(), cost_seconds, source,
            request.options, build_log};
  }
};

/// An Artifact on its way to the store. Nothing of OpenCL: at the end of a process the driver may
/// be gone before it is written.
struct Resolver::Keeping {
  Key key;
  Bytes canonical;
  Artifact artifact;
  Metadata metadata;
  std::string label;
  std::string device_string;  ///< Device::pocl_device_string
  bool replaces = false;      ///< what is there is bad
  Reservation right = {};
};

/// The metadata of an Artifact to which variants were added: its name and what the addition tells
/// nothing about stay, what was spent on both adds up, and what came from elsewhere is from
/// elsewhere still.
inline Metadata merged_metadata(const Metadata& present, Metadata added) {
  added.cost_seconds += present.cost_seconds;
  if (!present.label.empty()) added.label = present.label;
  if (!added.source) added.source = present.source;
  if (added.options.empty()) added.options = present.options;
  if (added.build_log.empty()) added.build_log = present.build_log;
  added.made_elsewhere = present.made_elsewhere;
  return added;
}

/// The layer that has just answered gave nothing of use.
inline void take_back_answer(Explanation* explanation, std::string why) {
  if (explanation == nullptr || explanation->steps.empty()) return;
  explanation->steps.back().answered = false;
  explanation->steps.back().reason = std::move(why);
}

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

}  // namespace kiln
