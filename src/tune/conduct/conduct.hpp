#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tune/conduct/search_processes.hpp"
#include "tune/report/run.hpp"
#include "tune/search/tuner.hpp"

/// One whole search on a device: its journal, the earlier search that it starts from, the processes
/// that measure, what goes on record and into the store. `kiln tune` and kiln/tune.hpp make one, a
/// campaign makes many.
namespace kiln::tune {

/// The default folder of journals: $XDG_STATE_HOME/kiln/tuning, or
/// below ~/.local/state. Throws Error (bad_input) where neither is known.
std::filesystem::path journal_folder();

/// The journals in that folder, sorted by name; none where it does not exist.
std::vector<std::filesystem::path> all_journals();

/// Reads a search's journal. Throws Error.
TuningRun read_journal(const std::filesystem::path& path);

/// How one task is searched: what a user says, and what a campaign changes from task to task.
struct SearchSettings {
  std::string strategy;
  std::uint64_t seed = 0;
  std::chrono::milliseconds budget{0};
  std::size_t evaluations = 0;  ///< at most; 0: as many as the budget allows
  std::size_t jobs = 0;         ///< processes that compile ahead; 0: by the processors
  std::chrono::milliseconds hang_time{60'000};
  bool fresh = false;             ///< renames an existing journal, in place of continuing it
  bool from_scratch = false;      ///< does not start from the nearest search on record
  bool share = false;             ///< with other machines of the same kind, by the shared store
  std::filesystem::path journal;  ///< empty: a file of the search's own in journal_folder()
};

/// The head of a search's journal: two searches with the same head are one.
Journal::Subject journal_subject(const SearchTask& task, const SearchSettings& settings);
/// The file of that journal; makes the folder. Throws Error.
std::filesystem::path journal_path(const Journal::Subject& subject, const SearchSettings& settings);

/// What a search begins with.
struct SearchBeginning {
  std::filesystem::path journal;
  std::size_t resumed = 0;   ///< evaluations that it has
  std::string started_from;  ///< Start::text; empty: from nothing
  /// The id of the search that it had started from, where that is no longer on record.
  std::string lost_start;
};

/// What whoever asked for a search hears of it.
struct SearchObserver {
  Tuner::Listener state;
  std::function<void(const SearchBeginning&)> begins = {};  ///< before anything is measured
};

/// Searches one task to its end, in child processes; the winner goes on record. A journal of this
/// search is continued; any other file in its place is an error, and stays as it is. The caller's
/// process loads no driver and has no threads. A search that is shared may be left to other
/// machines; where one of them has finished it, the result is theirs and nothing is measured here.
/// `lock` is held during measurements; null: no lock. Throws Error.
TunerResult conduct_search(const SearchTask& task, const SearchSettings& settings,
                           MachineLock* lock, const SearchObserver& observer);

}  // namespace kiln::tune
