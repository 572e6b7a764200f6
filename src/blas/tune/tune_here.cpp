#include "blas/tune/tune_here.hpp"

#include <algorithm>
#include <cmath>

#include "blas/api/entry.hpp"
#include "blas/tune/blas_tunable.hpp"
#include "device/queue_handle.hpp"
#include "tune/measure/stopping_rule.hpp"
#include "tune/strategy/strategy.hpp"

namespace kiln::blas {
namespace {

/// Takes times of a Bench in this process.
class SamplerHere final : public tune::Sampler {
 public:
  explicit SamplerHere(tune::Bench& bench) : bench_(bench) {}

  tune::Outcome sample(tune::ConfigurationId id, std::size_t launches) override {
    auto known = prepared_.find(id);
    if (known == prepared_.end()) known = prepared_.emplace(id, bench_.prepare(id).outcome).first;
    if (!known->second.ok()) return known->second;
    try {
      return tune::Outcome::of_time(bench_.run(id, launches));
    } catch (const Error& error) {
      return known->second = tune::report_of(error).outcome;
    }
  }

 private:
  tune::Bench& bench_;
  std::map<tune::ConfigurationId, tune::Outcome> prepared_;
};

/// So many configurations of a space, the standard one not counted.
std::size_t evaluations_of(double fraction, std::size_t size) {
  if (fraction == 0) fraction = 1;
  return static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(size)));
}

}  // namespace

std::optional<Tuned> tune_here(Library& library, Resolver& keeper, const Call& call,
                               cl_command_queue queue, double fraction) {
  const ContextPtr context = Context::adopt(queue_fact<cl_context>(queue, CL_QUEUE_CONTEXT));
  const DevicePtr device = Queue::adopt(queue, context).device();
  const TuningDevice facts = TuningDevice::of(*device);
  Request request = tuned_request(call, facts);
  if (request.family.empty()) return std::nullopt;
  request.version = family_version(request.family);
  const auto tunable = value_or_throw(make_blas_tunable(call, facts));
  const tune::SearchSpace& space = tunable->space();

  // Programs of configurations go with this Resolver and this context: the store gets the winner's
  // when a call wants it.
  Resolver scratch(nullptr, CompilePolicy::here);
  const ContextPtr own = Context::create({device});
  const Queue measured(own, device);
  const auto bench = tunable->open(scratch, own, measured);
  bench->begin();
  SamplerHere sampler(*bench);
  constexpr std::uint64_t seed = 1;
  tune::Sampling sampling(sampler, tune::StoppingRule::on_device(), seed);
  const auto strategy = value_or_throw(tune::make_strategy("", space, seed));

  Tuned tuned;
  const auto measure = [&](tune::ConfigurationId id) {
    const tune::Outcome outcome = sampling.measure(id);
    strategy->tell(id, outcome);
    ++tuned.evaluated;
    tuned.failed += !outcome.ok();
    return outcome;
  };
  const auto standard = tunable->standard();
  const tune::Outcome first = standard ? measure(*standard) : tune::Outcome();
  for (std::size_t left = evaluations_of(fraction, space.size()); left > 0; --left) {
    const auto next = strategy->ask();
    if (!next) break;
    measure(*next);
  }
  auto winner = sampling.play_off();
  if (!winner)
    throw Error(Errc::bad_input, tunable->label() + ": no configuration runs and is right");
  tuned.standard = first.time;
  // As a Tuner does: held against the built-in ones and what is on record, in pairs of runs, of
  // which the times that are kept follow.
  if (standard && first.ok()) {
    const auto compared =
        winner->id == *standard ? std::nullopt : sampling.compare(winner->id, *standard);
    const bool is_better = compared && compared->surely_faster;
    if (!is_better) winner->id = *standard;
    winner->time = first.time * (is_better ? compared->ratio : 1);
  }
  const auto keep = [&](tune::ConfigurationId id, double seconds) {
    keeper.record(request, *device,
                  {{tune::parameters_of(space, id),
                    request.problem_size,
                    seconds * 1e3,
                    Measurement::Of::kiln,
                    "a tuner of CLBlast's interface",
                    {},
                    tuned.standard * 1e3}});
  };
  const auto known =
      tune::best_known(space, request, keeper, *device, [](const auto&) { return true; });
  if (known && *known != winner->id && sampler.sample(*known, 1).ok()) {
    const auto compared = sampling.compare(winner->id, *known);
    if (compared && compared->ratio > 0) {
      const double seconds = winner->time / compared->ratio;
      if (compared->ratio > 1) {
        winner->id = *known;
        winner->time = seconds;
      } else {
        keep(*known, seconds);
      }
    }
  }
  tuned.best = tune::parameters_of(space, winner->id);
  tuned.seconds = winner->time;
  keep(winner->id, winner->time);
  library.clear();
  return tuned;
}

}  // namespace kiln::blas

int kiln_blas_tune(const kiln::blas::Call& of, cl_command_queue queue, double fraction,
                   kiln::blas::NamedValues& best) noexcept {
  using namespace kiln::blas;
  try {
    const Call call = contiguous(of);
    if (!(fraction >= 0 && fraction <= 1)) return static_cast<int>(Status::invalid_value);
    const Execution execution{{&queue, 1}};
    if (queue == nullptr || !kiln::is_queue(queue)) return static_cast<int>(Status::invalid_queue);
    for (const Status status :
         {validate_shape(call, execution), Library::check_queues(call, execution)})
      if (status != Status::success) return static_cast<int>(status);
    const auto tuned =
        tune_here(Library::process(), kiln::Resolver::process(), call, queue, fraction);
    best.clear();
    if (tuned) best = tuned->best;
    return static_cast<int>(Status::success);
  } catch (...) {
    return status_of_failure();
  }
}
