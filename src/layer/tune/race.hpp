#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kiln::layer {

/// Candidates that are tried over real launches, against the incumbent, which is number 0: which is
/// tried next, and which wins. Knows times and nothing else; not thread-safe.
///
/// First each candidate runs `trials` times, in rounds; one that is clearly slower leaves at once.
/// Then the one with the smallest median runs against the incumbent, `final_trials` times each, and
/// must beat it by its median and by its least time.
class Race {
 public:
  static constexpr std::size_t trials = 3, final_trials = 9;
  /// A winner takes at most this part of the incumbent's time: less could be noise.
  static constexpr double needed = 0.97;
  /// A candidate leaves that took so many times as long as the best: at one launch, at two.
  static constexpr double hopeless = 3, slower = 1.5;
  /// Kernels that end sooner are not worth it: what is measured of them is the device's clock.
  static constexpr std::int64_t least_ns = 5'000;

  /// `candidates` does not count the incumbent. The first `warm_ups` launches of each do not count:
  /// a driver may load what it has compiled.
  explicit Race(std::size_t candidates, std::size_t warm_ups = 0)
      : entrants_(candidates + 1), warm_ups_(warm_ups) {}

  /// Who is to run at the next launch, which counts as begun. Nothing: the race is over, or waits
  /// for times of launches that have begun.
  std::optional<std::size_t> next();
  /// The time of a launch that has ended.
  void add(std::size_t entrant, std::int64_t ns);
  /// A launch that was begun and whose time will not be known.
  void lose(std::size_t entrant);
  /// A candidate that cannot run.
  void drop(std::size_t candidate);

  struct Result {
    std::size_t winner = 0;   ///< 0: the incumbent stays
    double incumbent_ns = 0;  ///< medians
    double winner_ns = 0;
    std::size_t launches = 0;  ///< that were timed
  };
  /// What has come out; nothing while it goes on.
  const std::optional<Result>& result() const { return result_; }
  /// Whether it was given up: launches are too short.
  bool is_given_up() const { return is_given_up_; }

 private:
  struct Entrant {
    std::vector<std::int64_t> times;
    std::size_t begun = 0;  ///< launches whose time is known, or will be
    std::size_t warm = 0;   ///< launches that did not count
    bool is_out = false;
  };
  static double median_of(const Entrant& entrant);
  double best_median() const;
  void drop_slow();
  void judge();
  std::optional<std::size_t> begin(std::size_t entrant);

  std::vector<Entrant> entrants_;
  std::size_t warm_ups_;
  std::optional<std::size_t> finalist_;
  std::size_t step_ = 0;  ///< of the final
  std::optional<Result> result_;
  bool is_given_up_ = false;
};

}  // namespace kiln::layer
