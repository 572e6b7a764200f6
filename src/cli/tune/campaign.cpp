// A campaign as it runs: its plan is shown, the searches are made one after another, each result is
// printed. What it consists of is decided in campaign_plan.cpp.
#include "cli/tune/campaign.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.hpp"
#include "cli/command/context.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/session.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/tune/search.hpp"
#include "tune/search/campaign.hpp"
#include "tune/share/shared_search.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

std::string budget_text(milliseconds time) { return brief_time(time.count() * 1'000'000); }

/// How the time that is left is divided among the searches from `first` on.
std::vector<milliseconds> budgets(const Campaign& campaign, std::size_t first, milliseconds left) {
  std::vector<double> weights;
  for (std::size_t i = first; i < campaign.items.size(); ++i)
    weights.push_back(campaign.items[i].weight);
  if (campaign.budget.count() == 0) return {weights.size(), campaign.each};
  return tune::share_out(left, weights, campaign.least);
}

/// The result of one search.
struct SearchRow {
  std::string status, message;
  std::optional<tune::TunerResult> result;
};

class Run {
 public:
  Run(const Context& context, Campaign campaign)
      : context_(context), campaign_(std::move(campaign)), settings_(search_settings(context)) {
    // A file named by the environment or the config file would be the journal of every search.
    settings_.journal.clear();
  }

  int all() {
    if (campaign_.resume) leave_out_finished();
    rows_.resize(campaign_.items.size());
    print_plan();
    if (context_.flag("dry-run")) return 0;
    auto log = value_or_throw(tune::CampaignLog::open(campaign_.log, campaign_.resume));
    lock_ = lock_of_tuners();
    start_ = Clock::now();
    for (std::size_t i = 0; i < campaign_.items.size() && !interrupted(); ++i) one(i, log);
    if (settings_.share) await_others(log);
    if (!context_.flag("json")) print_table();
    flush_output();
    stop_if_interrupted();
    const bool failed = std::any_of(rows_.begin(), rows_.end(),
                                    [](const SearchRow& row) { return row.status == "failed"; });
    return failed ? 1 : 0;
  }

 private:
  void leave_out_finished() {
    const auto log = campaign_so_far(context_, campaign_.log);
    const auto before = campaign_.items.size();
    std::erase_if(campaign_.items,
                  [&](const CampaignItem& item) { return log.is_finished(subject_of(item)); });
    if (const auto done = before - campaign_.items.size(); done > 0)
      campaign_.left_out.push_back(
          {fmt::format("{} of {} searches", done, before), "finished before"});
  }

  /// The time of the whole campaign; 0: unlimited.
  milliseconds planned() const {
    if (campaign_.budget.count() > 0) return campaign_.budget;
    return campaign_.each * static_cast<milliseconds::rep>(campaign_.items.size());
  }
  milliseconds spent() const {
    return std::chrono::duration_cast<milliseconds>(Clock::now() - start_);
  }

  /// How much of the planned time has passed, `in_it` into search `i`. Where each search has a time
  /// of its own, those that ended early count in full.
  milliseconds done_by(std::size_t i, milliseconds in_it) const {
    if (campaign_.budget.count() > 0) return spent();
    return campaign_.each * static_cast<milliseconds::rep>(i) + std::min(in_it, campaign_.each);
  }

