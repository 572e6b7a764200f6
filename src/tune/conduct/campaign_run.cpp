#include "tune/conduct/campaign_run.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "base/data/digest.hpp"
#include "base/data/text.hpp"
#include "tune/share/shared_search.hpp"

namespace kiln::tune {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

class Run {
 public:
  Run(const Campaign& campaign, SearchSettings settings, MachineLock* lock,
      const CampaignObserver& observer)
      : campaign_(campaign),
        settings_(std::move(settings)),
        lock_(lock),
        observer_(observer),
        rows_(campaign.items.size()) {
    // A file named for one search would be the journal of every search.
    settings_.journal.clear();
  }

  std::vector<CampaignRow> all() {
    auto log = value_or_throw(CampaignLog::open(campaign_.log, campaign_.resume));
    for (std::size_t i = 0; i < rows_.size() && !observer_.stops(); ++i) one(i, log);
    if (settings_.share) await_others(log);
    return std::move(rows_);
  }

 private:
  milliseconds spent() const {
    return std::chrono::duration_cast<milliseconds>(Clock::now() - start_);
  }
  /// How much of the planned time has passed, `in_it` into search `i`. Where each search has a time
  /// of its own, those that ended early count in full.
  milliseconds done_by(std::size_t i, milliseconds in_it) const {
    if (campaign_.budget.count() > 0) return spent();
    return campaign_.each * static_cast<milliseconds::rep>(i) + std::min(in_it, campaign_.each);
  }

  void one(std::size_t i, CampaignLog& log) {
    const auto budget = campaign_.parts(i, campaign_.budget - spent()).front();
    if (budget.count() <= 0)
      rows_[i].status = "no time left";
    else
      search(i, budget, log);
    tell(i, budget);
  }

  void tell(std::size_t i, milliseconds budget) const {
    if (observer_.ends)
      observer_.ends(
          i, rows_[i], budget,
          std::max(milliseconds(0), campaign_.planned() - done_by(i + 1, milliseconds(0))));
  }

  void search(std::size_t i, milliseconds budget, CampaignLog& log) {
    const CampaignItem& item = campaign_.items[i];
    CampaignRow& row = rows_[i];
    row = {};
    try {
      const SearchTask task = item.task();
      SearchSettings settings = settings_;
      settings.budget = budget;
      // Journals that this campaign has written itself are never set aside, even with --fresh.
      settings.fresh &= !is_left_;
      value_or_throw(log.begin(item.name));
      row.journal = journal_path(journal_subject(task, settings), settings);
      row.tunable = task.tunable;
      SearchObserver observer;
      observer.state = [&](const TunerState& state) {
        if (observer_.state) observer_.state(i, state, done_by(i, state.spent));
        return !observer_.stops();
      };
      observer.begins = [&](const SearchBeginning& beginning) {
        if (observer_.begins) observer_.begins(i, beginning);
      };
      row.result = conduct_search(task, settings, lock_, observer);
      row.status = status_of(*row.result, *task.tunable);
      if (row.result->winner && !observer_.stops()) value_or_throw(log.finish(item.name));
    } catch (const Error& error) {
      // One task that cannot be run does not stop the others.
      row = {"failed", one_line(error.message()), std::nullopt};
    }
  }

  std::string status_of(const TunerResult& result, const Tunable& tunable) const {
    if (observer_.stops()) return "stopped";
    if (result.left_to_others) return result.winner ? "tuned elsewhere" : "left to others";
    return result.winner->id == tunable.standard() ? "as built in" : "tuned";
  }

  void await_others(CampaignLog& log) {
    is_left_ = true;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      while (rows_[i].status == "left to others" && !observer_.stops()) {
        try {
          await_end(i);
          if (observer_.stops()) return;
          search(i, milliseconds(1), log);
        } catch (const Error& error) {
          rows_[i] = {"failed", one_line(error.message()), std::nullopt};
        }
        if (rows_[i].status != "left to others") tell(i, milliseconds(0));
      }
  }

  /// Waits until a machine has finished a search, or no machine works on it any more. A machine
  /// that waits does not count as working on it, so machines that wait never wait for each other.
  void await_end(std::size_t i) const {
    const SearchTask task = campaign_.items[i].task();
    const auto of = journal_subject(task, settings_);
    const auto make = value_or_throw(shared_board(task.store, SharedSearch::name_of(of)));
    const auto others = value_or_throw(SharedSearch::open(make, task.tunable->space()));
    while (!observer_.stops() && !others->finished() && others->is_gone_on_with())
      ::poll(nullptr, 0, 1000);
  }

  const Campaign& campaign_;
  SearchSettings settings_;
  MachineLock* lock_;
  const CampaignObserver& observer_;
  std::vector<CampaignRow> rows_;
  Clock::time_point start_ = Clock::now();
  bool is_left_ = false;  ///< await_others() has begun
};

}  // namespace

std::vector<milliseconds> Campaign::parts(std::size_t first, milliseconds left) const {
  std::vector<double> weights;
  for (std::size_t i = first; i < items.size(); ++i) weights.push_back(items[i].weight);
  if (budget.count() == 0) return {weights.size(), each};
  return share_out(left, weights, least);
}

void Campaign::leave_out_finished(const CampaignLog& done) {
  const auto before = items.size();
  std::erase_if(items, [&](const CampaignItem& item) { return done.is_finished(item.name); });
  if (const auto finished = before - items.size(); finished > 0)
    left_out.push_back({fmt::format("{} of {} searches", finished, before), "finished before"});
}

std::filesystem::path campaign_log_path(const std::string& what) {
  return journal_folder() / "campaigns" / (blake2b(as_bytes(what)).brief() + ".jsonl");
}

std::vector<CampaignRow> conduct_campaign(const Campaign& campaign, SearchSettings settings,
                                          MachineLock* lock, const CampaignObserver& observer) {
  return Run(campaign, std::move(settings), lock, observer).all();
}

}  // namespace kiln::tune
