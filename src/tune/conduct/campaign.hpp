#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/os/file.hpp"
#include "tune/conduct/conduct.hpp"

/// A campaign: searches of many tasks, one after another, which share a time, and with other
/// machines the work; its log, by which it can be resumed, and how the time is divided.
namespace kiln::tune {

/// Which searches of a campaign have begun, and which have come to their end: a line of JSON each,
/// written as it happens. What each has measured is in its own Journal. One process at a time has
/// it (flock). A last line that was cut is dropped; docs/formats/tuning.md has the layout.
class CampaignLog {
 public:
  /// Opens or makes the file. With `resume` the campaign of an existing file goes on;
  /// without, that file gets another name (rename_aside), and a new one begins. Errors: io;
  /// bad_input for a file that is no such log (to be resumed); unsupported where another process
  /// has it.
  static Expected<CampaignLog> open(const std::filesystem::path& path, bool resume);
  /// What a file says so far, which is not touched: no lock, and nothing can be added. A file that
  /// is not there says nothing. Errors: io; bad_input as above.
  static Expected<CampaignLog> read(const std::filesystem::path& path);

  /// Subjects are named by what makes their results comparable: identity and device.
  bool has_begun(const std::string& subject) const { return begun_.contains(subject); }
  bool is_finished(const std::string& subject) const { return finished_.contains(subject); }
  Expected<void> begin(const std::string& subject);
  Expected<void> finish(const std::string& subject);

 private:
  CampaignLog(std::filesystem::path path, FileDescriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}
  /// How many bytes were whole lines.
  std::size_t take_in();
  Expected<void> add(const char* what, const std::string& subject);

  std::filesystem::path path_;
  FileDescriptor file_;
  std::set<std::string> begun_, finished_;
};

/// How a time is shared out among searches by their weights (0 or more), where none gets less than
/// `least`. Where the time is not enough for all, the first ones get `least` each and the rest 0.
/// The sum is never more than `time`. As many numbers as weights.
std::vector<std::chrono::milliseconds> share_out(std::chrono::milliseconds time,
                                                 std::span<const double> weights,
                                                 std::chrono::milliseconds least);

/// One search of a campaign, before it is made.
struct CampaignItem {
  std::string label;  ///< "sgemm, m 64, n 64, k 64, by columns"
  std::string name;   ///< in the log: searches of one name have comparable results
  std::string device;
  std::function<SearchTask()> task;  ///< may throw Error
  double weight = 1;                 ///< its share of the time, relative to the others
  double share = 0;                  ///< of the application's time; 0: not known
  double gain = 0;                   ///< expected, as a share of this call's time; 0: not known
};

/// What is left out, for people: "saxpy (3 calls, 12.0 % of the time)" and why.
struct CampaignLeftOut {
  std::string what, reason;
};

struct Campaign {
  using milliseconds = std::chrono::milliseconds;
  std::vector<CampaignItem> items;  ///< in the order in which they are searched
  std::vector<CampaignLeftOut> left_out;
  std::filesystem::path log;  ///< a CampaignLog
  /// `budget` is for all searches together, `least` the smallest part of it that a search gets. A
  /// budget of 0: each search has `each`.
  milliseconds budget{0}, least{0}, each{0};
  /// Searches that were begun are continued, and those that are finished are not repeated.
  bool resume = false;

  /// The time of the whole campaign; 0: unlimited.
  milliseconds planned() const {
    return budget.count() > 0 ? budget : each * static_cast<milliseconds::rep>(items.size());
  }
  /// How the time that is left is divided among the searches from `first` on.
  std::vector<milliseconds> parts(std::size_t first, milliseconds left) const;
  /// Moves what the log of a campaign that is resumed calls finished to the skipped items.
  void leave_out_finished(const CampaignLog& done);
};

/// Where the log of a campaign is; `what` distinguishes campaigns. Throws Error (bad_input).
std::filesystem::path campaign_log_path(const std::string& what);

/// What one search of a campaign came to.
struct CampaignRow {
  /// "tuned", "as built in", "stopped", "failed", "no time left", "tuned elsewhere", "left to
  /// others"; empty: not begun.
  std::string status, message;
  std::optional<TunerResult> result;
  std::filesystem::path journal = {};                ///< of a search that was begun
  std::shared_ptr<const Tunable> tunable = nullptr;  ///< the same
};

/// What whoever watches a campaign hears of it, by the item's place.
struct CampaignObserver {
  std::function<bool()> stops = [] { return false; };  ///< asked between steps
  /// `done`: how much of the planned time has passed.
  std::function<void(std::size_t, const TunerState&, std::chrono::milliseconds done)> state;
  std::function<void(std::size_t, const SearchBeginning&)> begins;
  /// `left`: of the planned time; `budget`: what the search had of it.
  std::function<void(std::size_t, const CampaignRow&, std::chrono::milliseconds budget,
                     std::chrono::milliseconds left)>
      ends;
};

/// Makes the searches of a campaign; one that fails does not stop the others. With
/// settings.share, waits in the end for those that were left to other machines: a search is over
/// when one of them has finished it; where all of them have died, it is finished here. Returns a
/// row for each item. Throws Error.
std::vector<CampaignRow> conduct_campaign(const Campaign& campaign, SearchSettings settings,
                                          MachineLock* lock, const CampaignObserver& observer);

}  // namespace kiln::tune
