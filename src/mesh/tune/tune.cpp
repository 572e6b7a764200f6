// Mesh::tune: a search in the process that has the data.
#include <algorithm>
#include <chrono>

#include "mesh/tune/data_tunable.hpp"
#include "mesh/tune/trial_notes.hpp"
#include "tune/measure/stopping_rule.hpp"
#include "tune/strategy/strategy.hpp"

namespace kiln::mesh {
namespace {

/// Takes a Bench's times in this process: what it measures are forms of a loop that has run.
class BenchSampler : public tune::Sampler {
 public:
  explicit BenchSampler(tune::Bench& bench) : bench_(bench) {}
  tune::Outcome sample(tune::ConfigurationId id, std::size_t launches) override {
    try {
      return tune::Outcome::of_time(bench_.run(id, launches));
    } catch (const Error&) {
      return tune::Outcome::of(tune::Failure::launch);
    }
  }

 private:
  tune::Bench& bench_;
};

LoopTuning search(MatrixSession& session, const DataTunable& tunable, double seconds) {
  const TakesTimes times(session);
  const auto bench = tunable.open(session.resolver(), session.context(), session.queue);
  BenchSampler sampler(*bench);
  tune::Sampling measurement(sampler, tune::StoppingRule::on_device(), 1);
  const auto strategy = value_or_throw(tune::make_strategy("", tunable.space(), 1));
  TrialNotes notes(session.resolver().store(), tunable.identity(), tunable.label(),
                   *session.device());
  LoopTuning result;
  result.configurations = tunable.space().size();

  std::string why;
  const auto standard = tunable.standard();
  const auto evaluate = [&](tune::ConfigurationId id) {
    const std::string configuration = tunable.space().text(id);
    // What is used anyway has run in this process, and must be measured.
    if (id != standard && notes.is_fatal(configuration)) {
      result.skipped.push_back(configuration);
      const auto outcome = tune::Outcome::of(tune::Failure::crash);
      strategy->tell(id, outcome);
      return outcome;
    }
    if (id != standard) notes.begin(configuration);
    const auto report = bench->prepare(id);
    if (!report.outcome.ok() && why.empty()) why = report.message;
    auto outcome = report.outcome;
    if (outcome.ok()) outcome = measurement.measure(id);
    strategy->tell(id, outcome);
    ++result.evaluated;
    if (!outcome.ok()) ++result.failed;
    return outcome;
  };
  double standard_time = 0;
  if (standard) standard_time = evaluate(*standard).time;
  if (const auto known = bench->on_record(); known && known != standard) evaluate(*known);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    const auto id = strategy->ask();
    if (!id) break;
    evaluate(*id);
  }
  notes.end();  // what is left has run
  auto winner = measurement.play_off();
  if (!winner)
    throw Error(Errc::bad_input,
                tunable.label() + ": no form of it could be used; the first: " + why);
  // What is no better than what is used anyway would be on record for nothing.
  if (standard && winner->id != *standard && standard_time > 0) {
    const auto compared = measurement.compare(winner->id, *standard);
    if (compared && compared->surely_faster)
      winner->time = standard_time * compared->ratio;
    else
      winner->id = *standard, winner->time = standard_time;
  }
  bench->record(winner->id, winner->time, standard_time);
  result.best = tunable.space().text(winner->id);
  result.seconds = winner->time;
  result.faster_by = standard_time > 0 && winner->time > 0 ? standard_time / winner->time : 1;
  return result;
}

}  // namespace

std::vector<LoopTuning> Mesh::tune(double seconds_each) {
  finish();
  MatrixSession& session = MatrixSession::of(*session_);
  std::vector<std::unique_ptr<DataTunable>> tunables;
  // A part of a distributed mesh may have nothing to do in a loop; others wait for its halos.
  std::vector<bool> has_work;
  for (const auto& loop : session.loops.all()) {
    tunables.push_back(std::make_unique<LoopTunable>(session, *loop));
    has_work.push_back(!session.is_distributed() || !loop->parts().ranges.empty());
  }
  for (const Product& product : session.products.all()) {
    tunables.push_back(std::make_unique<ProductTunable>(session, product));
    has_work.push_back(!session.is_distributed() ||
                       Handles::state(product.mat->sparsity)->row_set.size() > 0);
  }
  // All before the first search: one that fails here must not leave other parts waiting there.
  for (const auto& tunable : tunables) tunable->refresh_halos();
  std::vector<LoopTuning> all;
  for (std::size_t i = 0; i < tunables.size(); ++i) {
    if (!has_work[i]) continue;
    all.push_back(search(session, *tunables[i], seconds_each));
    all.back().name = tunables[i]->name();
    tunables[i]->make_again();
  }
  return all;
}

}  // namespace kiln::mesh
