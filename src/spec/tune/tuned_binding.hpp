#pragma once

#include "device/device.hpp"
#include "kernel/program/program.hpp"
#include "kernel/request/parameters.hpp"
#include "kernel/request/request.hpp"
#include "kernel/resolver/resolver.hpp"
#include "kiln/spec/file.hpp"

/// Tuned values of specification files: how they are kept on record, binding with them, and whether
/// a device can launch what comes of it.
namespace kiln::spec {

// ---- On record

/// The Request that a spec's records are kept under: family "spec"; the problem class is the
/// kernel's name and a digest of all that the file says about it and of the source with its
/// includes, so that a changed kernel has no record. What does not change the kernel is left out:
/// the file's name and place, its description, partition class and layout. The size is the caller's
/// to set.
Request record_request(const Spec& spec, const ExpandedSource& source);

/// How large a problem is: the bytes of all its buffers. Work-items would not do, since tuned
/// values change their number.
std::int64_t problem_size(const BoundSpec& bound);

/// A measurement as it goes on record. Its `original` holds the integer symbols of the problem
/// that it was made on ("dataset" 1024), without those that the tuned values make.
Measurement measurement_of(const Spec& spec, const BoundSpec& bound, const Parameters& parameters,
                           double seconds);

/// "TS 16, WPT 2".
std::string text_of_values(const Parameters& values);

/// The symbols that make the problem, as far as they are integers: dataset 1024, n 64.
Parameters problem_symbols(const Spec& spec, const BoundSpec& bound, const Parameters& tuned);

/// Whether values that were verified on one size may be trusted with another. Kernels and formulas
/// divide sizes by tuned values, and may be wrong where that leaves a rest: so whatever the values
/// had in common with a symbol when they were measured they must have in common with it now. (With
/// TS 16 from dataset 1024, 2048 and 48 will do, 1000 will not; from dataset 1000, whose common
/// divisor with 16 is 8, every multiple of 8 will.)
bool scales_to(const Measurement& measurement, const BoundSpec& bound);

// ---- Binding

/// Binds a spec with tuned values: each becomes the symbol of its name, where the file uses one,
/// and a macro -DNAME=value of the kernel, in place of the file's macro of that name. A symbol that
/// `symbols` sets itself keeps that value. Errors as bind().
Expected<BoundSpec> bind_with(const Spec& spec, const Symbols& symbols,
                              const Parameters& parameters, const BindOptions& options = {});

/// What a bound spec has for a name now: its macro's value, else its symbol's; nothing where that
/// is no integer.
std::optional<std::int64_t> whole_value(const BoundSpec& bound, const std::string& name);

/// Whether a device can launch a bound spec, as far as that shows before anything is compiled: the
/// work-group's shape, the local memory that the file declares, the buffers. The error says which
/// bound is broken.
Expected<void> check_device_fit(const BoundSpec& bound, const Device& device);

/// The same of the compiled kernel: the work-group that its registers allow, and its own local
/// memory in addition to the file's. Throws kiln::Error where the driver does not answer.
Expected<void> check_kernel_fit(const BoundSpec& bound, const Program& program,
                                const std::string& kernel);

/// A run that may use values on record.
struct TunedQuestion {
  const Spec& spec;
  const ExpandedSource& source;
  const Symbols& symbols;
  BindOptions bind_options;
  std::vector<DevicePtr> working;  ///< the devices that get a share of the work
  std::vector<DevicePtr> all;      ///< those that must be able to launch it, working or not
  /// What else the user fixed that was not so when values were measured ("--local-size"); empty:
  /// nothing. Then nothing on record is used.
  std::string fixed;
};

/// The answer to it.
struct TunedAnswer {
  std::optional<BoundSpec> bound;  ///< with the values; none where the run stays as the file has it
  ChosenParameters chosen;  ///< the values and their record; no values where there is no `bound`
  std::string unused;       ///< why values on record are not used; empty where there are none
};

/// Looks up what `kiln tune` has put on record for a spec's kernel and binds the spec with it.
/// Values are used only where all of this holds: they fit what the user set, the formulas can be
/// worked out with them, they were verified on a size from which this one follows (scales_to),
/// every device can launch the result, and all working devices have the same ones on record.
/// `untuned` is the spec's binding without them, where it has one. Costs a look-up in the
/// Resolver's memory, or once in a process in the store, for each kind of device.
TunedAnswer find_tuned(Resolver& resolver, const TunedQuestion& question,
                       const Expected<BoundSpec>& untuned);

/// Whether a symbol that the file uses has no value, neither its own nor the caller's: then values
/// on record may be all that it needs.
bool lacks_symbols(const Spec& spec, const Symbols& symbols);

}  // namespace kiln::spec
