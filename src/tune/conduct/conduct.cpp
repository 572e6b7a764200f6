#include "tune/conduct/conduct.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>

#include "base/data/digest.hpp"
#include "base/log.hpp"
#include "base/os/environment.hpp"
#include "kiln/version.hpp"
#include "tune/records/kept_run.hpp"
#include "tune/share/shared_search.hpp"
#include "tune/strategy/strategy.hpp"

namespace kiln::tune {
namespace {

/// How long to wait for the lock: writing the store takes moments, so a process that holds it
/// longer is suspended.
constexpr std::chrono::seconds longest_wait{5};

TunerResult ended_by_others(const Trial& winner, const SearchSpace& space) {
  TunerResult result;
  result.winner = Sampling::Winner{winner.id, winner.outcome.time, 0, 0, {}};
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
std::vector<KeptRun> candidates(const SearchTask& task) {
  std::vector<KeptRun> runs;
  const auto store = value_or_throw(open_store(task.store));
  if (!store) return runs;
  TuningProblem problem = task.tunable->problem();
  std::vector<std::string> classes{problem.problem_class};
  for (auto& name : task.tunable->classes_like()) classes.push_back(std::move(name));
  for (auto& name : classes) {
    problem.problem_class = std::move(name);
    for (auto& kept : kept_runs(*store, problem, task.device.speed_identity))
      runs.push_back(std::move(kept));
  }
  if (!task.store.local.empty()) {
    LocalStore local(task.store.local);
    local.leave_failures_to_caller();
    // A damaged or absent store does not prevent tuning.
    if (auto all = all_kept_runs(local))
      for (auto& kept : *all) runs.push_back(std::move(kept));
  }
  return runs;
}

/// The nearest search on record (nearest_start), from which a new one starts: of this
/// machine's store any, of the fleet's those for this problem class or gemm-like ones on this model
/// of device. Nothing where it is to begin from scratch, for strategies that learn nothing from
/// others, and without a store. Writes its id into the head of the journal. A journal that is
/// continued (`before`: what it says that it began with) gets that again, and nothing where it is
/// no longer on record. Throws Error.
std::optional<Start> find_start(const SearchTask& task, bool from_scratch,
                                const std::optional<std::string>& before, Journal::Subject& head) {
  const bool learns = head.strategy.empty() || head.strategy == "forest";
  if (before) head.start = *before;
  // A search that began from nothing continues that way, whatever is on record by now.
  if (!learns || from_scratch || (before && before->empty())) return std::nullopt;
  const SearchSubject searched{task.tunable->problem(), task.device.speed_identity,
                               task.device.nearness};
  auto start = nearest_start(candidates(task), searched, task.tunable->space(), head.seed,
                             before.value_or(""));
  if (start) head.start = start->id;
  return start;
}

/// Puts the search of a journal into the store, so that others start from it, and reports and
/// exports need no journal. A failure is only logged. `lock` is held meanwhile, if it is not null
/// and no other process holds it for long.
void keep_search(const SearchTask& task, const std::filesystem::path& journal, MachineLock* lock) {
  try {
    const auto store = value_or_throw(open_store(task.store));
    if (!store) return;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    KeptRun kept;
    kept.problem = task.tunable->problem();
    kept.facts = task.device.nearness;
    kept.kiln = std::string(version());
    kept.system = system_text();
    kept.date = std::chrono::duration_cast<std::chrono::seconds>(now).count();
    kept.run = read_journal(journal);
    // Without the lock, two tuners that end at once would overwrite each other's changes.
    const bool locked =
        lock != nullptr && lock->wait(std::chrono::steady_clock::now() + longest_wait,
                                      [] { return true; }) == MachineLock::Waited::locked;
    const auto done = keep_run(*store, std::move(kept));
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

TuningRun read_journal(const std::filesystem::path& path) {
  const Bytes bytes = value_or_throw(read_input(path, most_journal_bytes));
  return value_or_throw(read_run(bytes, path.string()));
}

Journal::Subject journal_subject(const SearchTask& task, const SearchSettings& settings) {
  return {task.tunable->identity(), task.device.speed_identity, settings.strategy, settings.seed,
          Journal::text_of(task.tunable->space())};
}

std::filesystem::path journal_path(const Journal::Subject& subject,
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

TunerResult conduct_search(const SearchTask& task, const SearchSettings& settings,
                           MachineLock* lock, const SearchObserver& observer) {
  const Tunable& tunable = *task.tunable;
  auto of = journal_subject(task, settings);
  const auto path = journal_path(of, settings);
  const auto existing = settings.fresh ? Journal::Existing::set_aside : Journal::Existing::resume;
  std::optional<std::string> before;
  if (!settings.fresh) before = value_or_throw(Journal::look(path, of));
  const auto start = find_start(task, settings.from_scratch, before, of);
  auto journal = value_or_throw(Journal::open(path, of, tunable.space(), existing));
  const std::size_t resumed = journal.entries().size();
  if (observer.begins)
    observer.begins({path, resumed, start ? start->text : "",
                     start || settings.from_scratch ? "" : before.value_or("")});
  std::unique_ptr<SharedSearch> shared;
  if (settings.share) {
    const auto make = value_or_throw(shared_board(task.store, SharedSearch::name_of(of)));
    shared = value_or_throw(SharedSearch::open(make, tunable.space()));
    if (const auto ended = shared->finished()) return ended_by_others(*ended, tunable.space());
  }
  const auto strategy = value_or_throw(make_strategy(
      settings.strategy, tunable.space(), settings.seed, start ? start->transfer : nullptr));
  SearchProcesses processes(task, settings.jobs, settings.hang_time);
  TunerOptions options;
  options.budget = settings.budget;
  options.most = settings.evaluations;
  options.seed = settings.seed;
  options.lock = lock;
  options.rule = StoppingRule::on_device();
  options.compilers = processes.compilers();
  options.compile_meanwhile = !task.device.is_cpu;
  options.partners = shared.get();
  Tuner tuner(tunable, processes.worker(), *strategy, journal, options);
  auto result = value_or_throw(tuner.run(observer.state));
  if (!result.left_to_others) processes.keep(result.winner->id);
  keep_search(task, path, lock);
  result.resumed = resumed;
  if (start) result.started_from = start->text;
  return result;
}

}  // namespace kiln::tune
