#include "tune/report/run.hpp"

#include <algorithm>
#include <set>

namespace kiln::tune {

std::string TuningRun::text(const Evaluation& evaluation) const {
  std::string text;
  for (std::size_t p = 0; p < parameters.size(); ++p)
    text += (p == 0 ? "" : " ") + parameters[p].name + "=" + value(evaluation, p).text();
  return text;
}

std::vector<const Evaluation*> TuningRun::ranked() const {
  std::vector<const Evaluation*> all;
  for (const auto& evaluation : evaluations)
    if (evaluation.outcome.ok()) all.push_back(&evaluation);
  std::stable_sort(all.begin(), all.end(), [](const Evaluation* a, const Evaluation* b) {
    return better(a->outcome, b->outcome);
  });
  std::set<ConfigurationId> seen;
  std::erase_if(all, [&](const Evaluation* one) { return !seen.insert(one->id).second; });
  return all;
}

std::vector<TuningRun::Reason> TuningRun::reasons() const {
  std::vector<Reason> reasons;
  for (const auto& [id, positions, outcome, message, at] : evaluations) {
    if (outcome.ok()) continue;
    auto found = std::find_if(
        reasons.begin(), reasons.end(),
        [&, failure = outcome.failure](const Reason& reason) { return reason.failure == failure; });
    if (found == reasons.end()) found = reasons.insert(found, {outcome.failure, 0, {}});
    ++found->count;
    if (found->message.empty()) found->message = message;
  }
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const Reason& a, const Reason& b) { return a.count > b.count; });
  return reasons;
}

std::string TuningRun::device_name() const {
  std::string_view rest = device;
  for (int part = 0; part < 2; ++part) {
    const auto bar = rest.find('|');
    if (bar == rest.npos) return device;
    rest.remove_prefix(bar + 1);
  }
  return std::string(rest.substr(0, rest.find('|')));
}

}  // namespace kiln::tune
