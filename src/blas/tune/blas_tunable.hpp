#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "blas/call/call.hpp"
#include "kernel/resolver/generator.hpp"
#include "tune/conduct/search_processes.hpp"
#include "tune/measure/bench.hpp"

// Which Parameters of a routine can be tuned on a device, the searches for them, and what measures
// their configurations: runs of a call on operands of its own.
namespace kiln::blas {

/// What of a device decides which Parameters its kernels may have: plain data, so that a process
/// that must not load a driver can have it.
struct TuningDevice {
  bool is_cpu = false;
  unsigned native_floats = 1;
  std::string gemm_form;  ///< of GemmGenerator: "cpu", "sm90"
  unsigned compute_units = 1;

  static TuningDevice of(const Device& device);
};

/// The search for the fastest Parameters of a routine, for calls of this class and about this size.
/// `call` has sizes and options, no memory. The space holds what the family's Generator accepts.
/// The reference is the same call with the Generator's defaults; results may differ by the rounding
/// of sums in another order. Errors: unsupported for a routine without Parameters.
Expected<std::unique_ptr<tune::Tunable>> make_blas_tunable(const Call& call,
                                                           const TuningDevice& device);

/// The family of the kernels whose Parameters decide how fast a routine is: "blas.gemm" for level
/// 3, which is built on products, "blas.mv_n" or "blas.mv_t" for gemv, "blas.solve" for trsv, tpsv
/// and tbsv. Empty for routines without.
std::string tuned_family(const Call& call);
std::int64_t family_version(const std::string& family);

/// The Request for such kernels, as a solution sequence makes it, for what a Generator says of
/// Parameters.
Request tuned_request(const Call& call, const TuningDevice& device);

// ---- What measures

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

// ---- Calls as searches: for which device, and what is on record for them. Drivers are loaded in
// child processes only (tune::look_at_device).

/// A device, as far as searches of BLAS must know it.
struct BlasDevice {
  tune::KnownDevice known;
  TuningDevice facts;
};
/// As tune::look_at_device().
BlasDevice look_at_blas_device(const tune::FindDevice& find_device);

/// Where searches are made: what their SearchTasks share.
struct SearchPlace {
  tune::FindDevice find_device;
  StoreSettings store;
  CompilePolicy compile = CompilePolicy::apart;
};
/// The search for a call. Throws Error.
tune::SearchTask blas_task(const Call& call, const BlasDevice& device, const SearchPlace& place);

/// Kiln's own measurements of a call that the stores have on record.
struct OnRecord {
  bool is_near = false;  ///< of the call's problem class, for a size within a quarter
  /// The best blas::rate_of() of the class; sizes are taken for those of square matrices.
  double best_rate = 0;
};
/// What is on record of each call, for this device, driver and version of the generators. Throws
/// Error.
std::vector<OnRecord> look_at_records(const SearchPlace& place, std::span<const Call> calls);

}  // namespace kiln::blas
