// `kiln tune`: its definition, which of its kinds of searches is asked for, and the single search
// on a device. Many searches are a campaign (campaign.cpp), searches of a measured space are in
// replay.cpp.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/blas/call_options.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/command/files.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/options.hpp"
#include "cli/command/session.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/tune/search.hpp"
#include "kiln/error.hpp"

namespace kiln::cli {
namespace {

constexpr std::string_view strategy_names[] = {
    "all",       "forest",  "multi-start", "iterated-local",
    "annealing", "genetic", "random",      "exhaustive",
};

/// The journal must be neither a file that the search reads nor its report.
void check_journal(const Context& context) {
  std::vector<NamedFile> written, read;
  for (const auto& word : context.arguments())
    read.push_back({std::string(context.command().positional.value_name), word});
  for (const char* option : {"in", "expect"})
    for (const auto& [position, file] : context.assignments(option))
      read.push_back({fmt::format("--{} {}", option, position), file});
  // A campaign has journals of its own, whatever the environment or the config file says.
  if (context.flag("all") || context.has("from") || context.has("replay")) return;
  for (const char* option : {"journal", "report"})
    if (context.has(option)) written.push_back({fmt::format("--{}", option), context.text(option)});
  check_written_files(written, read);
}

/// Whether calls will use the winner, in words.
const char* fate_of_winner(const Context& context) {
  const StoreSettings settings = store_settings_of(context);
  // A system store is only read.
  return settings.local.empty() && settings.shared.empty() ? "Not kept: the store is off"
                                                           : "On record: calls use it from now on";
}

void print_search(const Context& context, const tune::Tunable& tunable, const std::string& device,
                  const std::filesystem::path& journal, const tune::TunerResult& result) {
  const bool is_standard = tunable.standard() == result.winner->id;
  print_text("{} on {}\n", tunable.label(), device);
  Table table({"parameters", "", "time"});
  if (result.standard > 0)
    table.row(tunable.space().text(*tunable.standard()), "built in",
              duration(result.standard * 1e9));
  if (!is_standard)
    table.row(tunable.space().text(result.winner->id),
              result.standard > 0
                  ? fmt::format("fastest, {:.3f} x", result.standard / result.winner->time)
                  : "fastest",
              duration(result.winner->time * 1e9));
  print(table.text());
  print_text("{} of {} configurations measured, {} of them failed. {}. {}.\nJournal: {}\n",
             result.state.evaluated, tunable.space().size(), result.state.failed,
             explanation_of(result.decision, result.winner->finalists, result.winner->rounds),
             is_standard ? "The built-in parameters stay in use" : fate_of_winner(context),
             journal.string());
}

/// A failure after Ctrl-C is a consequence of it.
tune::TunerResult search_until_interrupted(const Context& context, const tune::SearchTask& task,
                                           const tune::SearchSettings& settings,
                                           const tune::Tuner::Listener& listener) {
  try {
    auto lock = lock_of_tuners();
    return tune::conduct_search(
        task, settings, lock ? &*lock : nullptr,
        {listener, [&](const auto& beginning) { print_beginning(context, beginning); }});
  } catch (const Error& error) {
    if (interrupted()) complain(error.message());
    stop_if_interrupted();
    throw;
  }
}

/// `kiln tune ROUTINE` and `kiln tune SPEC`: one search on a device.
int tune_search(Context& context) {
  const tune::SearchTask task = search_task(context);
  tune::SearchSettings settings = search_settings(context);
  // --share from the environment or the config file is meant for campaigns.
  settings.share = false;
  const auto path = tune::journal_path(tune::journal_subject(task, settings), settings);
  const tune::Tunable& tunable = *task.tunable;
  const std::size_t total =
      settings.evaluations > 0
          ? settings.evaluations
          : static_cast<std::size_t>(std::max<std::int64_t>(1, settings.budget.count() / 1000));
  Progress progress("tune", total, Progress::OffTerminal::lines);
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
    progress.reach(done, note);
    return !interrupted();
  };
  const auto result = search_until_interrupted(context, task, settings, listener);
  progress.hide();
  context.flag("json") ? print_json(json_of_search(tunable, task.device.name, path, result))
                       : print_search(context, tunable, task.device.name, path, result);
  flush_output();
  if (!context.flag("json")) print_kernel_output(result);
  if (context.has("report"))
    value_or_throw(
        write_file(context.text("report"), as_bytes(report_page(tune::read_journal(path)))));
  stop_if_interrupted();
  return 0;
}

int tune(Context& context) {
  refuse_combinations(context);
  check_journal(context);
  if (context.has("replay")) return tune_replay(context, std::span(strategy_names).subspan(1));
  // After Ctrl-C a candidate may take its hang time, the compilation of the winner two minutes.
  end_in_good_order(std::chrono::ceil<std::chrono::seconds>(time_option(context, "hang-time")) +
                    std::chrono::seconds(120));
  if (context.flag("all")) return tune_campaign(context);
  if (context.has("from")) {
    refuse_measured_space(context.text("from"));
    return tune_campaign(context);
  }
  if (!context.arguments().empty()) return tune_search(context);
  throw bad_input(
      "nothing to tune; expected a routine, as gemm, a specification file, --all, --from FILE or "
      "--replay FILE");
}

}  // namespace

