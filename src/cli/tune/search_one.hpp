#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/tune/subject.hpp"
#include "tune/session/tuner.hpp"

namespace kiln::cli {

/// How one subject is searched: what the options of `kiln tune` say, and what a campaign changes
/// from subject to subject.
struct SearchSettings {
  std::string strategy;
  std::uint64_t seed = 0;
  std::chrono::milliseconds budget{0};
  std::size_t evaluations = 0;  ///< at most; 0: as many as the budget allows
  std::size_t jobs = 0;         ///< processes that compile ahead; 0: by the processors
  std::chrono::milliseconds hang_time{0};
  bool fresh = false;  ///< sets a journal that is there aside, in place of going on with it
  bool share = false;  ///< with other machines of the same kind, by the shared store
  std::filesystem::path journal;  ///< empty: a file of the search's own in journal_folder()
};

/// Throws Error (bad_input).
SearchSettings search_settings(const Context& context);

/// The journal of a search.
tune::Journal::Subject journal_subject(const TuningSubject& subject,
                                       const SearchSettings& settings);
std::filesystem::path journal_path(const tune::Journal::Subject& subject,
                                   const SearchSettings& settings);

/// The lock that this user's tuners share. Nothing, and a note on standard error, where the user
/// has no folder for it: somebody else may have taken its name, and must not keep anybody from
/// tuning by that.
std::optional<tune::MachineLock> lock_of_tuners();

/// Searches one subject to its end, in a child process; the winner goes on record. A journal of
/// this search is gone on with; any other file in its place is an error, and stays as it is. The
/// caller's process stays without a driver. A search that is shared may be left to others; where
/// one of them has ended it, the winner is theirs and nothing is measured here. `lock` is held
/// while something is measured; null: there is none. Throws Error.
tune::TunerResult search_one(const Context& context, const TuningSubject& subject,
                             const SearchSettings& settings, tune::MachineLock* lock,
                             const tune::Tuner::Listener& listener);

}  // namespace kiln::cli
