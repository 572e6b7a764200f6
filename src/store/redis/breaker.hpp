#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <string>

namespace kiln::redis {

/// Keeps a run from waiting again and again for what does not answer. After a failure every caller
/// is turned away; when a pause is over, one caller may try while the others are still turned away,
/// until a further pause is over; each failed try makes the pause longer. Times are nanoseconds of
/// any steady clock. Not thread-safe.
class Breaker {
 public:
  struct Pauses {
    std::chrono::milliseconds first{1000}, longest{60'000};
    /// A pause is longer or shorter by up to this part of it, so that a fleet does not come back
    /// all at once.
    double jitter = 0.2;
  };
  /// What a caller gets, and gives back with the outcome.
  enum class Pass : std::uint8_t { refused, normal, trial };
  /// What became of the whole thing with this outcome: worth a line in the log, or not.
  enum class Change : std::uint8_t { none, gone, back };

  explicit Breaker(Pauses pauses, unsigned seed = std::random_device{}())
      : pauses_(pauses), random_(seed) {}

  Pass ask(std::int64_t now_ns);
  Change succeeded(Pass pass);
  Change failed(Pass pass, std::int64_t now_ns, const std::string& reason);

  bool open() const { return open_; }
  /// "REASON; next try in 3 s", where it is open.
  std::string state(std::int64_t now_ns) const;

 private:
  void pause_from(std::int64_t now_ns);

  Pauses pauses_;
  std::minstd_rand random_;
  bool open_ = false;
  double pause_ns_ = 0;  ///< without jitter
  std::int64_t next_try_ns_ = 0;
  std::string reason_;
};

}  // namespace kiln::redis
