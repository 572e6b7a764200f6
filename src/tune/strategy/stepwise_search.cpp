// Strategies as the public API has them (kiln/tune/stepwise_search.hpp).
#include "kiln/tune/stepwise_search.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/expected.hpp"
#include "tune/strategy/forest_search.hpp"

namespace kiln::tune {

/// Lies where it is for good: the strategy refers to the space.
struct StepwiseSearch::State {
  SearchSpace space;
  std::unique_ptr<Strategy> strategy;

  State(SearchSpace made, const Options& options) : space(std::move(made)) {
    std::shared_ptr<const Transfer> transfer;
    if (options.start_from != nullptr) {
      const State& from = *options.start_from->state_;
      transfer = value_or_throw(
          Transfer::make(from.space, from.strategy->history().trials(), space, options.seed));
    }
    strategy =
        value_or_throw(make_strategy(name_of(options.method), space, options.seed, transfer));
  }

  ConfigurationId checked(Id id) const {
    if (id >= space.size())
      throw Error(Errc::bad_input,
                  fmt::format("configuration {}: expected a number below {}", id, space.size()));
    return id;
  }
};

namespace {

std::vector<tune::Parameter> taken(std::vector<StepwiseSearch::Parameter> parameters) {
  std::vector<tune::Parameter> all;
  for (auto& [name, values] : parameters) all.push_back({std::move(name), std::move(values)});
  return all;
}

SearchSpace constrained(std::vector<tune::Parameter> parameters,
                        const std::vector<std::string>& texts) {
  std::vector<Constraint> constraints;
  for (const auto& text : texts)
    constraints.push_back(value_or_throw(parse_constraint(text, parameters)));
  return value_or_throw(SearchSpace::build(std::move(parameters), constraints));
}

}  // namespace

StepwiseSearch::StepwiseSearch(std::unique_ptr<State> state) : state_(std::move(state)) {}
StepwiseSearch::StepwiseSearch(StepwiseSearch&&) noexcept = default;
StepwiseSearch& StepwiseSearch::operator=(StepwiseSearch&&) noexcept = default;
StepwiseSearch::~StepwiseSearch() = default;

StepwiseSearch::StepwiseSearch(std::vector<Parameter> parameters,
                               const std::vector<std::string>& constraints, const Options& options)
    : state_(std::make_unique<State>(constrained(taken(std::move(parameters)), constraints),
                                     options)) {}

StepwiseSearch StepwiseSearch::of(std::vector<Parameter> parameters,
                                  std::span<const Positions> configurations,
                                  const Options& options) {
  return StepwiseSearch(std::make_unique<State>(
      value_or_throw(SearchSpace::of_rows(taken(std::move(parameters)), configurations)), options));
}

StepwiseSearch::Id StepwiseSearch::size() const { return state_->space.size(); }

StepwiseSearch::Positions StepwiseSearch::positions(Id id) const {
  return state_->space.positions(state_->checked(id));
}

std::optional<StepwiseSearch::Id> StepwiseSearch::find(const Positions& positions) const {
  if (positions.size() != state_->space.parameters().size()) return std::nullopt;
  return state_->space.find(positions);
}

std::vector<StepwiseSearch::Id> StepwiseSearch::neighbours(Id id) const {
  return state_->space.neighbours(state_->checked(id));
}

std::optional<StepwiseSearch::Id> StepwiseSearch::ask() { return state_->strategy->ask(); }

void StepwiseSearch::tell(Id id, std::optional<double> cost) {
  if (cost && !(*cost > 0 && std::isfinite(*cost)))
    throw Error(
        Errc::bad_input,
        fmt::format("configuration {}: found the cost {}, expected a positive number", id, *cost));
  state_->strategy->tell(state_->checked(id),
                         cost ? Outcome::of_time(*cost) : Outcome::of(Failure::launch));
}

}  // namespace kiln::tune
