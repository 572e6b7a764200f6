// Self-scheduling for CoRun: chunks of work-groups, large at first and shrinking (HGuided, after
// "Maat" and "EngineCL": chunk = what is left × a device's share of the speed / 2).
#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>

#include "base/clock.hpp"
#include "schedule/co_run.hpp"

namespace kiln {
namespace {

/// Hands out chunks; shared by the devices' threads.
class ChunkSource {
 public:
  ChunkSource(std::size_t groups, std::vector<double> speeds)
      : left_(groups), groups_(groups), speeds_(std::move(speeds)) {
    // Below this a launch costs more than its work spreads.
    least_ = std::max<std::size_t>(1, groups / 64);
  }

  /// The next chunk for a device, empty at the end. `last` and `took_ns` are its previous one.
  Part next(std::size_t device, std::size_t last, std::int64_t took_ns) {
    const std::lock_guard lock(mutex_);
    if (last > 0 && took_ns > 0) {
      const double measured = static_cast<double>(last) / static_cast<double>(took_ns);
      // Guesses are in compute units: the first measurement gives the others their scale.
      if (!measured_) {
        const double scale = measured / speeds_[device];
        for (auto& speed : speeds_) speed *= scale;
        measured_ = true;
      }
      speeds_[device] = measured;
    }
    double total = 0;
    for (const double speed : speeds_) total += speed;
    const double share = total > 0 ? speeds_[device] / total : 1.0;
    auto size = static_cast<std::size_t>(static_cast<double>(left_) * share / 2);
    size = std::min(left_, std::max(size, least_));
    const std::size_t begin = groups_ - left_;
    left_ -= size;
    return {begin, begin + size};
  }

 private:
  std::mutex mutex_;
  std::size_t left_, groups_, least_;
  std::vector<double> speeds_;
  bool measured_ = false;
};

/// Where a chunk of one device meets one of another.
std::vector<std::size_t> cuts_between(const std::vector<std::vector<Part>>& done) {
  std::map<std::size_t, std::size_t> owners;  // by a chunk's first group
  for (std::size_t i = 0; i < done.size(); ++i)
    for (const auto& part : done[i]) owners[part.begin] = i;
  std::vector<std::size_t> cuts;
  for (auto at = owners.begin(); at != owners.end(); ++at)
    if (at != owners.begin() && std::prev(at)->second != at->second) cuts.push_back(at->first);
  return cuts;
}

}  // namespace

RunReport CoRun::run_dynamic() {
  if (placements_.size() == 1) return run_on(0);
  if (!refusal().empty()) return fall_back(0, refusal(), false);

  const Finisher finisher(*this);
  std::vector<std::size_t> active(placements_.size());
  for (std::size_t i = 0; i < active.size(); ++i) active[i] = i;
  // Nobody knows yet where the chunks will end: any cut must be known to be right.
  const bool in_place =
      conflict_free_step_ == 1 && may_run_in_place(std::vector<Part>(active.size(), {0, groups()}));
  const std::size_t owner = pick_owner(active);
  const auto target = [&](std::size_t i) {
    return in_place || i == owner ? Placement::Target::result : Placement::Target::own;
  };
  const auto started = now_ns();
  const Placement::Ranges whole(job_.arguments.size());
  for (const std::size_t i : active)
    start(i, target(i), whole,
          i == owner || !in_place ? Placement::Reset::yes : Placement::Reset::no);

  std::vector<double> speeds;
  for (const auto& placement : placements_) speeds.push_back(placement->device().compute_units);
  ChunkSource chunks(groups(), speeds);
  std::vector<std::vector<Part>> done(placements_.size());
  std::vector<std::exception_ptr> errors(placements_.size());
  const auto work = [&](std::size_t i) {
    try {
      auto& placement = *placements_[i];
      std::size_t last = 0;
      std::int64_t took = 0;
      for (;;) {
        const Part part = chunks.next(i, last, took);
        if (part.empty()) break;
        const auto chunk_started = now_ns();
        placement.launch(part_range(job_.range, part));
        placement.finish();
        took = now_ns() - chunk_started;
        last = part.groups();
        done[i].push_back(part);
      }
      placement.download(target(i), whole);
      placement.finish();
    } catch (...) {
      errors[i] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < placements_.size(); ++i) threads.emplace_back(work, i);
    work(0);
  }
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);

  // A device that came too late for any chunk has changed nothing, and merges as such.
  const auto cuts = cuts_between(done);
  std::vector<HostArray> owners;
  if (!in_place && needs_confirmation(cuts)) owners = copy_results();
  Merged merged;
  if (!in_place) merged = merge(active, owner);
  RunReport report;
  report.wall_ns = now_ns() - started;
  report.merged = !in_place;
  std::size_t busy = 0;
  for (const std::size_t i : active) {
    std::size_t all = 0;
    for (const auto& part : done[i]) all += part.groups();
    busy += all > 0;
    report_device(report, i, all);
  }
  report.split = busy > 1;
  return settle(std::move(report), std::move(merged), done, owners, owner, cuts);
}

}  // namespace kiln
