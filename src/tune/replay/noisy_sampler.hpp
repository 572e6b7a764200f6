#pragma once

#include "tune/measure/sampler.hpp"
#include "tune/random.hpp"
#include "tune/replay/measured_space.hpp"

namespace kiln::tune {

/// A measured space as a bad machine would show it: each sample is off by up to a share of its
/// true time, evenly, and from a certain sample on everything takes a multiple of it.
class NoisySampler : public Sampler {
 public:
  struct Trouble {
    double noise = 0.2;         ///< of the true time, to either side
    std::size_t slow_from = 0;  ///< the sample, from 0, with which the slow-down begins
    double slow_down = 1;       ///< a factor
  };

  NoisySampler(const MeasuredSpace& measured, const Trouble& trouble, std::uint64_t seed)
      : measured_(measured), trouble_(trouble), random_(seed) {}

  Outcome sample(ConfigurationId id, std::size_t launches) override {
    const Outcome& truth = measured_.outcomes[id];
    const std::size_t number = taken_++;
    if (!truth.ok()) return truth;
    const double off = 1 + trouble_.noise * (2 * random_.unit() - 1);
    const double slow = number >= trouble_.slow_from ? trouble_.slow_down : 1;
    return Outcome::of_time(truth.time * off * slow * static_cast<double>(launches));
  }

 private:
  const MeasuredSpace& measured_;
  Trouble trouble_;
  Random random_;
  std::size_t taken_ = 0;
};

}  // namespace kiln::tune
