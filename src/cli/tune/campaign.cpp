// A campaign as `kiln tune` shows it: its plan, how far it is, each result.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/data/text.hpp"
#include "blas/tune/campaign_plan.hpp"
#include "cli/blas/call_options.hpp"
#include "cli/command/context.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/tune/search.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;
using std::chrono::milliseconds;

std::string budget_text(milliseconds time) { return brief_time(time.count() * 1'000'000); }

/// Whether the routine and --precision of `kiln tune --all` name this call.
bool is_asked_for(const Context& context, const blas::Call& call) {
  if (!context.arguments().empty()) {
    const std::string& word = context.arguments().front();
    const auto name = name_of(call.routine);
    if (word != name && word != std::string(1, blas::letter(call.precision)) + std::string(name))
      return false;
  }
  return !context.is_given("precision") ||
         context.text("precision").front() == blas::letter(call.precision);
}

class ShownCampaign {
 public:
  ShownCampaign(const Context& context, tune::Campaign campaign)
      : context_(context), campaign_(std::move(campaign)), settings_(search_settings(context)) {}

  int run() {
    print_plan();
    if (context_.flag("dry-run")) return 0;
    auto lock = lock_of_tuners();
    tune::CampaignObserver observer;
    observer.stops = [] { return interrupted(); };
    observer.state = [this](std::size_t i, const tune::TunerState& state, milliseconds done) {
      show(i, state, done);
    };
    observer.begins = [this](std::size_t, const tune::SearchBeginning& beginning) {
      print_beginning(context_, beginning);
    };
    observer.ends = [this](std::size_t i, const tune::CampaignRow& row, milliseconds budget,
                           milliseconds left) { say(i, row, budget, left); };
    const auto rows =
        tune::conduct_campaign(campaign_, settings_, lock ? &*lock : nullptr, observer);
    if (!context_.flag("json")) print_table(rows);
    flush_output();
    stop_if_interrupted();
    return std::any_of(rows.begin(), rows.end(),
                       [](const auto& row) { return row.status == "failed"; })
               ? 1
               : 0;
  }

