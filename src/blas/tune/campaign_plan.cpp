#include "blas/tune/campaign_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace kiln::blas {
namespace {

using std::chrono::milliseconds;

/// The least time of a search: less is spent on starting its processes.
constexpr milliseconds least_budget = std::chrono::seconds(10);
/// The time of each search of --all where --budget is not given.
constexpr milliseconds usual_budget = std::chrono::minutes(2);

/// Calls with the same text use the same kernels, so that their rates can be compared.
std::string kernels_of(const Call& call) { return tuned_family(call) + letter(call.precision); }

std::string calls_text(std::uint64_t count, double share) {
  return fmt::format("{} {}, {:.1f} % of the time", count, count == 1 ? "call" : "calls",
                     share * 100);
}

/// A search's name in the log: searches of one name have comparable results.
std::string subject_of(const Call& call, const BlasDevice& device) {
  const auto request = tuned_request(call, device.facts);
  return fmt::format("{} {} {} m {} n {} k {} on {}", request.family,
                     family_version(request.family), request.problem_class, call.m, call.n, call.k,
                     device.known.speed_identity);
}

/// A call with what a plan knows of it.
struct Planned {
  Call call;
  BlasDevice device;
  SearchPlace place;
  double weight = 1, share = 0, gain = 0, rate = 0;
};

tune::CampaignItem item_of(const Planned& one, const CampaignRequest& request) {
  return {request.label(one.call),
          subject_of(one.call, one.device),
          one.device.known.name,
          [call = one.call, device = one.device, place = one.place] {
            return blas_task(call, device, place);
          },
          one.weight,
          one.share,
          one.gain};
}

/// The devices of a record's calls, each looked at once.
class Devices {
 public:
  struct One {
    SearchPlace place;
    std::optional<BlasDevice> known;
    std::string reason;  ///< why it is not known
  };
  Devices(const SearchPlace& place, bool on_one_device) : place_(place) {
    if (!on_one_device) return;
    chosen_ = look(place_);
    if (!chosen_->known) throw Error(Errc::not_found, chosen_->reason);
  }
  const One& of(const RecordedDevice& recorded) {
    if (chosen_) return *chosen_;
    auto& one = known_[recorded.fingerprint + fmt::format("/{}", recorded.units)];
    if (!one) {
      auto place = place_;
      place.find_device = [recorded] {
        return value_or_throw(find_devices(std::span(&recorded, 1))).front();
      };
      one = look(std::move(place));
    }
    return *one;
  }

 private:
  static One look(SearchPlace place) {
    try {
      auto known = look_at_blas_device(place.find_device);
      return {std::move(place), std::move(known), ""};
    } catch (const Error& error) {
      return {std::move(place), std::nullopt, error.message()};
    }
  }
  SearchPlace place_;
  std::optional<One> chosen_;
  std::map<std::string, std::optional<One>> known_;
};

/// Sets the gain and the weight. For each device the best known rate of a kernel, from the recorded
/// calls and from its tuning records, is what a call could reach.
void weigh(std::vector<Planned>& all) {
  std::map<std::string, std::vector<Planned*>> by_device;
  for (auto& one : all) by_device[one.device.known.speed_identity].push_back(&one);
  for (const auto& [device, planned] : by_device) {
    std::vector<Call> calls;
    for (const auto* one : planned) calls.push_back(one->call);
    const auto records = look_at_records(planned.front()->place, calls);
    std::map<std::string, double> best;
    for (std::size_t i = 0; i < planned.size(); ++i) {
      double& known = best[kernels_of(calls[i])];
      known = std::max({known, planned[i]->rate, records[i].best_rate});
    }
    for (std::size_t i = 0; i < planned.size(); ++i) {
      Planned& one = *planned[i];
      one.gain = expected_gain(one.rate, best[kernels_of(calls[i])], records[i].is_near);
      one.weight = one.share * one.gain;
    }
  }
}

void set_budget(tune::Campaign& campaign, const CampaignRequest& request) {
  campaign.resume = request.resume;
  campaign.each = usual_budget;
  if (!request.budget) return;
  campaign.budget = *request.budget;
  campaign.least = std::min(least_budget, campaign.budget);
}

/// What a campaign that is resumed has done before; nothing of a new one.
std::optional<tune::CampaignLog> log_so_far(const tune::Campaign& campaign, bool dry_run) {
  if (!campaign.resume) return std::nullopt;
  return value_or_throw(dry_run ? tune::CampaignLog::read(campaign.log)
                                : tune::CampaignLog::open(campaign.log, true));
}

}  // namespace

tune::Campaign campaign_of_calls(const RecordedCalls& recorded, const std::filesystem::path& file,
                                 const CampaignRequest& request, bool on_one_device) {
  const auto found = calls_to_tune(recorded);
  tune::Campaign campaign;
  for (const auto& one : found.left_out)
    campaign.left_out.push_back(
        {fmt::format("{} ({})", one.name, calls_text(one.count, one.share)), one.reason});
  Devices devices(request.place, on_one_device);
  std::vector<Planned> planned;
  for (const auto& one : found.calls) {
    const auto& device = devices.of(one.device);
    if (!device.known) {
      campaign.left_out.push_back(
          {fmt::format("{} ({})", request.label(one.call), calls_text(one.count, one.share)),
           device.reason});
      continue;
    }
    // A rate reached on another device says nothing about this one.
    const bool is_its_own = device.known->known.recorded.fingerprint == one.device.fingerprint;
    planned.push_back(
        {one.call, *device.known, device.place, 1, one.share, 0, is_its_own ? one.rate : 0});
  }
  weigh(planned);
  std::stable_sort(planned.begin(), planned.end(),
                   [](const auto& a, const auto& b) { return a.weight > b.weight; });
  for (const auto& one : planned) campaign.items.push_back(item_of(one, request));
  set_budget(campaign, request);
  std::error_code error;
  const auto path = std::filesystem::weakly_canonical(file, error);
  campaign.log = tune::campaign_log_path("calls " + (error ? file : path).string());
  if (const auto log = log_so_far(campaign, request.dry_run)) campaign.leave_out_finished(*log);
  return campaign;
}

tune::Campaign campaign_of_everything(const std::function<bool(const Call&)>& is_asked_for,
                                      const CampaignRequest& request) {
  const auto device = look_at_blas_device(request.place.find_device);
  std::vector<Planned> all;
  for (auto& problem : usual_problems(device.facts, device.known.doubles))
    if (is_asked_for(problem.call))
      all.push_back({problem.call, device, request.place, problem.weight, 0, 0, 0});
  tune::Campaign campaign;
  set_budget(campaign, request);
  if (all.empty()) return campaign;
  std::vector<Call> calls;
  for (const auto& one : all) calls.push_back(one.call);
  const auto records = look_at_records(request.place, calls);
  campaign.log = tune::campaign_log_path("everything on " + device.known.speed_identity);
  const auto log = log_so_far(campaign, request.dry_run);
  std::size_t known = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto item = item_of(all[i], request);
    // A search that was begun may have its best so far on record, which is not yet its result.
    const bool is_unfinished = log && log->has_begun(item.name) && !log->is_finished(item.name);
    if (records[i].is_near && !is_unfinished)
      ++known;
    else
      campaign.items.push_back(std::move(item));
  }
  if (known > 0)
    campaign.left_out.push_back({fmt::format("{} of {} problems", known, calls.size()),
                                 "on record for this device, driver and version"});
  if (log) campaign.leave_out_finished(*log);
  return campaign;
}

}  // namespace kiln::blas
