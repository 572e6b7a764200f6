#pragma once

#include <memory>
#include <string>

#include "blas/call/call.hpp"
#include "kernel/request/parameters.hpp"
#include "tune/measure/bench.hpp"

// What the tuner measures BLAS with: runs of a call on operands of its own.
namespace kiln::blas {

/// A call with the Parameters of a space's configurations, on random inputs. The reference is what
/// it writes with `defaults`. Throws kiln::Error.
std::unique_ptr<tune::Subject> make_blas_subject(const Call& call, const Request& request,
                                                 const tune::SearchSpace& space,
                                                 const Parameters& defaults, Resolver& resolver,
                                                 const Queue& queue);

/// Compiles the kernels that a call takes with the Parameters of a space's configurations. No
/// memory of operands is touched.
tune::Compile make_blas_compiler(const Call& call, const std::string& family,
                                 const tune::SearchSpace& space, Resolver& resolver,
                                 const Queue& queue);

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
