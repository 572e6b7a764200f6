#pragma once

#include <functional>

#include "blas/sequence/sequence_builder.hpp"

// Level 2 on several queues (Team), and vectors laid out for its kernels (DenseVector).
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

/// A vector whose elements lie side by side: the caller's own where its increment is 1, otherwise a
/// copy in workspace.
class DenseVector {
 public:
  enum class Copy { if_strided, always };
  /// Adds the step that copies to the team's first queue, as a round.
  DenseVector(SequenceBuilder& to, Team& team, Slot slot, std::size_t n,
              Copy copy = Copy::if_strided);

  /// Sets two arguments of a kernel: memory and offset.
  void put(SequenceBuilder::Arguments& to) const;
  /// Adds the step that copies the elements back to the caller's vector, where this is a copy.
  void write_back(SequenceBuilder& to, Team& team) const;

 private:
  /// Adds the step that copies to `copy_`, or back from there, as a round.
  void add_copy(SequenceBuilder& to, Team& team, bool back) const;
  Slot slot_;
  std::size_t n_;
  bool is_copy_;
  cl::Buffer copy_;
};

}  // namespace kiln::blas
