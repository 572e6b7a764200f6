#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "blas/tune/blas_tunable.hpp"
#include "kernel/calls/recorded_call.hpp"
#include "tune/conduct/campaign.hpp"

// Which calls are worth tuning, those of a record of calls and those that most users make; and
// campaigns of them.
namespace kiln::blas {

/// Calls of a record that one search serves.
struct CallToTune {
  Call call;  ///< the one with the largest share of the time; contiguous, no memory
  RecordedDevice device;
  std::uint64_t count = 0;  ///< calls, all together
  std::size_t kinds = 0;    ///< lines of the record that were merged
  double share = 0;         ///< of the time of all calls of the record, 0 to 1
  /// Work in a second (rate_of()) that was reached in the calls whose time is known; 0: of none.
  double rate = 0;
};

/// Calls of a record that no search serves.
struct CallLeftOut {
  std::string name, reason;
  std::uint64_t count = 0;
  double share = 0;
};

struct CallsToTune {
  std::vector<CallToTune> calls;  ///< the largest share first
  std::vector<CallLeftOut> left_out;
};

/// What of a record can be tuned. Merged are calls on one device that have one problem class, and
/// sizes that each differ by a quarter at most: they want the same Parameters, and strides, offsets
/// and scalars make no difference. Left out, by name and reason: other front ends' calls, routines
/// without parameters, calls shared by several queues, calls that do nothing. A line that is no
/// call of BLAS is left out, too, with what is wrong with it. Pure; knows no device.
CallsToTune calls_to_tune(const RecordedCalls& recorded);

/// A call's work in a second: floating-point operations of level 3, bytes of the others.
double rate_of(const Call& call, double seconds);

/// What part of a call's time a search is expected to save, 0 to 1: little where something is on
/// record for the class and size; where not, what the call would save at the best rate that is
/// known of the same kernels on that device; a third where either rate is unknown (0).
double expected_gain(double rate, double best_rate, bool on_record);

/// A problem that is common among users of BLAS, and its share of the time for tuning, relative to
/// the others'.
struct UsualProblem {
  Call call;  ///< contiguous, by columns, no memory
  double weight = 1;
};

/// What "everything" is for a device: docs/tuning-campaigns.md has the list. What matters most
/// comes first: products of middle size, then the other sizes, then what is built on products, then
/// matrices by vectors. Complex precisions after the real ones. `doubles`: whether the device
/// computes in double precision.
std::vector<UsualProblem> usual_problems(const TuningDevice& device, bool doubles);

// ---- Campaigns: of the calls of a record, or of all that a device lacks.

/// What a user says of a campaign.
struct CampaignRequest {
  SearchPlace place;
  std::function<std::string(const Call&)> label;    ///< a call in words
  std::optional<std::chrono::milliseconds> budget;  ///< for all searches; none: as is usual
  bool resume = false;
  bool dry_run = false;  ///< its log is only read
};

/// The searches for the calls of a record, which `file` names, what takes most of the time first.
/// `place` is for all of them where `on_one_device`, else each call's own device is looked for.
/// Throws Error.
tune::Campaign campaign_of_calls(const RecordedCalls& recorded, const std::filesystem::path& file,
                                 const CampaignRequest& request, bool on_one_device);
/// The searches for the usual problems that are asked for and the device has no record of: without
/// items and without skipped items where there is no such problem. Throws Error.
tune::Campaign campaign_of_everything(const std::function<bool(const Call&)>& is_asked_for,
                                      const CampaignRequest& request);

}  // namespace kiln::blas
