#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "blas/call/call.hpp"
#include "blas/sequence/set_parameters.hpp"
#include "blas/sequence/solution_sequence.hpp"
#include "device/context.hpp"
#include "kernel/resolver/resolver.hpp"

// What the routines (blas/routines) build their solution sequences with.
namespace kiln::blas {

/// What limits a routine: arithmetic (level 3) or memory (level 2).
enum class Limit : std::uint8_t { arithmetic, memory };

/// How fast a device is, in millions of multiply-adds a second: what the work of several devices is
/// shared out by. On record like Parameters (family "blas.speed"); where nothing is, a product of
/// two matrices or of a matrix and a vector is measured on a queue of its own, once a device,
/// precision and limit, which takes some milliseconds. Defined above the routines, which it runs
/// (blas/routines/device_speed.cpp). Thread-safe. Throws kiln::Error (build, device).
double device_speed(Resolver& resolver, const ContextPtr& context, const DevicePtr& device,
                    Precision precision, Limit limit);

/// The Request under which that number is on record, as the Parameter "megaflops".
Request speed_request(Precision precision, Limit limit);

/// A kernel of one of the generators' families, with the Parameters that its program is made with:
/// looked up once, so that geometry, workspace and all kernels of the program agree.
struct KernelChoice {
  Request request;
  ChosenParameters chosen;
  std::string kernel;  ///< entry point; the program holds all of its text's
};

/// What a search measures: Parameters for the kernels of a family that accept them.
struct GivenParameters {
  std::string family;
  Parameters parameters;
};

/// A scalar that a kernel takes: one of the call's, or a constant.
struct Coefficient {
  constexpr Coefficient(double constant = 1) : value(constant) {}
  constexpr Coefficient(Varying::What scalar) : of_call(scalar) {}
  std::optional<Varying::What> of_call;
  double value = 1;
};
constexpr Coefficient call_alpha{Varying::What::alpha}, call_beta{Varying::What::beta};

struct ProductForm;

/// Builds the solution sequence of one call: the routines' decompositions add their steps here.
/// A step comes after all steps that were added before it on its queue, and after those it names.
class SequenceBuilder {
 public:
  /// `call` must have been validated; it outlives the builder. A device for each queue.
  /// `gemm_form`: of the product's kernels, for tests of one device's forms on another; empty: the
  /// device's own. `given`: in place of what is on record; null: nothing. Outlives the builder.
  SequenceBuilder(const Call& call, ContextPtr context, std::vector<DevicePtr> devices,
                  Resolver& resolver, std::string gemm_form = "",
                  const GivenParameters* given = nullptr);
  /// What the application has set; outlives the builder.
  void use(const SetParameters& set) { set_ = &set; }

  const Call& call() const { return *call_; }
  unsigned queues() const { return static_cast<unsigned>(devices_.size()); }
  const Device& device(unsigned queue) const { return *devices_[queue]; }
  const DevicePtr& device_pointer(unsigned queue) const { return devices_[queue]; }

  /// How fast a queue's device is relative to the others', which counts where they are of several
  /// kinds: measured (device_speed), and 1 for all where they are of one.
  double speed(unsigned queue, Limit limit) const;

  /// The form of the product's kernels (GemmGenerator) on a queue's device: of one with operands
  /// and results of the call's precision, or of another.
  std::string gemm_form(unsigned queue) const;
  std::string gemm_form(unsigned queue, const ProductForm& product) const;

  /// A kernel for the call on a queue's device.
  KernelChoice choose(unsigned queue, const std::string& family, std::int64_t version,
                      Payload payload, std::string kernel) const;

  /// Device memory of the sequence's own; its contents do not outlive a run.
  cl::Buffer workspace(std::size_t bytes);
  /// The same, shared by the steps of one queue, which run one after another: asked for again with
  /// the same number, it is the same buffer where that is large enough.
  cl::Buffer scratch(unsigned queue, unsigned number, std::size_t bytes);
  /// The same, of zeros: each step leaves it as it found it.
  cl::Buffer zeros(unsigned queue, std::size_t bytes);

  /// Workspace in the place of operands: their offset is 0.
  using Replacements = std::map<Slot, cl::Buffer>;

