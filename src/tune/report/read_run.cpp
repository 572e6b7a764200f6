// A journal's bytes as a TuningRun.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/text.hpp"
#include "tune/report/run.hpp"

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

class Reader {
 public:
  explicit Reader(std::string_view name) : name_(name) {}

  Expected<TuningRun> read(std::string_view text) {
    for (std::size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1)) {
      line_ = text.substr(0, end);
      ++number_;
      auto taken = number_ == 1 ? head() : entry();
      if (!taken) return tl::unexpected(taken.error());
    }
    if (number_ == 0) return refuse(1, text, "expected a tuning journal");
    if (run_.evaluations.empty())
      return fail(
          Errc::bad_input,
          fmt::format("{}: nothing was measured: the journal has no evaluation", one_line(name_)));
    sort_values();
    return std::move(run_);
  }

 private:
  tl::unexpected<Error> refuse(std::size_t number, std::string_view found, std::string_view why) {
    return fail(Errc::bad_input, fmt::format("{}: line {}: found '{}{}', {}", one_line(name_),
                                             number, one_line(found.substr(0, shown)),
                                             found.size() > shown ? "…" : "", why));
  }
  tl::unexpected<Error> refuse(std::string_view why) { return refuse(number_, line_, why); }

  Expected<void> head() {
    const Json json = parsed_line(line_);
    if (!json.is_object() || !json.contains(kJournalMark))
      return refuse("expected the head of a tuning journal, as kiln tune --journal writes it");
    if (json[kJournalMark] != kJournalVersion)
      return refuse(fmt::format("expected version {} of the journal", kJournalVersion));
    for (const auto& [key, to] : {std::pair{"identity", &run_.identity},
                                  {"device", &run_.device},
                                  {"strategy", &run_.strategy},
                                  {"space", &run_.space}}) {
      const auto found = json.find(key);
      if (found == json.end() || !found->is_string())
        return refuse(fmt::format("expected a text '{}'", key));
      *to = found->get<std::string>();
    }
    const auto seed = json.find("seed");
    if (seed == json.end() || !seed->is_number_unsigned())
      return refuse("expected an integer 'seed'");
    run_.seed = seed->get<std::uint64_t>();
    return {};
  }

  Expected<void> entry() {
    const Json json = parsed_line(line_);
    if (auto ending = ending_of(json)) {
      auto positions = positions_of(json);
      if (!positions) return tl::unexpected(positions.error());
      run_.winner = {*std::move(ending), *std::move(positions), run_.evaluations.size()};
      return {};
    }
    auto line = journal_line_of(json);
    if (!line) return refuse("expected an object with id and seconds or failure");
    auto positions = positions_of(json);
    if (!positions) return tl::unexpected(positions.error());
    run_.evaluations.push_back({line->id, *std::move(positions), line->report.outcome,
                                std::move(line->report.message), line->at});
    return {};
  }

  /// Of a line's configuration. Values that are new are added to the parameters.
  Expected<std::vector<std::size_t>> positions_of(const Json& json) {
    const auto configuration = json.find("configuration");
    const auto values = configuration == json.end() ? std::nullopt : values_of(*configuration);
    if (!values || values->empty()) return refuse("expected a configuration with values");
    if (run_.parameters.empty())
      for (const auto& [name, value] : *values) run_.parameters.push_back({name, {}});
    if (values->size() != run_.parameters.size())
      return refuse("expected the first configuration's parameters");
    std::vector<std::size_t> positions;
    for (std::size_t p = 0; p < values->size(); ++p) {
      auto& [name, known] = run_.parameters[p];
      const auto& [found, value] = (*values)[p];
      if (name != found) return refuse("expected the first configuration's parameters");
      const auto at = position_of(run_.parameters[p], value);
      if (at == known.size()) known.push_back(value);
      positions.push_back(at);
    }
    return positions;
  }

  /// Values came in the order of measuring.
  void sort_values() {
    for (std::size_t p = 0; p < run_.parameters.size(); ++p) {
      auto& values = run_.parameters[p].values;
      if (!std::all_of(values.begin(), values.end(),
                       [](const expr::Value& value) { return value.is_number(); }))
        continue;
      std::vector<std::size_t> order(values.size()), rank(values.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return *values[a].to_double() < *values[b].to_double();
      });
      std::vector<expr::Value> sorted;
      for (const auto at : order) {
        rank[at] = sorted.size();
        sorted.push_back(values[at]);
      }
      values = std::move(sorted);
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
  return Reader(name).read(as_text(journal));
}

}  // namespace kiln::tune
