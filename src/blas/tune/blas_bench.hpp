#pragma once

#include <map>
#include <string>

#include "blas/library.hpp"
#include "blas/uses.hpp"
#include "tune/tunable.hpp"

namespace kiln::blas {

/// Runs a call with the Parameters of a space's configurations. Inputs are random, in sets that
/// take turns, so that a small problem does not live in the nearest cache. One thread.
class BlasBench : public tune::Bench {
 public:
  BlasBench(const Call& call, std::string family, const tune::SearchSpace& space,
            const Parameters& defaults, Resolver& resolver, const Queue& queue);

  tune::Report prepare(tune::ConfigurationId id) override;
  double run(tune::ConfigurationId id, std::size_t launches) override;
  void record(tune::ConfigurationId id, double seconds, double standard) override;
  std::optional<tune::ConfigurationId> on_record() override;

 private:
  /// One operand in every set of inputs.
  struct Operand {
    Use use;
    std::size_t bytes;
    std::vector<std::byte> initial;
    std::vector<std::byte> reference;  ///< of what is written: what is right
    std::vector<cl::Buffer> sets;
  };

  void add_operand(const Use& use);
  Call call_on(std::size_t set) const;
  std::unique_ptr<SolutionSequence> build(const Parameters& parameters);
  /// Outputs as they were before a run, in the first set.
  void restore();
  /// The same in every set.
  void restore_all();
  /// Of what a call wrote in the first set from the reference; "" where there is none. Where there
  /// is no reference yet it becomes that.
  std::string difference();
  void run_once(SolutionSequence& sequence);
  Request record_request() const;

  Call call_;
  std::string family_;
  const tune::SearchSpace& space_;
  Resolver& resolver_;
  Queue queue_;
  Library library_;
  std::vector<Operand> operands_;
  cl::Buffer mark_;
  double tolerance_ = 0;
  std::size_t turn_ = 0;
  std::map<tune::ConfigurationId, std::unique_ptr<SolutionSequence>> prepared_;
};

}  // namespace kiln::blas
