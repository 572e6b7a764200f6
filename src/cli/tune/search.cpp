// One search on a device: its settings and journal, the earlier search that it starts from, the
// search itself in processes of its own (search_processes.cpp), and what it came to.
#include "cli/tune/search.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "blas/call/problem_class.hpp"
#include "cli/command/context.hpp"
#include "cli/command/session.hpp"
#include "cli/output/output.hpp"
#include "cli/tune/commands.hpp"
#include "cli/tune/search_processes.hpp"
#include "cli/tune/subject.hpp"
#include "kiln/error.hpp"
#include "kiln/version.hpp"
#include "tune/records/kept_run.hpp"
#include "tune/search/journal.hpp"
#include "tune/search/machine_lock.hpp"
#include "tune/share/shared_search.hpp"
#include "tune/strategy/strategy.hpp"

namespace kiln::cli {
namespace {

constexpr std::uint64_t most_journal_bytes = std::uint64_t{1} << 30;

/// How long to wait for the lock: writing the store takes moments, so a process that holds it
/// longer is suspended.
constexpr std::chrono::seconds longest_wait{5};

tune::TunerOptions tuner_options(const SearchSettings& settings, tune::MachineLock* lock) {
  tune::TunerOptions options;
  options.budget = settings.budget;
  options.most = settings.evaluations;
  options.seed = settings.seed;
  options.lock = lock;
  options.policy = tune::MeasurePolicy::on_device();
  return options;
}

tune::TunerResult ended_by_others(const tune::Trial& winner, const tune::SearchSpace& space) {
  tune::TunerResult result;
  result.winner = tune::Measurement::Winner{winner.id, winner.outcome.time, 0, 0, {}};
  result.left_to_others = true;
  result.state.size = space.size();
  return result;
}

std::string system_text() {
  utsname names{};
  if (::uname(&names) != 0) return "";
  return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
}

/// Searches that may be near: all of the local store; of the layers below it, which cannot be
/// listed, those whose keys follow from the problem class.
std::vector<tune::KeptRun> candidates(const Context& context, const TuningSubject& subject) {
  const StoreSettings settings = store_settings_of(context);
  std::vector<tune::KeptRun> runs;
  const auto store = value_or_throw(open_store(settings));
  if (!store) return runs;
  tune::TuningProblem problem = subject.tunable->problem();
  std::vector<std::string> classes{problem.problem_class};
  for (auto& name : blas::classes_like(problem.problem_class)) classes.push_back(std::move(name));
  for (auto& name : classes) {
    problem.problem_class = std::move(name);
    for (auto& kept : tune::kept_runs(*store, problem, subject.speed_identity))
      runs.push_back(std::move(kept));
  }
  if (!settings.local.empty()) {
    LocalStore local(settings.local);
    local.leave_failures_to_caller();
    // A damaged or absent store does not prevent tuning.
    if (auto all = tune::all_kept_runs(local))
      for (auto& kept : *all) runs.push_back(std::move(kept));
  }
  return runs;
}

/// The nearest search on record (tune::nearest_start), from which a new one starts: of this
/// machine's store any, of the fleet's those for this problem class or gemm-like ones on this model
/// of device. Nothing with --from-scratch, for strategies that learn nothing from others, and
/// without a store. Writes its id into the head of the journal. A journal that is continued
/// (`before`: what it says that it began with) gets that again, and nothing where it is no longer
/// on record, which is said. Throws Error.
std::optional<tune::Start> find_start(const Context& context, const TuningSubject& subject,
                                      const std::filesystem::path& journal,
                                      const std::optional<std::string>& before,
                                      tune::Journal::Subject& head) {
  const bool learns = head.strategy.empty() || head.strategy == "forest";
  if (before) head.start = *before;
  // A search that began from nothing continues that way, whatever is on record by now.
  if (!learns || context.flag("from-scratch") || (before && before->empty())) return std::nullopt;
  const tune::SearchSubject searched{subject.tunable->problem(), subject.speed_identity,
                                     subject.facts};
  auto start = tune::nearest_start(candidates(context, subject), searched, subject.tunable->space(),
                                   head.seed, before.value_or(""));
  if (start) {
    head.start = start->id;
  } else if (before) {
    complain(
        fmt::format("note: {}: the search {} that this one started from is no longer on "
                    "record; goes on without it",
                    journal.string(), *before));
  }
  return start;
}

/// Puts the search of a journal into the store, so that others start from it, and reports and
/// exports need no journal. A failure is only logged. `lock` is held meanwhile, if it is not null
/// and no other process holds it for long.
void keep_search(const Context& context, const TuningSubject& subject,
                 const std::filesystem::path& journal, tune::MachineLock* lock) {
  try {
    const auto store = value_or_throw(open_store(store_settings_of(context)));
    if (!store) return;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    tune::KeptRun kept;
    kept.problem = subject.tunable->problem();
    kept.facts = subject.facts;
    kept.kiln = std::string(version());
    kept.system = system_text();
    kept.date = std::chrono::duration_cast<std::chrono::seconds>(now).count();
    kept.run = read_journal(journal);
    // Without the lock, two tuners that end at once would overwrite each other's changes.
    const bool locked =
        lock != nullptr && lock->wait(std::chrono::steady_clock::now() + longest_wait,
                                      [] { return true; }) == tune::MachineLock::Waited::locked;
    const auto done = tune::keep_run(*store, std::move(kept));
    if (locked) lock->unlock();
    value_or_throw(done);
  } catch (const Error& error) {
    log(LogLevel::warning, fmt::format("the search is not kept in the store: {}", error.message()));
  }
}

}  // namespace

std::filesystem::path journal_folder() {
  const auto folder = user_folder(UserFolder::state);
  if (folder.empty())
    throw Error(Errc::bad_input,
                "neither XDG_STATE_HOME nor HOME is an absolute path: --journal FILE is required");
  return folder / "tuning";
}

std::vector<std::filesystem::path> all_journals() {
  std::vector<std::filesystem::path> journals;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(journal_folder(), absent))
    if (entry.path().extension() == ".jsonl") journals.push_back(entry.path());
  std::sort(journals.begin(), journals.end());
  return journals;
}

