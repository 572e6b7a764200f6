#include "tune/conduct/campaign.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/data/digest.hpp"
#include "base/data/text.hpp"
#include "base/expected.hpp"
#include "tune/search/journal.hpp"
#include "tune/share/shared_search.hpp"

namespace kiln::tune {

// ---- The log

namespace {

using Json = nlohmann::ordered_json;
constexpr std::uint64_t most_log_bytes = std::uint64_t{64} << 20;
constexpr std::string_view log_head = R"({"kiln tuning campaign":1})";

FileDescriptor open_log(const std::filesystem::path& path) {
  return value_or_throw(open_alone(
      path,
      Error(Errc::bad_input,
            fmt::format("{}: not a regular file; expected a campaign's log or a new file",
                        one_line(path.string()))),
      "runs this campaign"));
}

}  // namespace

std::size_t CampaignLog::take_in() {
  const std::string text = value_or_throw(read_text(path_, most_log_bytes));
  std::size_t good = 0, number = 0;
  for (std::size_t end; (end = text.find('\n', good)) != text.npos; good = end + 1) {
    const std::string line = text.substr(good, end - good);
    const auto wrong = [&](std::string_view expected) {
      return Error(Errc::bad_input,
                   fmt::format("{}: line {}: found '{}', expected {}", path_.string(), number,
                               one_line(line.substr(0, 80)), expected));
    };
    if (++number == 1) {
      if (line != log_head) throw wrong(log_head);
      continue;
    }
    const Json json = parsed_line(line);
    const auto text_of = [&](const char* name) {
      return json.is_object() && json.contains(name) && json[name].is_string()
                 ? json[name].get<std::string>()
                 : std::string();
    };
    if (const auto begun = text_of("begun"); !begun.empty())
      begun_.insert(begun);
    else if (const auto finished = text_of("finished"); !finished.empty())
      finished_.insert(finished);
    else
      throw wrong("an object with 'begun' or 'finished'");
  }
  return good;
}

Expected<CampaignLog> CampaignLog::read(const std::filesystem::path& path) {
  return expected_from([&] {
    CampaignLog log(path, FileDescriptor());
    std::error_code error;
    if (std::filesystem::exists(path, error) || error) log.take_in();
    return log;
  });
}

Expected<CampaignLog> CampaignLog::open(const std::filesystem::path& path, bool resume) {
  return expected_from([&] {
    // Where the folder cannot be made, the file says why.
    std::error_code absent;
    std::filesystem::create_directories(path.parent_path(), absent);
    CampaignLog log(path, open_log(path));
    // More than a head says what an earlier campaign has come to: that is not for us to destroy.
    struct stat status {};
    if (!resume && ::fstat(log.file_.get(), &status) == 0 &&
        status.st_size > static_cast<off_t>(log_head.size() + 1)) {
      value_or_throw(rename_aside(path));
      log.file_ = open_log(path);
    }
    const std::size_t good = resume ? log.take_in() : 0;
    // What follows the last whole line was in flight.
    if (::ftruncate(log.file_.get(), static_cast<off_t>(good)) != 0)
      throw io_error("truncate", path, errno);
    if (good == 0)
      value_or_throw(write_all(log.file_.get(), as_bytes(std::string(log_head) + "\n"), path));
    return log;
  });
}

Expected<void> CampaignLog::add(const char* what, const std::string& subject) {
  const Json json{{what, subject}};
  return write_all(file_.get(), as_bytes(dumped(json) + "\n"), path_);
}

Expected<void> CampaignLog::begin(const std::string& subject) {
  if (!begun_.insert(subject).second) return {};
  return add("begun", subject);
}

Expected<void> CampaignLog::finish(const std::string& subject) {
  if (!finished_.insert(subject).second) return {};
  return add("finished", subject);
}

std::vector<std::chrono::milliseconds> share_out(std::chrono::milliseconds time,
                                                 std::span<const double> weights,
                                                 std::chrono::milliseconds least) {
  std::vector<std::chrono::milliseconds> parts(weights.size(), std::chrono::milliseconds(0));
  // Below zero where more than there was has been spent.
  const auto unit = std::max(least, std::chrono::milliseconds(1));
  const auto enough = time < unit ? 0 : static_cast<std::size_t>(time / unit);
  const std::size_t count = std::min(enough, weights.size());
  // A search that would get less than the least gets the least. The others share the rest by their
  // weights, which may bring another one below the least, so this is repeated.
  std::vector<bool> has_least(count, false);
  for (bool changed = true; changed;) {
    changed = false;
    double sum = 0;
    std::chrono::milliseconds left = time;
    for (std::size_t i = 0; i < count; ++i) {
      if (has_least[i])
        left -= least;
      else
        sum += std::max(weights[i], 0.0);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (has_least[i]) continue;
      const double part = sum > 0 ? std::max(weights[i], 0.0) / sum : 0;
      parts[i] = std::chrono::milliseconds(static_cast<std::chrono::milliseconds::rep>(
          std::floor(static_cast<double>(left.count()) * part)));
      if (parts[i] >= least) continue;
      parts[i] = least;
      has_least[i] = changed = true;
    }
  }
  return parts;
}

// ---- The searches

namespace {

class Run {
 public:
  using milliseconds = std::chrono::milliseconds;
  using Clock = std::chrono::steady_clock;

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

std::vector<Campaign::milliseconds> Campaign::parts(std::size_t first, milliseconds left) const {
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
