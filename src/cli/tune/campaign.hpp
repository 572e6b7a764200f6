#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/tune/subject.hpp"
#include "tune/search/campaign.hpp"

/// A campaign: searches of many subjects, one after another.
namespace kiln::cli {

/// One search of a campaign, before it is made.
struct CampaignItem {
  std::string label;  ///< "sgemm, m 64, n 64, k 64, by columns"
  blas::Call call;    ///< contiguous, no memory
  blas::BlasDevice device;
  blas::SearchPlace place;
  double weight = 1;  ///< its share of the time, relative to the others
  double share = 0;   ///< of the application's time; 0: not known
  double gain = 0;    ///< expected, as a share of this call's time; 0: not known
};

/// What is left out, for people: "saxpy (3 calls, 12.0 % of the time)" and why.
struct CampaignLeftOut {
  std::string what, reason;
};

struct Campaign {
  std::vector<CampaignItem> items;  ///< in the order in which they are searched
  std::vector<CampaignLeftOut> left_out;
  std::filesystem::path log;  ///< a tune::CampaignLog
  /// `budget` is for all searches together, `least` the smallest part of it that a search gets. A
  /// budget of 0: each search has `each`.
  std::chrono::milliseconds budget{0}, least{0}, each{0};
  /// Searches that were begun are continued, and those that are finished are not repeated.
  bool resume = false;
};

/// The searches for the calls of the file that --from names. Throws Error.
Campaign campaign_of_calls(const Context& context);
/// The searches for the usual problems (--all) that the device has no record of. Throws Error.
Campaign campaign_of_everything(const Context& context);

/// A search's name in the log: searches of one name have comparable results.
std::string subject_of(const CampaignItem& item);
/// What a campaign that is resumed has done before; with --dry-run the file is only read. Throws
/// Error.
tune::CampaignLog campaign_so_far(const Context& context, const std::filesystem::path& path);

/// Shows the plan, makes the searches, shows their results. Returns the exit code. Throws Error,
/// Interrupted.
int run_campaign(const Context& context, Campaign campaign);

}  // namespace kiln::cli
