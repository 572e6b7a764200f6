#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/tune/subject.hpp"
#include "tune/report/run.hpp"
#include "tune/search/tuner.hpp"

/// One search: `kiln tune` makes one, a campaign makes many.
namespace kiln::cli {

/// The default folder of journals: $XDG_STATE_HOME/kiln/tuning, or
/// below ~/.local/state. Throws Error (bad_input) where neither is known.
std::filesystem::path journal_folder();

/// The journals in that folder, sorted by name; none where it does not exist.
std::vector<std::filesystem::path> all_journals();

/// Reads a search's journal. Throws Error.
tune::TuningRun read_journal(const std::filesystem::path& path);

/// How one subject is searched: what the options of `kiln tune` say, and what a campaign changes
/// from subject to subject.
struct SearchSettings {
  std::string strategy;
  std::uint64_t seed = 0;
  std::chrono::milliseconds budget{0};
  std::size_t evaluations = 0;  ///< at most; 0: as many as the budget allows
  std::size_t jobs = 0;         ///< processes that compile ahead; 0: by the processors
  std::chrono::milliseconds hang_time{0};
  bool fresh = false;             ///< renames an existing journal, in place of continuing it
  bool share = false;             ///< with other machines of the same kind, by the shared store
  std::filesystem::path journal;  ///< empty: a file of the search's own in journal_folder()
};

/// What the options say. Throws Error (bad_input).
SearchSettings search_settings(const Context& context);

/// The head of a search's journal: two searches with the same head are one.
tune::Journal::Subject journal_subject(const TuningSubject& subject,
                                       const SearchSettings& settings);
/// The file of that journal; makes the folder. Throws Error.
std::filesystem::path journal_path(const tune::Journal::Subject& subject,
                                   const SearchSettings& settings);

/// The lock that this user's tuners share, so that they do not disturb each other's measurements.
/// Nothing, and a note on standard error, where its folder cannot be used: another user may have
/// taken its name, which must not prevent tuning.
std::optional<tune::MachineLock> lock_of_tuners();

/// Searches one subject to its end, in a child process; the winner goes on record. A journal of
/// this search is continued; any other file in its place is an error, and stays as it is. The
/// caller's process loads no driver. A search that is shared may be left to other machines; where
/// one of them has finished it, the result is theirs and nothing is measured here. `lock` is held
/// during measurements; null: no lock. Throws Error.
tune::TunerResult search_one(const Context& context, const TuningSubject& subject,
                             const SearchSettings& settings, tune::MachineLock* lock,
                             const tune::Tuner::Listener& listener);

// The result of a search, as commands print it.

/// One object; `device` is its name.
nlohmann::ordered_json json_of_search(const tune::Tunable& tunable, const std::string& device,
                                      const std::filesystem::path& journal,
                                      const tune::TunerResult& result);

/// Prints a note, once in a search, when it has waited for another tuner for more than a second.
class WaitNotice {
 public:
  /// For the progress line; empty while the search does not wait.
  std::string note(const tune::TunerState& state);

 private:
  bool is_said_ = false;
};

/// Prints on standard error what kernels printed while they were measured, if anything.
void print_kernel_output(const tune::TunerResult& result);

/// How many times faster the winner is than the built-in parameters; 1 where those have no time.
double faster_by(const tune::TunerResult& result);

}  // namespace kiln::cli
