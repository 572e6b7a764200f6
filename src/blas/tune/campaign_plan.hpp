#pragma once

#include <functional>
#include <optional>

#include "blas/tune/blas_task.hpp"
#include "kernel/calls/recorded_call.hpp"
#include "tune/conduct/campaign_run.hpp"

// What campaigns of BLAS consist of: the calls of a record, or all that a device lacks.
namespace kiln::blas {

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
