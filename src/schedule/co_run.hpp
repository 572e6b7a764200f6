#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/resolver/explain.hpp"
#include "kernel/resolver/resolver.hpp"
#include "kiln/kernel.hpp"
#include "schedule/job.hpp"
#include "schedule/placement.hpp"
#include "schedule/proof.hpp"
#include "schedule/split.hpp"

namespace kiln {

/// What a run did: what the public interface tells of it, and what the next run depends on.
struct RunReport : RunSummary {
  bool merged = false;      ///< what the devices wrote was merged (else written in place)
  bool conflicted = false;  ///< a conflict showed; the result is of a second, one-device run
  bool confirmed = false;   ///< the parts ran twice, which the next run at this cut need not do
};

/// Runs one Job on several devices so that the result equals the one-device run, or on one device
/// with the reason. Prepared once, run many times; belongs to one thread at a time.
///
/// Every device has whole buffers and works at its real global offset, cut at work-groups of
/// dimension 0. What each wrote is merged byte by byte against the initial contents; two devices
/// that disagree about one element are a conflict, after which the Job runs again on one device.
/// Where the text says that a part may read what another one writes, every part runs once more on
/// what the others wrote: it must do the same again, or that is a conflict, too.
/// Devices that share the host's memory may write the result in place once a merged run of the same
/// Job has shown no conflict and the writes do not depend on data (see docs/splitting.md).
class CoRun {
 public:
  struct Options {
    TraceSink* trace = nullptr;
    std::vector<Explanation>* explanations = nullptr;  ///< one is added per program
    /// Always merge: for verification, and for kernels that a run has not shown to be safe.
    bool always_merge = false;
    /// Treats every device as one with memory of its own: buffers are copied to and fro.
    Placement::OwnMemory memory = Placement::OwnMemory::where_needed;
  };

  /// Resolves the program for every device. `names` are the lanes. Throws kiln::Error.
  CoRun(Resolver& resolver, std::vector<Queue> queues, Job job, Options options);
  ~CoRun();

  /// What is known of the kernel from its text, on all of the devices.
  const KernelFacts& facts() const { return facts_; }
  /// Why this Job cannot be split at all; empty where it can.
  std::string refusal() const;
  /// Whether a run with one set of data says something about others: nothing that is written, and
  /// nowhere it is written to, depends on the data.
  bool provable() const;
  /// Arguments that continue (BufferArgument) start the next run from what their memory has now.
  void take_contents();
  /// Takes over what prove_slices has shown, in place of what the store has.
  void use_slices(Slices slices) { slices_ = std::move(slices); }
  std::size_t groups() const { return groups_of(job_.range); }
  std::size_t device_count() const { return placements_.size(); }
  const Device& device(std::size_t index) const { return placements_[index]->device(); }
  const Job& job() const { return job_; }
  Resolver& resolver() { return resolver_; }
  /// The program's Key: what proofs and models are remembered under.
  const Key& program_key() const { return program_->key(); }

  /// Whether the last split run, made once more, would write the result in place.
  bool will_run_in_place() const;

  /// Runs with one weight a device (see cut()). The caller's buffers hold the result afterwards.
  RunReport run(std::span<const double> weights);
  /// Runs whole on one device.
  RunReport run_on(std::size_t device);
  /// Runs one part alone, on the first device: the rest of the result stays as it began.
  RunReport run_part(const Part& part);
  /// Self-scheduling: every device takes the next chunk of work-groups when it has finished one;
  /// chunks shrink with what is left and are larger for faster devices (the HGuided idea).
  RunReport run_dynamic();

 private:
  /// How the devices of a run share the result.
  enum class Sharing {
    one_device,  ///< a single part: nothing is shared
    in_place,    ///< all write into the result itself, which earlier runs have shown to be right
    sliced,      ///< each gets and gives back only its slices of the buffers
    merged       ///< each writes a copy, and the copies' changes are merged into the result
  };
  /// Which devices take part in a run, and how they share its result.
  struct Team {
    std::vector<std::size_t> devices;
    Sharing sharing = Sharing::one_device;
    std::size_t owner = 0;  ///< works in the result itself, in a merged run alone
    Placement::Target target(std::size_t device) const {
      return device == owner || sharing != Sharing::merged ? Placement::Target::result
                                                           : Placement::Target::own;
    }
  };
  /// Waits for the devices when a run ends early: they may still be writing to the caller's memory.
  class Finisher {
   public:
    explicit Finisher(CoRun& run) : run_(run) {}
    Finisher(const Finisher&) = delete;
    Finisher& operator=(const Finisher&) = delete;
    ~Finisher();

   private:
    CoRun& run_;
    const int before_ = std::uncaught_exceptions();
  };
  struct Merged {
    std::optional<std::string> conflict;  ///< where
    bool shows_cuts = false;              ///< a conflict would have shown
  };
  void check_before_compiling(const std::vector<Queue>& queues) const;
  void protect_inputs();
  void note_initial();
  bool may_run_in_place(const std::vector<Part>& parts) const;
  void start(std::size_t device, const Team& team, const Placement::Ranges& ranges);
  Placement::Ranges ranges_of(std::size_t device, const Part& part, Sharing sharing) const;
  bool slices_cover(const std::vector<Part>& parts) const;
  Merged merge(const Team& team);
  std::size_t pick_owner(const std::vector<std::size_t>& active) const;
  RunReport run_parts(const std::vector<Part>& parts);
  RunReport fall_back(std::size_t device, std::string reason, bool conflicted);
  using Done = std::vector<std::vector<Part>>;  ///< by device, what it worked on
  bool needs_confirmation(const std::vector<std::size_t>& cuts) const;
  std::vector<HostArray> copy_results() const;
  std::optional<std::string> confirm(const Done& done, const std::vector<HostArray>& owners,
                                     std::size_t owner);
  std::vector<HostArray> others_contents(std::size_t device, const Done& done,
                                         const std::vector<HostArray>& owners, std::size_t owner);
  std::string argument_text(std::size_t argument) const;
  bool depends_on_data() const;
  RunReport conclude(std::int64_t started, const Team& team, const Done& done,
                     const std::vector<std::size_t>& cuts);
  void report_device(RunReport& report, std::size_t device, std::size_t groups);
  void remember_conflict(const std::string& where);
  void remember_cut(std::size_t group);

  Resolver& resolver_;
  Job job_;
  Options options_;
  KernelFacts facts_;                   ///< on all of the devices
  std::string conflict_;                ///< where one showed
  std::size_t conflict_free_step_ = 0;  ///< no conflict at cuts that are multiples; 0: none shown
  Slices slices_;                       ///< what may be transferred in slices
  std::vector<Part> last_;              ///< of the last split run
  std::vector<std::size_t> results_;    ///< arguments: buffers that the kernel may write
  bool aligned_results_ = true;         ///< CPU devices can write the results in place
  std::vector<HostArray> noted_;        ///< by argument: contents of inout buffers before any run
  std::vector<HostArray> scratch_;      ///< private copies of inputs that the kernel writes
  std::vector<ByteView> initial_;       ///< by argument: what every run starts from; empty: zeros
  std::vector<std::unique_ptr<Placement>> placements_;
  Program* program_ = nullptr;
};

}  // namespace kiln
