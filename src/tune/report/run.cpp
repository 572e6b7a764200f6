#include "tune/report/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/data/text.hpp"
#include "base/expected.hpp"

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

}  // namespace kiln::tune

// A journal's bytes as a TuningRun.

namespace kiln::tune {
namespace {

using Json = nlohmann::ordered_json;
using Values = std::vector<std::pair<std::string, expr::Value>>;

constexpr std::size_t shown = 80;

std::optional<Values> values_of(const Json& configuration) {
  Values values;
  if (configuration.is_object()) {
    for (const auto& [name, json] : configuration.items()) {
      auto value = value_of(json);
      if (!value) return std::nullopt;
      values.emplace_back(name, *std::move(value));
    }
    return values;
  }
  // Older journals: "TS=8 WPT=2".
  if (!configuration.is_string()) return std::nullopt;
  std::string_view rest = configuration.get_ref<const std::string&>();
  while (!rest.empty()) {
    const auto end = std::min(rest.find(' '), rest.size());
    const auto one = parse_parameter(rest.substr(0, end));
    if (!one || one->values.size() != 1) return std::nullopt;
    values.emplace_back(one->name, one->values.front());
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return values;
}

class JournalReader {
 public:
  explicit JournalReader(std::string_view name) : name_(name) {}

  /// Throws Error.
  TuningRun read(std::string_view text) {
    for (std::size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1)) {
      line_ = text.substr(0, end);
      ++number_ == 1 ? head() : entry();
    }
    if (number_ == 0) {
      number_ = 1;
      line_ = text;
      refuse("expected a tuning journal");
    }
    if (run_.evaluations.empty())
      throw Error(
          Errc::bad_input,
          fmt::format("{}: nothing was measured: the journal has no evaluation", one_line(name_)));
    sort_values();
    return std::move(run_);
  }

 private:
  [[noreturn]] void refuse(std::string_view why) const {
    throw Error(Errc::bad_input, fmt::format("{}: line {}: found '{}{}', {}", one_line(name_),
                                             number_, one_line(line_.substr(0, shown)),
                                             line_.size() > shown ? "…" : "", why));
  }

  void head() {
    const Json json = parsed_line(line_);
    if (!json.is_object() || !json.contains(kJournalMark))
      refuse("expected the head of a tuning journal, as kiln tune --journal writes it");
    if (json[kJournalMark] != kJournalVersion)
      refuse(fmt::format("expected version {} of the journal", kJournalVersion));
    for (const auto& [key, to] : {std::pair{"identity", &run_.identity},
                                  {"device", &run_.device},
                                  {"strategy", &run_.strategy},
                                  {"space", &run_.space}}) {
      const auto found = json.find(key);
      if (found == json.end() || !found->is_string())
        refuse(fmt::format("expected a text '{}'", key));
      *to = found->get<std::string>();
    }
    const auto seed = json.find("seed");
    if (seed == json.end() || !seed->is_number_unsigned()) refuse("expected an integer 'seed'");
    run_.seed = seed->get<std::uint64_t>();
  }

  void entry() {
    const Json json = parsed_line(line_);
    if (auto ending = ending_of(json)) {
      run_.winner = {*std::move(ending), positions_of(json), run_.evaluations.size()};
      return;
    }
    auto line = journal_line_of(json);
    if (!line) refuse("expected an object with id and seconds or failure");
    run_.evaluations.push_back({line->id, positions_of(json), line->report.outcome,
                                std::move(line->report.message), line->at});
  }

  /// Of a line's configuration. Values that are new are added to the parameters.
  std::vector<std::size_t> positions_of(const Json& json) {
    const auto configuration = json.find("configuration");
    const auto values = configuration == json.end() ? std::nullopt : values_of(*configuration);
    if (!values || values->empty()) refuse("expected a configuration with values");
    if (run_.parameters.empty())
      for (const auto& [name, value] : *values) run_.parameters.push_back({name, {}});
    if (values->size() != run_.parameters.size())
      refuse("expected the first configuration's parameters");
    std::vector<std::size_t> positions;
    for (std::size_t p = 0; p < values->size(); ++p) {
      auto& [name, known] = run_.parameters[p];
      const auto& [found, value] = (*values)[p];
      if (name != found) refuse("expected the first configuration's parameters");
      const auto at = position_of(run_.parameters[p], value);
      if (at == known.size()) known.push_back(value);
      positions.push_back(at);
    }
    return positions;
  }

  /// Values came in the order of measuring.
  void sort_values() {
    for (std::size_t p = 0; p < run_.parameters.size(); ++p) {
      const auto rank = tune::sort_values(run_.parameters[p]);
      if (rank.empty()) continue;
      for (auto& evaluation : run_.evaluations)
        evaluation.positions[p] = rank[evaluation.positions[p]];
      if (run_.winner) run_.winner->positions[p] = rank[run_.winner->positions[p]];
    }
  }

  std::string_view name_, line_;
  std::size_t number_ = 0;
  TuningRun run_;
};

}  // namespace

Expected<TuningRun> read_run(ByteView journal, std::string_view name) {
  return expected_from([&] { return JournalReader(name).read(as_text(journal)); });
}

}  // namespace kiln::tune
