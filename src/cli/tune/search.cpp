// `kiln tune ROUTINE` and `kiln tune SPEC`: a search on a device.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/context.hpp"
#include "cli/interrupt.hpp"
#include "cli/json_line.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/store_settings.hpp"
#include "cli/tune/commands.hpp"
#include "cli/tune/report.hpp"
#include "cli/tune/search_one.hpp"
#include "cli/tune/search_output.hpp"

namespace kiln::cli {
namespace {

/// Whether calls use the winner.
const char* fate_of_winner(const Context& context) {
  const StoreSettings settings = store_settings_of(context);
  // A system store is only read.
  return settings.local.empty() && settings.shared.empty() ? "Not kept: the store is off"
                                                           : "On record: calls use it from now on";
}

void print_search(const Context& context, const tune::Tunable& tunable, const std::string& device,
                  const std::filesystem::path& journal, const tune::TunerResult& result) {
  const bool is_standard = tunable.standard() == result.winner->id;
  print_text(fmt::format("{} on {}\n", tunable.label(), device));
  Table table({"parameters", "", "time"});
  if (result.standard > 0)
    table.row(
        {tunable.space().text(*tunable.standard()), "built in", duration(result.standard * 1e9)});
  if (!is_standard)
    table.row({tunable.space().text(result.winner->id),
               result.standard > 0
                   ? fmt::format("fastest, {:.3f} x", result.standard / result.winner->time)
                   : "fastest",
               duration(result.winner->time * 1e9)});
  print(table.text());
  print_text(
      fmt::format("{} of {} configurations measured, {} of them failed. {}. {}.\n"
                  "Journal: {}\n",
                  result.state.evaluated, tunable.space().size(), result.state.failed,
                  explanation_of(result.decision, result.winner->finalists, result.winner->rounds),
                  is_standard ? "The built-in parameters stay in use" : fate_of_winner(context),
                  journal.string()));
}

/// What fails after Ctrl-C was ended by that.
tune::TunerResult search_until_interrupted(const Context& context, const TuningSubject& subject,
                                           const SearchSettings& settings,
                                           const tune::Tuner::Listener& listener) {
  try {
    auto lock = lock_of_tuners();
    return search_one(context, subject, settings, lock ? &*lock : nullptr, listener);
  } catch (const Error& error) {
    if (interrupted()) complain(error.message());
    stop_if_interrupted();
    throw;
  }
}

}  // namespace

int tune_search(Context& context) {
  const TuningSubject subject = tuning_subject(context);
  SearchSettings settings = search_settings(context);
  // Said by the surroundings it is meant for campaigns: this one is asked for here and now.
  settings.share = false;
  const auto path = journal_path(journal_subject(subject, settings), settings);
  const tune::Tunable& tunable = *subject.tunable;
  const std::size_t total =
      settings.evaluations > 0
          ? settings.evaluations
          : static_cast<std::size_t>(std::max<std::int64_t>(1, settings.budget.count() / 1000));
  Progress progress("tune", total, Progress::OffTerminal::lines);
  std::size_t shown = 0;
  WaitNotice waits;
  const auto listener = [&](const tune::TunerState& state) {
    const std::size_t done = std::min(
        total, settings.evaluations > 0 ? state.evaluated
                                        : static_cast<std::size_t>(state.spent.count() / 1000));
    std::string note = fmt::format("{} of {}", state.evaluated, state.size);
    if (state.best)
      note += fmt::format(", best {} {}", duration(state.best->outcome.time * 1e9),
                          tunable.space().text(state.best->id));
    note += waits.note(state);
    progress.advance(done > shown ? done - shown : 0, note);
    shown = std::max(shown, done);
    return !interrupted();
  };
  const auto result = search_until_interrupted(context, subject, settings, listener);
  progress.hide();
  context.flag("json") ? print_json(json_of_search(tunable, subject.device, path, result))
                       : print_search(context, tunable, subject.device, path, result);
  flush_output();
  if (!context.flag("json")) print_kernel_output(result);
  if (context.has("report")) write_report(path, context.text("report"));
  stop_if_interrupted();
  return 0;
}

}  // namespace kiln::cli
