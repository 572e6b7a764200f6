// What campaigns consist of: the calls of a record, or all that a device lacks.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "blas/tune/blas_tunable.hpp"
#include "blas/tune/calls_to_tune.hpp"
#include "cli/blas/call_options.hpp"
#include "cli/calls/recorded_calls.hpp"
#include "cli/command/context.hpp"
#include "cli/output/output.hpp"
#include "cli/tune/campaign.hpp"
#include "cli/tune/commands.hpp"
#include "cli/tune/search.hpp"

namespace kiln::cli {
namespace {

using std::chrono::milliseconds;

/// The least time of a search: less is spent on starting its processes.
constexpr milliseconds least_budget = std::chrono::seconds(10);
/// The time of each search of --all where --budget is not given.
constexpr milliseconds usual_budget = std::chrono::minutes(2);

bool is_given(const Context& context, std::string_view option) {
  return context.has(option) && context.origin(option).from != Origin::From::fallback;
}

/// Calls with the same text use the same kernels, so that their rates can be compared.
std::string kernels_of(const blas::Call& call) {
  return blas::tuned_family(call) + blas::letter(call.precision);
}

std::string calls_text(std::uint64_t count, double share) {
  return fmt::format("{} {}, {:.1f} % of the time", count, count == 1 ? "call" : "calls",
                     share * 100);
}

/// The devices of a record's calls, each looked at once.
class Devices {
 public:
  struct One {
    blas::SearchPlace place;
    std::optional<blas::BlasDevice> known;
    std::string reason;  ///< why it is not known
  };
  explicit Devices(const Context& context) : place_(search_place(context)) {
    if (!context.has("device")) return;
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
  static One look(blas::SearchPlace place) {
    try {
      auto known = blas::look_at_blas_device(place.find_device);
      return {std::move(place), std::move(known), ""};
    } catch (const Error& error) {
      return {std::move(place), std::nullopt, error.message()};
    }
  }
  blas::SearchPlace place_;
  std::optional<One> chosen_;
  std::map<std::string, std::optional<One>> known_;
};

/// Sets the gain and the weight of the items. For each device the best known rate of a kernel, from
/// the recorded calls and from its tuning records, is what a call could reach.
void weigh(std::vector<CampaignItem>& items, const std::vector<double>& rates) {
  std::map<std::string, std::vector<std::size_t>> by_device;
  for (std::size_t i = 0; i < items.size(); ++i)
    by_device[items[i].device.known.speed_identity].push_back(i);
  for (const auto& [device, places] : by_device) {
    std::vector<blas::Call> calls;
    for (const auto place : places) calls.push_back(items[place].call);
    const auto records = blas::look_at_records(items[places.front()].place, calls);
    std::map<std::string, double> best;
    for (std::size_t i = 0; i < places.size(); ++i) {
      double& known = best[kernels_of(calls[i])];
      known = std::max({known, rates[places[i]], records[i].best_rate});
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      CampaignItem& item = items[places[i]];
      item.gain =
          blas::expected_gain(rates[places[i]], best[kernels_of(calls[i])], records[i].is_near);
      item.weight = item.share * item.gain;
    }
  }
}

/// The log of a campaign; `what` distinguishes campaigns.
std::filesystem::path campaign_log_path(const std::string& what) {
  return tune::journal_folder() / "campaigns" / (blake2b(as_bytes(what)).brief() + ".jsonl");
}

/// Whether the routine and --precision of `kiln tune --all` name this call.
bool is_asked_for(const Context& context, const blas::Call& call) {
  if (!context.arguments().empty()) {
    const std::string& word = context.arguments().front();
    const auto name = name_of(call.routine);
    if (word != name && word != std::string(1, blas::letter(call.precision)) + std::string(name))
      return false;
  }
  return !is_given(context, "precision") ||
         context.text("precision").front() == blas::letter(call.precision);
}

}  // namespace

std::string subject_of(const CampaignItem& item) {
  const auto request = blas::tuned_request(item.call, item.device.facts);
  return fmt::format("{} {} {} m {} n {} k {} on {}", request.family,
                     blas::family_version(request.family), request.problem_class, item.call.m,
                     item.call.n, item.call.k, item.device.known.speed_identity);
}

tune::CampaignLog campaign_so_far(const Context& context, const std::filesystem::path& path) {
  return value_or_throw(context.flag("dry-run") ? tune::CampaignLog::read(path)
                                                : tune::CampaignLog::open(path, true));
}

Campaign campaign_of_calls(const Context& context) {
  const std::string& file = context.text("from");
  const auto recorded = value_or_throw(read_calls(file));
  if (recorded.lines_cut > 0)
    complain(fmt::format("note: {}: {} lines were cut short, and are left out", one_line(file),
                         recorded.lines_cut));
  const auto found = blas::calls_to_tune(recorded);
  Campaign campaign;
  for (const auto& one : found.left_out)
    campaign.left_out.push_back(
        {fmt::format("{} ({})", one.name, calls_text(one.count, one.share)), one.reason});
  Devices devices(context);
  std::vector<double> rates;
  for (const auto& one : found.calls) {
    const std::string label = text_of(one.call);
    const auto& device = devices.of(one.device);
    if (!device.known) {
      campaign.left_out.push_back(
          {fmt::format("{} ({})", label, calls_text(one.count, one.share)), device.reason});
      continue;
    }
    // A rate reached on another device says nothing about this one.
    rates.push_back(device.known->known.recorded.fingerprint == one.device.fingerprint ? one.rate
                                                                                       : 0);
    campaign.items.push_back({label, one.call, *device.known, device.place, 1, one.share, 0});
  }
  weigh(campaign.items, rates);
  std::stable_sort(campaign.items.begin(), campaign.items.end(),
                   [](const auto& a, const auto& b) { return a.weight > b.weight; });
  campaign.budget = time_option(context, "budget");
  campaign.least = std::min(least_budget, campaign.budget);
  campaign.resume = context.flag("resume");
  std::error_code error;
  const auto path = std::filesystem::weakly_canonical(file, error);
  campaign.log = campaign_log_path("calls " + (error ? file : path.string()));
  return campaign;
}

Campaign campaign_of_everything(const Context& context) {
  const auto place = search_place(context);
  const auto device = blas::look_at_blas_device(place.find_device);
  Campaign campaign;
  for (auto& problem : blas::usual_problems(device.facts, device.known.doubles))
    if (is_asked_for(context, problem.call))
      campaign.items.push_back(
          {text_of(problem.call), problem.call, device, place, problem.weight, 0, 0});
  if (campaign.items.empty())
    throw Error(Errc::bad_input,
                fmt::format("--all: found '{}', expected a routine of those that have parameters "
                            "(gemm, trsm, gemv), in a precision that the device has",
                            context.arguments().empty() ? context.text("precision")
                                                        : one_line(context.arguments().front())));
  std::vector<blas::Call> calls;
  for (const auto& item : campaign.items) calls.push_back(item.call);
  const auto records = blas::look_at_records(place, calls);
  campaign.resume = context.flag("resume");
  campaign.log = campaign_log_path("everything on " + device.known.speed_identity);
  // A search that was begun may have its best so far on record, which is not yet its result.
  std::optional<tune::CampaignLog> log;
  if (campaign.resume) log = campaign_so_far(context, campaign.log);
  std::vector<CampaignItem> lacking;
  std::size_t known = 0;
  for (std::size_t i = 0; i < campaign.items.size(); ++i) {
    auto& item = campaign.items[i];
    const bool is_unfinished =
        log && log->has_begun(subject_of(item)) && !log->is_finished(subject_of(item));
    if (records[i].is_near && !is_unfinished)
      ++known;
    else
      lacking.push_back(std::move(item));
  }
  campaign.items = std::move(lacking);
  if (known > 0)
    campaign.left_out.push_back({fmt::format("{} of {} problems", known, calls.size()),
                                 "on record for this device, driver and version"});
  if (is_given(context, "budget")) {
    campaign.budget = time_option(context, "budget");
    campaign.least = std::min(least_budget, campaign.budget);
  }
  campaign.each = usual_budget;
  return campaign;
}

}  // namespace kiln::cli