  /// Sets the arguments of a step one after another, from position 0 on.
  class Arguments {
   public:
    Arguments(Step& step, Precision precision, const Replacements& replacements)
        : step_(step), precision_(precision), replacements_(&replacements) {}
    Arguments& memory(Slot slot) {
      const auto found = replacements_->find(slot);
      return found == replacements_->end() ? vary(Varying::What::memory, slot)
                                           : buffer(found->second);
    }
    /// The operand's memory and its offset (64 bits), with something added to it.
    Arguments& operand(Slot slot, std::int64_t add = 0) {
      memory(slot);
      return replacements_->contains(slot) ? numbers(add) : vary(Varying::What::offset, slot, add);
    }
    Arguments& buffer(const cl::Buffer& buffer) {
      step_.launch.set_buffer(next_++, buffer);
      return *this;
    }
    /// Sizes and strides: 64 bits each.
    Arguments& numbers(auto... values) {
      (step_.launch.set_scalar(next_++, static_cast<std::int64_t>(values)), ...);
      return *this;
    }
    /// Choices: 32 bits each.
    Arguments& flags(auto... values) {
      (step_.launch.set_scalar(next_++, static_cast<std::int32_t>(values)), ...);
      return *this;
    }
    /// Numbers of the call's real type.
    Arguments& reals(double value) {
      step_.launch.set_scalar(next_++, ScalarBytes(value, real_of(precision_)).view());
      return *this;
    }
    /// Coefficients, in the call's precision.
    Arguments& scalars(const auto&... values) {
      (scalar(values), ...);
      return *this;
    }

   private:
    void scalar(const Coefficient& coefficient);
    Arguments& vary(Varying::What what, Slot slot = {}, std::int64_t add = 0);
    Step& step_;
    Precision precision_;
    const Replacements* replacements_;
    unsigned next_ = 0;
  };

  /// Adds a kernel on a queue. `after`: indices of steps on other queues. The reference that the
  /// Arguments hold is good until the next step.
  Arguments step(unsigned queue, const KernelChoice& choice, const NDRange& range,
                 const std::vector<std::size_t>& after = {});
  /// Notes that the steps of a queue do this part (0 to 1) of the work, from the next step on until
  /// forget_parts(): for people to see.
  void set_part(unsigned queue, double part) { parts_of_work_[queue] = part; }
  void forget_parts() { parts_of_work_.clear(); }

  /// Adds the steps of another routine that does the same work. `call` has the operands of call(),
  /// in slots of its own: `original` tells which slot of call() each of them is.
  void add_instead(const Call& call, const std::function<Slot(Slot)>& original,
                   const std::function<void(SequenceBuilder&)>& add);
  /// Adds steps of the same operands for a call of another precision.
  void add_for(const Call& call, const std::function<void(SequenceBuilder&)>& add);
  /// Adds the steps of the same routine with some operands in workspace, all on the first queue.
  void add_replaced(const Call& call, const Replacements& replacements,
                    const std::function<void(SequenceBuilder&)>& add);
  /// Adds the steps of the items [first, end) of the call's batch, on one queue, where they run
  /// item after item. `add` adds those of one call: it sees that queue alone, as number 0.
  void add_items(unsigned queue, std::size_t first, std::size_t end,
                 const std::function<void(SequenceBuilder&)>& add);
  /// Whether the steps that are added now run once for each item of a batch.
  bool runs_items() const { return runs_items_; }
  /// The index that the next step will have.
  std::size_t next_step() const { return parts_.steps.size(); }

  SolutionSequence::Parts take() { return std::move(parts_); }

 private:
  const Call* call_;
  Resolver& resolver_;
  std::string gemm_form_;
  const GivenParameters* given_;
  const SetParameters* set_ = nullptr;
  std::vector<DevicePtr> devices_;
  bool runs_items_ = false;
  unsigned first_queue_ = 0;  ///< the call's number for queue 0 of this builder
  std::map<std::pair<unsigned, unsigned>, cl::Buffer> scratch_;
  Replacements replacements_;
  std::map<unsigned, cl::Buffer> zeros_;      ///< by queue
  std::map<unsigned, double> parts_of_work_;  ///< by queue
  SolutionSequence::Parts parts_;
};

/// The kernel NAME of the template NAME for the precision of the builder's call and the device of a
/// queue, with further facts.
KernelChoice template_choice(const SequenceBuilder& builder, unsigned queue,
                             const std::string& name, Facts more = {});

/// Work-items of a template's work-group: on a CPU 1, else a power of two up to 256.
std::size_t work_group_of(const Device& device);

/// A number of such work-groups, side by side.
NDRange work_groups(const Device& device, std::size_t count);

/// The geometry of a kernel that goes over n elements by FOR_MINE: on a CPU a few work-items a core
/// with long stretches each, elsewhere enough work-groups to fill the device.
NDRange stream_range(const Device& device, std::size_t n);

}  // namespace kiln::blas