  void print_plan() const {
    const auto parts = budgets(campaign_, 0, campaign_.budget);
    if (context_.flag("json")) {
      for (const auto& one : campaign_.left_out)
        print_json({{"subject", one.what}, {"status", "left out"}, {"message", one.reason}});
      if (!context_.flag("dry-run")) return;
      for (std::size_t i = 0; i < parts.size(); ++i)
        print_json(json_of(i, "planned", static_cast<double>(parts[i].count()) * 1e-3));
      return;
    }
    for (const auto& one : campaign_.left_out)
      print_text(fmt::format("left out: {}: {}\n", one.what, one.reason));
    if (campaign_.items.empty()) return print_text("Nothing is left to tune.\n");
    const bool of_calls = campaign_.items.front().share > 0;
    Table table(of_calls ? std::vector<std::string>{"to tune", "share", "gain", "time", "device"}
                         : std::vector<std::string>{"to tune", "time", "device"});
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto& item = campaign_.items[i];
      const std::string time = parts[i].count() > 0 ? budget_text(parts[i]) : "none left";
      if (of_calls)
        table.row({item.label, fmt::format("{:.1f} %", item.share * 100),
                   fmt::format("{:.0f} %", item.gain * 100), time, item.device.known.name});
      else
        table.row({item.label, time, item.device.known.name});
    }
    print(table.text());
    print_text(fmt::format("{} {}, at most {}{}\n", parts.size(),
                           parts.size() == 1 ? "search" : "searches", budget_text(planned()),
                           settings_.evaluations > 0
                               ? fmt::format(" and {} evaluations each", settings_.evaluations)
                               : ""));
    flush_output();
  }

  Json json_of(std::size_t i, const std::string& status, double budget) const {
    const auto& item = campaign_.items[i];
    Json json{{"subject", item.label}, {"status", status}, {"budget_seconds", budget}};
    if (item.share > 0) json.update({{"share", item.share}, {"expected_gain", item.gain}});
    return json;
  }

  void one(std::size_t i, tune::CampaignLog& log) {
    SearchRow& row = rows_[i];
    const auto budget = budgets(campaign_, i, campaign_.budget - spent()).front();
    Json json = json_of(i, "", static_cast<double>(budget.count()) * 1e-3);
    if (budget.count() <= 0)
      row = {"no time left", "", std::nullopt};
    else
      search(i, budget, log, json);
    say(i, json);
  }

  /// Reports the result of one search as soon as it is known.
  void say(std::size_t i, Json& json) const {
    const CampaignItem& item = campaign_.items[i];
    const SearchRow& row = rows_[i];
    json["status"] = row.status;
    if (!row.message.empty()) json["message"] = row.message;
    if (context_.flag("json")) {
      print_json(json);
      flush_output();
    } else if (row.result || !row.message.empty()) {
      const auto left = std::max(milliseconds(0), planned() - done_by(i + 1, milliseconds(0)));
      complain(fmt::format("note: {} of {}: {}: {}{}; at most {} to go", i + 1,
                           campaign_.items.size(), item.label, row.status,
                           row.message.empty() ? "" : " (" + row.message + ")", budget_text(left)));
    }
  }

  void search(std::size_t i, milliseconds budget, tune::CampaignLog& log, Json& json) {
    const CampaignItem& item = campaign_.items[i];
    SearchRow& row = rows_[i];
    try {
      const tune::SearchTask task = blas::blas_task(item.call, item.device, item.place);
      tune::SearchSettings settings = settings_;
      settings.budget = budget;
      const std::string name = subject_of(item);
      // Journals that this campaign has written itself are never set aside, even with --fresh.
      settings.fresh &= !is_left_;
      value_or_throw(log.begin(name));
      const auto path = tune::journal_path(tune::journal_subject(task, settings), settings);
      const auto planned_seconds = std::max<milliseconds::rep>(1, planned().count() / 1000);
      Progress progress("tune", static_cast<std::size_t>(planned_seconds),
                        Progress::OffTerminal::lines);
      std::size_t shown = 0;
      WaitNotice waits;
      const auto listener = [&](const tune::TunerState& state) {
        const auto done = static_cast<std::size_t>(done_by(i, state.spent).count() / 1000);
        std::string note = fmt::format("{} of {}: {}, {} evaluated", i + 1, campaign_.items.size(),
                                       item.label, state.evaluated);
        if (state.best) note += ", best " + duration(state.best->outcome.time * 1e9);
        note += waits.note(state);
        progress.advance(done > shown ? done - shown : 0, note);
        shown = std::max(shown, done);
        return !interrupted();
      };
      row.result = search_one(context_, task, settings, lock_ ? &*lock_ : nullptr, listener);
      progress.hide();
      if (!context_.flag("json")) print_kernel_output(*row.result);
      json.update(json_of_search(*task.tunable, task.device.name, path, *row.result));
      row.message.clear();
      row.status = status_of(*row.result, *task.tunable);
      if (row.result->winner && !interrupted()) value_or_throw(log.finish(name));
    } catch (const Error& error) {
      // One subject that cannot be run does not stop the others.
      row = {"failed", one_line(error.message()), std::nullopt};
    }
  }

  static std::string status_of(const tune::TunerResult& result, const tune::Tunable& tunable) {
    if (interrupted()) return "stopped";
    if (result.left_to_others) return result.winner ? "tuned elsewhere" : "left to others";
    return result.winner->id == tunable.standard() ? "as built in" : "tuned";
  }

  /// Waits for the searches that were left to other machines. A search is over when one of them has
  /// finished it; where all of them have died, it is finished here.
  void await_others(tune::CampaignLog& log) {
    is_left_ = true;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      while (rows_[i].status == "left to others" && !interrupted()) {
        Json json = json_of(i, "", 0);
        try {
          await_end(i);
          if (interrupted()) return;
          search(i, milliseconds(1), log, json);
        } catch (const Error& error) {
          rows_[i] = {"failed", one_line(error.message()), std::nullopt};
        }
        if (rows_[i].status != "left to others") say(i, json);
      }
  }

  /// Waits until a machine has finished a search, or no machine works on it any more. A machine
  /// that waits does not count as working on it, so machines that wait never wait for each other.
  void await_end(std::size_t i) const {
    const CampaignItem& item = campaign_.items[i];
    const tune::SearchTask task = blas::blas_task(item.call, item.device, item.place);
    const auto of = tune::journal_subject(task, settings_);
    const auto make =
        value_or_throw(tune::shared_board(task.store, tune::SharedSearch::name_of(of)));
    const auto others = value_or_throw(tune::SharedSearch::open(make, task.tunable->space()));
    while (!interrupted() && !others->finished() && others->is_gone_on_with())
      ::poll(nullptr, 0, 1000);
  }

  void print_table() const {
    Table table({"tuned", "evaluated", "built in", "fastest", "faster by", ""});
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const SearchRow& row = rows_[i];
      const std::string& label = campaign_.items[i].label;
      if (!row.result || !row.result->winner) {
        const std::string count =
            row.result ? std::to_string(row.result->state.evaluated) : std::string("-");
        table.row({label, count, "-", "-", "-", row.status.empty() ? "not begun" : row.status});
        continue;
      }
      const auto& result = *row.result;
      table.row({label, std::to_string(result.state.evaluated),
                 result.standard > 0 ? duration(result.standard * 1e9) : "-",
                 duration(result.winner->time * 1e9), fmt::format("{:.3f}", faster_by(result)),
                 row.status});
    }
    if (table.rows() > 0) print(table.text());
  }

  const Context& context_;
  Campaign campaign_;
  tune::SearchSettings settings_;
  std::vector<SearchRow> rows_;
  Clock::time_point start_;
  std::optional<tune::MachineLock> lock_;
  bool is_left_ = false;  ///< await_others() has begun
};

}  // namespace

int run_campaign(const Context& context, Campaign campaign) {
  return Run(context, std::move(campaign)).all();
}

}  // namespace kiln::cli
