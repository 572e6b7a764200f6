#include "tune/report/run.hpp"

#include <algorithm>
#include <set>

namespace kiln::tune {

std::string TuningRun::text(const std::vector<std::size_t>& positions) const {
  std::string text;
  for (std::size_t p = 0; p < parameters.size(); ++p)
    text +=
        (p == 0 ? "" : " ") + parameters[p].name + "=" + parameters[p].values[positions[p]].text();
  return text;
}

std::optional<TuningRun::Best> TuningRun::best() const {
  if (winner) return Best{text(winner->positions), winner->ending.seconds, true};
  const auto all = ranked();
  if (all.empty()) return std::nullopt;
  return Best{text(*all.front()), all.front()->outcome.time, false};
}

const SearchEnding::Finalist* TuningRun::finalist(ConfigurationId id) const {
  if (!winner) return nullptr;
  const auto& all = winner->ending.finalists;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.id == id; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<const Evaluation*> TuningRun::standing() const {
  auto all = ranked();
  if (!winner) return all;
  // The winner, the finalists in their order, all others.
  const auto place = [&](const Evaluation* one) {
    if (one->id == winner->ending.winner) return std::size_t{0};
    const auto* finalist_of = finalist(one->id);
    const auto& finalists = winner->ending.finalists;
    return finalist_of == nullptr ? finalists.size() + 1
                                  : 1 + static_cast<std::size_t>(finalist_of - finalists.data());
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const Evaluation* a, const Evaluation* b) { return place(a) < place(b); });
  return all;
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
