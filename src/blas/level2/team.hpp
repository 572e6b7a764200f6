#pragma once

#include <functional>

#include "blas/sequence_builder.hpp"

namespace kiln::blas {

/// The queues that share one piece of work: all of the call's where there is enough for each, the
/// first alone otherwise. Their steps come in rounds: those of a round may run at the same time,
/// and come after all of the rounds before.
class Team {
 public:
  /// `area`: multiply-adds in all.
  Team(SequenceBuilder& to, double area);

  unsigned queues() const { return queues_; }
  /// Borders of the queues' shares of [0, count), of weights like the speeds of their devices:
  /// queues() + 1 of them. The steps of this round that follow do these parts of the work.
  std::vector<std::int64_t> shares(std::int64_t count,
                                   const std::function<std::int64_t(std::int64_t)>& weight);

  /// Adds a step of this round.
  SequenceBuilder::Arguments step(unsigned queue, const KernelChoice& choice, const NDRange& range);
  /// Ends the round, and what shares() said of it.
  void next_round();
  /// Ends it where devices that share no memory would write to one buffer at the same time: OpenCL
  /// does not define what comes of that. To be called between such steps.
  void next_writer() {
    if (!one_memory_) end_round();
  }

 private:
  void end_round();
  struct Done {
    unsigned queue;
    std::size_t step;
  };
  SequenceBuilder& to_;
  unsigned queues_ = 1;
  bool one_memory_ = true;
  std::vector<Done> before_, now_;
};

}  // namespace kiln::blas
