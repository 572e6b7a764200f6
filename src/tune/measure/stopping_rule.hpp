#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "tune/measure/outcome.hpp"
#include "tune/space/search_space.hpp"

/// How long a candidate is measured, and how single times become decisions: which of two
/// configurations is faster, and which of all is the fastest. docs/tuning.md has the reasons.
namespace kiln::tune {

/// When to stop: how many samples a candidate gets, and how many rounds the play-off has.
struct StoppingRule {
  std::size_t least_pairs = 2;    ///< with the incumbent, before a candidate may be given up
  std::size_t most_pairs = 9;     ///< after which it is not measured longer
  double confidence = 2.5;        ///< standard errors that count as a difference
  double least_sample = 0;        ///< a shorter time is taken again over more launches
  std::size_t finalists = 128;    ///< at most, in the play-off
  std::size_t most_rounds = 500;  ///< of the play-off
  double tolerance = 0.01;        ///< what the winner may be slower than the best

  /// On a device, where a search should end soon after its budget. Shorter times than 200 us are
  /// taken over several launches: the clocks of some drivers step by microseconds.
  static StoppingRule on_device() {
    StoppingRule rule;
    rule.least_sample = 200e-6;
    rule.finalists = 16;
    rule.most_rounds = 60;
    return rule;
  }
};

/// Takes samples of configurations, as a StoppingRule says, so that neither noise nor drift picks
/// the winner.
///
/// A candidate is never timed alone: each of its samples is paired with one of the incumbent (the
/// best so far), first and second by turns, and only their ratio counts. A machine that becomes
/// slower or faster meanwhile changes both. Pairs go on until the confidence interval of the mean
/// ratio excludes 1, or their most is reached: candidates without hope cost two pairs. One that
/// seems faster is measured once more before it becomes the incumbent, and only that counts: of
/// many equal ones the luckiest seems faster, and a scale that takes its luck for truth falls with
/// each of them. In
/// the end the best candidates meet in a play-off: rounds in which each is sampled once, in
/// random order, and from which one leaves that is surely slower than the leader.
///
/// Times are told on the incumbent's scale as it was when the search began, so that a strategy sees
/// no drift either. Deterministic by its seed where the sampler is. Not thread-safe; the sampler
/// must outlive it.
class Sampling {
 public:
  Sampling(Sampler& sampler, const StoppingRule& rule, std::uint64_t seed)
      : sampler_(sampler), rule_(rule), random_(seed) {}

  /// Times one configuration, or says why it has no time. It may become the incumbent.
  Outcome measure(ConfigurationId id);

  /// What one finalist came to in the play-off.
  struct Finalist {
    ConfigurationId id = 0;
    double relative = 1;     ///< its time by the winner's, over the rounds that it was in
    std::size_t rounds = 0;  ///< that it was in
  };
  struct Winner {
    ConfigurationId id = 0;
    double time = 0;  ///< on the scale of measure()
    std::size_t finalists = 0;
    std::size_t rounds = 0;
    std::vector<Finalist> places = {};  ///< the winner first; those that failed are left out
  };
  /// How one that was measured compares with another: in pairs, as many as tell them apart, at most
  /// twice the rule's most_pairs.
  struct Comparison {
    bool surely_faster = false;
    double ratio = 1;  ///< of the times
  };
  /// None where either fails.
  std::optional<Comparison> compare(ConfigurationId id, ConfigurationId with);
  /// Decides between the best of what was measured. None where nothing has a time. In a hurry it
  /// is the incumbent, with nothing measured.
  enum class Haste : bool { no, yes };
  std::optional<Winner> play_off(Haste haste = Haste::no);

  const std::optional<ConfigurationId>& incumbent() const { return incumbent_; }
  /// Samples taken so far, of candidates and incumbents.
  std::size_t samples() const { return samples_; }

 private:
  /// What is known of one configuration, as a logarithm of its time.
  struct Known {
    double level = 0;
    double error = 0;  ///< standard error of the level
    std::size_t launches = 1;
    bool ok = true;
  };
  /// One pair after the other: logarithms of candidate / incumbent.
  struct Pairs {
    std::vector<double> ratios;
    double mean() const;
  };

  /// The logarithm of the time of one launch.
  std::optional<double> take(ConfigurationId id, Outcome& failed);
  Outcome measure_first(ConfigurationId id);
  Outcome measure_in_pairs(ConfigurationId id);
  /// All the rule's pairs with the incumbent, anew. False where one of the two failed.
  bool pair_anew(ConfigurationId id, Pairs& pairs, Outcome& failed);
  /// One more pair; false where one of the two failed.
  bool add_pair(ConfigurationId id, Pairs& pairs, Outcome& failed);
  /// Of the mean of so many pairs, by the noise of all pairs so far.
  double standard_error(std::size_t pairs) const;
  void learn_noise(const Pairs& pairs);
  void drop_incumbent();
  std::vector<ConfigurationId> finalists() const;

  Sampler& sampler_;
  StoppingRule rule_;
  Random random_;
  std::unordered_map<ConfigurationId, Known> known_;
  std::optional<ConfigurationId> incumbent_;
  std::size_t samples_ = 0;
  // A guess of 5 % noise that four pairs of real ones outweigh.
  double squares_ = 4 * 0.05 * 0.05;
  double freedom_ = 4;
};

}  // namespace kiln::tune