const Command tune_command{
    .name = "tune",
    .summary = "search for the fastest parameters of a kernel",
    .description =
        "Searches for the parameters with which a routine of BLAS is fastest on a device, for "
        "calls of this kind and about this size, and puts them on record: from then on every call "
        "uses them. Every candidate's result is compared with that of the built-in parameters, "
        "which take part, so that what is recorded is never slower. Candidates run in a process of "
        "their own: one that hangs or crashes counts as failed, and the search goes on. Ctrl-C "
        "ends the search: the best so far goes on record. Every measurement is in a journal; the "
        "same command goes on with it, unless --fresh is given.\n\n"
        "With --from, or --all, makes many searches, one after another: a plan is shown first, "
        "each result is used as soon as it is there, and one that fails does not stop the "
        "others.\n\n"
        "With --replay, searches a space in which every configuration was measured before, so that "
        "strategies can be compared at no cost. For each seed it counts the evaluations until a "
        "configuration within 5 % of the fastest one's speed is found: configurations that fail "
        "count, those that were measured before do not, and a search that never gets there counts "
        "as the whole space.\n\n"
        "The score is that of the autotuning community's methodology: how far the best found lies "
        "between random search's and the optimum, averaged over the evaluations in which random "
        "search comes 95 % of the way from the median to the optimum. 0 is as good as random, 1 "
        "would be the optimum at once.",
    .options =
        {{Option::text("budget", "TIME",
                       "How long to search, as 90s, 10m or 2h; the last candidate and the play-off "
                       "come on top. Of --from and --all: all searches together; where it is not "
                       "given, --all takes 2m for each.",
                       "10m"),
          Option::integer("evaluations", "N",
                          "How many candidates to measure, at most; in a campaign, of each search. "
                          "0: as many as the budget allows.",
                          "0"),
          Option::choice("strategy", "NAME", strategy_names, "How to search; all compares them.",
                         "forest"),
          Option::integer("seed", "N", "Of the search's random numbers.", "0"),
          Option::integer("jobs", "N",
                          "How many processes compile what is measured next. 0: by the processors "
                          "of this machine, at most 8.",
                          "0"),
          Option::text(
              "hang-time", "TIME",
              "How long a candidate may take to compile and run before it counts as hanging.",
              "60s"),
          options::device,
          Option::flag("from-scratch",
                       "Does not start from the nearest search on record: of the same device with "
                       "another driver, of another size, of a device like it."),
          Option::file(
              "journal", "FILE",
              "Where each measurement is written as soon as it is known. A journal of this "
              "search that is there is gone on with; any other file is refused. Default: a "
              "file of the search's own in $XDG_STATE_HOME/kiln/tuning.",
              Access::update),
          Option::flag("resume",
                       "Goes on where a campaign was stopped or killed: what it had finished is "
                       "left out. A single search always goes on with what its journal holds."),
          Option::flag("fresh",
                       "Begins anew: a journal that is there is set aside under the name FILE.1, "
                       "FILE.2 and so on."),
          Option::file("report", "FILE",
                       "Writes the search as a page for a browser when it ends: the best so far, "
                       "what each parameter matters, failures, the ten fastest. kiln tuned report "
                       "makes it of any journal.",
                       Access::write),
          options::json,
          Option::flag(
              "all",
              "Tunes all routines that have parameters, in all precisions, for usual problems, as "
              "far as there is no record for this device. WHAT and --precision restrict that."),
          Option::file(
              "from", "FILE",
              "A record of calls, as kiln record writes it: tunes what takes most of that "
              "application's time first. With --replay, a measured space of another device "
              "to start from."),
          Option::flag(
              "share",
              "Splits the searches of --all or --from among all machines of this kind that are at "
              "them, by the server of --shared-store: each candidate is measured once."),
          Option::flag("dry-run", "Only shows what --all or --from would tune, and for how long."),
          options::precision,
          options::size_m,
          options::size_n,
          options::size_k,
          options::order,
          options::side,
          options::uplo,
          options::trans_a,
          options::trans_b,
          options::diag,
          options::stored,
          options::stored_a,
          options::stored_b,
          options::stored_c,
          options::group_a,
          options::group_b,
          options::bias,
          options::scale,
          options::activation,
          options::residual,
          options::invariant,
          options::emulated,
          Option::text(
              "param", "NAME=VALUES",
              "A parameter of a specification's kernel, a symbol of the file or a macro, and the "
              "integers that it may be: 8,16,32 or 1..8:1 (from, to, step) or 8..64:*2.")
              .repeatable(),
          Option::text("constraint", "CONDITION",
                       "What must hold between parameters, as \"TS % WPT == 0\".")
              .repeatable(),
          options::set,
          options::set_if,
          options::dialect,
          options::source_dir,
          Option::file_assignment(
              "in", "P=FILE", "Reads the data of argument P of a specification from a .npy file.")
              .repeatable(),
          Option::file_assignment(
              "expect", "P=FILE",
              "What argument P must be after a run; of all that are written, or of none. Default: "
              "what the file's own run without parameters writes.")
              .repeatable(),
          options::rtol,
          Option::file("replay", "FILE",
                       "A measured space to search in place of a device: a Kernel Tuner cache file "
                       "or a T4 results file, compressed or not."),
          Option::integer(
              "from-evaluations", "N",
              "Starts from a run of the tuner with N evaluations on the other device, another for "
              "each seed, in place of all that was measured there. 0 takes all.",
              "0"),
          Option::integer(
              "seeds", "N",
              "With --replay: how many searches to make, each with random numbers of its own.",
              "100")
              .at_least(1),
          Option::number("within", "PERCENT",
                         "How near to the fastest configuration's speed a search must come.", "5")},
         options::stores},
    .positional =
        Positional::files("WHAT",
                          "A routine of BLAS, without (gemm) or with (dgemm) the letter of its "
                          "precision; or a specification file; or a tuning problem (T1).",
                          0, 1),
    .examples =
        {{"kiln tune gemm -n 1024 --budget 10m",
          "Find the fastest block sizes for products of floats."},
         {"kiln tune mm.json --param TS=8,16,32 --param WPT=1..8 --constraint \"TS % WPT == 0\"",
          "The same for your own kernel."},
         {"kiln tune gemm -n 1024 --fresh",
          "Search again from the beginning; without --fresh the earlier search goes on."},
         {"kiln tune --from calls.jsonl --budget 1h",
          "The calls of an application, the most expensive first."},
         {"kiln tune --all --resume",
          "All that has no record on this machine; go on after Ctrl-C."},
         {"kiln tune --all --share --shared-store redis://cache.local",
          "The same on each machine of a fleet: they share the work."},
         {"kiln tune --replay convolution_A4000.json.gz",
          "How many evaluations does a search take?"},
         {"kiln tune --replay cache.json --strategy all", "Compare all strategies on it."},
         {"kiln tune --replay a.json.gz --from b.json.gz",
          "How much do the times of another device help?"}},
    .groups = {{"budget", "Searching"},
               {"journal", "Journal, report and output"},
               {"all", "Many searches (--all, --from)"},
               {"precision", "A call of BLAS (WHAT is a routine)"},
               {"param", "A specification file (WHAT is a file)"},
               {"replay", "Measured spaces as devices (--replay)"},
               {"store", "The store"}},
    .body = tune,
};

}  // namespace kiln::cli
