#pragma once

#include "kernel/request/parameters.hpp"
#include "kernel/request/request.hpp"
#include "kiln/spec/file.hpp"

/// How tuned values of specification files are kept on record.
namespace kiln::spec {

/// The Request that a spec's records are kept under: family "spec"; the problem class is the
/// kernel's name and a digest of all that the file says about it and of the source with its
/// includes, so that a changed kernel has no record. What does not change the kernel is left out:
/// the file's name and place, its description, partition class and layout. The size is the caller's
/// to set.
Request record_request(const Spec& spec, const ExpandedSource& source);

/// How large a problem is: the bytes of all its buffers. Work-items would not do, since tuned
/// values change their number.
std::int64_t problem_size(const BoundSpec& bound);

/// A measurement as it goes on record. Its `original` holds the whole symbols of the problem that
/// it was made on ("dataset" 1024), without those that the tuned values make.
Measurement measurement_of(const Spec& spec, const BoundSpec& bound, const Parameters& parameters,
                           double seconds);

/// "dataset 1024, n 64": the whole symbols that make the problem.
Parameters problem_symbols(const Spec& spec, const BoundSpec& bound, const Parameters& tuned);

/// Whether values that were verified on one size may be trusted with another. Kernels and formulas
/// divide sizes by tuned values, and may be wrong where that leaves a rest: so whatever the values
/// had in common with a symbol when they were measured they must have in common with it now. (With
/// TS 16 from dataset 1024, 2048 and 48 will do, 1000 will not; from dataset 1000, whose common
/// divisor with 16 is 8, every multiple of 8 will.)
bool scales_to(const Measurement& measurement, const BoundSpec& bound);

}  // namespace kiln::spec