 private:
  void print_plan() const {
    const auto parts = campaign_.parts(0, campaign_.budget);
    if (context_.flag("json")) {
      for (const auto& one : campaign_.left_out)
        print_json({{"subject", one.what}, {"status", "left out"}, {"message", one.reason}});
      if (!context_.flag("dry-run")) return;
      for (std::size_t i = 0; i < parts.size(); ++i)
        print_json(json_of(i, "planned", static_cast<double>(parts[i].count()) * 1e-3));
      return;
    }
    for (const auto& one : campaign_.left_out)
      print_text("left out: {}: {}\n", one.what, one.reason);
    if (campaign_.items.empty()) return print_text("Nothing is left to tune.\n");
    const bool of_calls = campaign_.items.front().share > 0;
    Table table(of_calls ? std::vector<std::string>{"to tune", "share", "gain", "time", "device"}
                         : std::vector<std::string>{"to tune", "time", "device"});
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto& item = campaign_.items[i];
      const std::string time = parts[i].count() > 0 ? budget_text(parts[i]) : "none left";
      if (of_calls)
        table.row(item.label, fmt::format("{:.1f} %", item.share * 100),
                  fmt::format("{:.0f} %", item.gain * 100), time, item.device);
      else
        table.row(item.label, time, item.device);
    }
    print(table.text());
    print_text("{} {}, at most {}{}\n", parts.size(), parts.size() == 1 ? "search" : "searches",
               budget_text(campaign_.planned()),
               settings_.evaluations > 0
                   ? fmt::format(" and {} evaluations each", settings_.evaluations)
                   : "");
    flush_output();
  }

  Json json_of(std::size_t i, const std::string& status, double budget) const {
    const auto& item = campaign_.items[i];
    Json json{{"subject", item.label}, {"status", status}, {"budget_seconds", budget}};
    if (item.share > 0) json.update({{"share", item.share}, {"expected_gain", item.gain}});
    return json;
  }

  void show(std::size_t i, const tune::TunerState& state, milliseconds time) {
    if (!progress_) {
      const auto seconds = std::max<milliseconds::rep>(1, campaign_.planned().count() / 1000);
      progress_.emplace("tune", static_cast<std::size_t>(seconds), Progress::OffTerminal::lines);
      waits_ = {};
    }
    const auto done = static_cast<std::size_t>(time.count() / 1000);
    std::string note = fmt::format("{} of {}: {}, {} evaluated", i + 1, campaign_.items.size(),
                                   campaign_.items[i].label, state.evaluated);
    if (state.best) note += ", best " + duration(state.best->outcome.time * 1e9);
    note += waits_.note(state);
    progress_->reach(done, note);
  }

  /// Reports the result of one search as soon as it is known.
  void say(std::size_t i, const tune::CampaignRow& row, milliseconds budget, milliseconds left) {
    if (progress_) progress_->hide();
    progress_.reset();
    if (!context_.flag("json")) {
      if (row.result) print_kernel_output(*row.result);
      if (row.result || !row.message.empty())
        complain("note: {} of {}: {}: {}{}; at most {} to go", i + 1, campaign_.items.size(),
                 campaign_.items[i].label, row.status,
                 row.message.empty() ? "" : " (" + row.message + ")", budget_text(left));
      return;
    }
    Json json = json_of(i, row.status, static_cast<double>(budget.count()) * 1e-3);
    if (row.result)
      json.update(
          json_of_search(*row.tunable, campaign_.items[i].device, row.journal, *row.result));
    if (!row.message.empty()) json["message"] = row.message;
    print_json(json);
    flush_output();
  }

  void print_table(const std::vector<tune::CampaignRow>& rows) const {
    Table table({"tuned", "evaluated", "built in", "fastest", "faster by", ""});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const tune::CampaignRow& row = rows[i];
      const std::string& label = campaign_.items[i].label;
      if (!row.result || !row.result->winner) {
        const std::string count =
            row.result ? std::to_string(row.result->state.evaluated) : std::string("-");
        table.row(label, count, "-", "-", "-", row.status.empty() ? "not begun" : row.status);
        continue;
      }
      const auto& result = *row.result;
      table.row(label, result.state.evaluated,
                result.standard > 0 ? duration(result.standard * 1e9) : "-",
                duration(result.winner->time * 1e9), fmt::format("{:.3f}", faster_by(result)),
                row.status);
    }
    if (table.rows() > 0) print(table.text());
  }

  const Context& context_;
  tune::Campaign campaign_;
  tune::SearchSettings settings_;
  std::optional<Progress> progress_;  ///< of the search that is made
  WaitNotice waits_;
};

tune::Campaign campaign_of(const Context& context) {
  blas::CampaignRequest request{search_place(context),
                                [](const blas::Call& call) { return text_of(call); }, std::nullopt,
                                context.flag("resume"), context.flag("dry-run")};
  if (!context.flag("all") || context.is_given("budget"))
    request.budget = time_option(context, "budget");
  if (context.flag("all")) {
    auto campaign = blas::campaign_of_everything(
        [&](const blas::Call& call) { return is_asked_for(context, call); }, request);
    if (campaign.items.empty() && campaign.left_out.empty())
      throw bad_input(
          "--all: found '{}', expected a routine of those that have parameters (gemm, trsm, gemv), "
          "in a precision that the device has",
          context.arguments().empty() ? context.text("precision")
                                      : one_line(context.arguments().front()));
    return campaign;
  }
  const std::string& file = context.text("from");
  const auto recorded = value_or_throw(read_calls(file));
  if (recorded.lines_cut > 0)
    complain("note: {}: {} lines were cut short, and are left out", one_line(file),
             recorded.lines_cut);
  return blas::campaign_of_calls(recorded, file, request, context.has("device"));
}

}  // namespace

int tune_campaign(const Context& context) {
  return ShownCampaign(context, campaign_of(context)).run();
}

}  // namespace kiln::cli