tune::TuningRun read_journal(const std::filesystem::path& path) {
  const Bytes bytes = value_or_throw(read_input(path, most_journal_bytes));
  return value_or_throw(tune::read_run(bytes, path.string()));
}

SearchSettings search_settings(const Context& context) {
  SearchSettings settings;
  settings.strategy = context.text("strategy");
  if (settings.strategy == "all")
    throw Error(Errc::bad_input, "--strategy all: compares strategies; expected --replay with it");
  settings.seed = static_cast<std::uint64_t>(context.integer("seed"));
  settings.budget = time_option(context, "budget");
  settings.evaluations = static_cast<std::size_t>(context.integer("evaluations"));
  settings.jobs = static_cast<std::size_t>(std::min<std::int64_t>(context.integer("jobs"), 256));
  settings.hang_time = time_option(context, "hang-time");
  settings.fresh = context.flag("fresh");
  settings.share = context.flag("share");
  settings.journal = context.text("journal");
  return settings;
}

tune::Journal::Subject journal_subject(const TuningSubject& subject,
                                       const SearchSettings& settings) {
  return {subject.tunable->identity(), subject.speed_identity, settings.strategy, settings.seed,
          tune::Journal::text_of(subject.tunable->space())};
}

std::filesystem::path journal_path(const tune::Journal::Subject& subject,
                                   const SearchSettings& settings) {
  if (!settings.journal.empty()) return settings.journal;
  const std::string what = subject.identity + '\n' + subject.device + '\n' + subject.strategy +
                           fmt::format("\n{}\n{}", subject.seed, subject.space);
  const auto folder = journal_folder();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(Errc::io,
                fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
  return folder / (blake2b(as_bytes(what)).brief() + ".jsonl");
}

std::optional<tune::MachineLock> lock_of_tuners() {
  auto lock = tune::MachineLock::open();
  if (lock) return *std::move(lock);
  complain(fmt::format(
      "note: {}; tunes without the lock, so that another tuner may disturb the measurements",
      lock.error().message()));
  return std::nullopt;
}

tune::TunerResult search_one(const Context& context, const TuningSubject& subject,
                             const SearchSettings& settings, tune::MachineLock* lock,
                             const tune::Tuner::Listener& listener) {
  const tune::Tunable& tunable = *subject.tunable;
  auto of = journal_subject(subject, settings);
  const auto path = journal_path(of, settings);
  const auto existing =
      settings.fresh ? tune::Journal::Existing::set_aside : tune::Journal::Existing::resume;
  std::optional<std::string> before;
  if (!settings.fresh) before = value_or_throw(tune::Journal::look(path, of));
  const auto start = find_start(context, subject, path, before, of);
  auto journal = value_or_throw(tune::Journal::open(path, of, tunable.space(), existing));
  const std::size_t resumed = journal.entries().size();
  if (!context.flag("json")) {
    if (resumed > 0)
      print_text(fmt::format("Continues the search in {}: {} evaluations (--fresh begins anew).\n",
                             path.string(), resumed));
    if (start) print_text(fmt::format("Starts from {}.\n", start->text));
    flush_output();
  }
  std::unique_ptr<tune::SharedSearch> shared;
  if (settings.share) {
    const auto make = value_or_throw(
        tune::shared_board(store_settings_of(context), tune::SharedSearch::name_of(of)));
    shared = value_or_throw(tune::SharedSearch::open(make, tunable.space()));
    if (const auto ended = shared->finished()) return ended_by_others(*ended, tunable.space());
  }
  const auto strategy = value_or_throw(tune::make_strategy(
      settings.strategy, tunable.space(), settings.seed, start ? start->transfer : nullptr));
  SearchProcesses processes(context, subject, settings.jobs, settings.hang_time);
  tune::TunerOptions options = tuner_options(settings, lock);
  options.compilers = processes.compilers();
  options.compile_beside = !subject.device_is_cpu;
  options.partners = shared.get();
  tune::Tuner tuner(tunable, processes.worker(), *strategy, journal, options);
  auto result = value_or_throw(tuner.run(listener));
  if (!result.left_to_others) processes.keep(result.winner->id);
  keep_search(context, subject, path, lock);
  result.resumed = resumed;
  if (start) result.started_from = start->text;
  return result;
}

std::string WaitNotice::note(const tune::TunerState& state) {
  if (!state.waiting || state.waiting->since < std::chrono::seconds(1)) return "";
  const auto holder = state.waiting->holder;
  const std::string who =
      fmt::format("another tuner of this user{}",
                  holder > 0 ? fmt::format(" (process {})", holder) : std::string());
  if (!std::exchange(is_said_, true))
    complain(fmt::format("note: waits for {}, which measures now; Ctrl-C ends the search", who));
  return ", waits for " + who;
}

void print_kernel_output(const tune::TunerResult& result) {
  if (result.printed_bytes == 0) return;
  const bool whole = result.printed_bytes <= result.printed.size();
  complain(fmt::format("note: kernels printed {} bytes while they were measured{}:\n{}",
                       result.printed_bytes, whole ? "" : "; they begin", result.printed));
}

double faster_by(const tune::TunerResult& result) {
  return result.winner && result.standard > 0 ? result.standard / result.winner->time : 1;
}

nlohmann::ordered_json json_of_search(const tune::Tunable& tunable, const std::string& device,
                                      const std::filesystem::path& journal,
                                      const tune::TunerResult& result) {
  nlohmann::ordered_json json{{"tuned", tunable.label()},
                              {"device", device},
                              {"configurations", tunable.space().size()},
                              {"evaluated", result.state.evaluated},
                              {"failed", result.state.failed}};
  if (result.winner)
    json.update({{"best", tune::json_of_configuration(tunable.space(), result.winner->id)},
                 {"best_seconds", result.winner->time},
                 {"standard_seconds", result.standard},
                 {"faster_by", faster_by(result)},
                 {"finalists", result.winner->finalists},
                 {"rounds", result.winner->rounds},
                 {"decided_by", name_of(result.decision)}});
  json.update({{"seconds", result.seconds},
               {"compiling_seconds", result.compiling},
               {"running_seconds", result.running},
               {"replaced_processes", result.replaced},
               {"resumed_evaluations", result.resumed},
               {"started_from", result.started_from},
               {"journal", journal.string()}});
  if (result.printed_bytes > 0)
    json.update({{"kernel_output", result.printed}, {"kernel_output_bytes", result.printed_bytes}});
  if (result.seconds > 0)
    json["overhead"] = 1 - (result.compiling + result.running) / result.seconds;
  return json;
}

}  // namespace kiln::cli
