#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/tune/known_device.hpp"
#include "tune/campaign/campaign_log.hpp"

/// A campaign: searches of many subjects, one after another.
namespace kiln::cli {

/// One search of a campaign, before it is made.
struct CampaignItem {
  std::string label;  ///< "sgemm, m 64, n 64, k 64, by columns"
  blas::Call call;    ///< contiguous, no memory
  KnownDevice device;
  FindDevice find_device;
  double weight = 1;  ///< how much of the time it gets, beside the others
  double share = 0;   ///< of the application's time; 0: not known
  double gain = 0;    ///< expected; the same
};

/// What is left out, for people: "saxpy (3 calls, 12.0 % of the time)" and why.
struct CampaignLeftOut {
  std::string what, reason;
};

struct Campaign {
  std::vector<CampaignItem> items;  ///< in the order in which they are searched
  std::vector<CampaignLeftOut> left_out;
  std::filesystem::path log;  ///< a tune::CampaignLog
  /// Of all together, and of each at least; 0 for all: each has `each`.
  std::chrono::milliseconds budget{0}, least{0}, each{0};
  /// What begun searches have not come to their end is gone on with, and what is finished is not
  /// repeated.
  bool resume = false;
};

/// What a calls file asks for. Throws Error.
Campaign campaign_of_calls(const Context& context);
/// What the device lacks. Throws Error.
Campaign campaign_of_everything(const Context& context);

/// A search's name in the log: what makes results comparable.
std::string subject_of(const CampaignItem& item);
/// Where a campaign has its log: `what` tells it from others.
std::filesystem::path campaign_log_path(const std::string& what);
/// What a campaign that goes on has done before; with --dry-run the file is only read. Throws
/// Error.
tune::CampaignLog campaign_so_far(const Context& context, const std::filesystem::path& path);

/// Shows the plan, makes the searches, shows what came of them. The exit code. Throws Error,
/// Interrupted.
int run_campaign(const Context& context, Campaign campaign);

}  // namespace kiln::cli
