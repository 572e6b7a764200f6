#pragma once

#include <map>
#include <string>

#include "blas/api/library.hpp"
#include "blas/call/call.hpp"
#include "kernel/request/parameters.hpp"
#include "tune/measure/tunable.hpp"

// What the tuner measures BLAS with: runs of a call whose results are checked, and the operands for
// them.
namespace kiln::blas {

/// Runs a call with the Parameters of a space's configurations. Inputs are random, in sets that
/// take turns, so that a small problem does not stay in the nearest cache. One thread.
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

/// Compiles the kernels that a call takes with the Parameters of a space's configurations. No
/// memory of operands is touched. One thread.
class BlasCompiler : public tune::Compiler {
 public:
  BlasCompiler(const Call& call, std::string family, const tune::SearchSpace& space,
               Resolver& resolver, const Queue& queue)
      : call_(call),
        family_(std::move(family)),
        space_(space),
        resolver_(resolver),
        queue_(queue),
        library_(resolver) {}

  void compile(tune::ConfigurationId id) override;

 private:
  Call call_;
  std::string family_;
  const tune::SearchSpace& space_;
  Resolver& resolver_;
  Queue queue_;
  Library library_;
};

/// What the numbers of two right results of a call may differ by, where all operands are numbers up
/// to 1 (fill_at_random): sums of products in any order, and what was there before. It grows with
/// the length of the sums, not with the size of the result, in which a wrong number would hide.
double tolerance_of(const Call& call);

/// Fills an argument of a call, `use.length * use.lines` contiguous elements, with random numbers
/// of -1 to 1, the same for the same slot. Of triangular matrices, packed and banded ones too, the
/// diagonal is ones and outweighs the rest, so that neither products nor solutions grow or
/// vanish over repeated calls.
void fill_at_random(const Call& call, const Use& use, void* block);

}  // namespace kiln::blas
