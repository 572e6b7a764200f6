#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"
#include "tune/session/journal_line.hpp"
#include "tune/tunable.hpp"

namespace kiln::tune {

/// One line of a journal: a configuration and what came of it.
struct JournalEntry {
  ConfigurationId id = 0;
  Report report;
};

/// What a search has measured, a line of JSON each, written as soon as it is known: what ends the
/// process loses at most the candidate in flight. The first line says what is searched: a journal
/// of something else is not gone on with. One process at a time has it (flock).
///
/// A last line that was cut is dropped; other damage is an error. A file that is anything else is
/// never written to. docs/formats/tuning.md has the layout.
class Journal {
 public:
  /// What makes two searches the same: results of one are good in the other.
  struct Subject {
    std::string identity;  ///< Tunable::identity()
    std::string device;    ///< Device::speed_identity()
    std::string strategy;
    std::uint64_t seed = 0;
    std::string space;  ///< text_of() it
    /// The search on record that it starts from (KeptRun::id); empty: none.
    std::string start = {};
  };
  /// Looks at the place of a search's journal: nothing where there is none yet, else what that
  /// search started from. Subject::start is not compared. Errors: as open().
  static Expected<std::optional<std::string>> look(const std::filesystem::path& path,
                                                   const Subject& subject);
  /// The parameters with all their values, and how many configurations are valid.
  static std::string text_of(const SearchSpace& space);

  /// What is done with a journal that is there: it is gone on with, or it gets another name
  /// (rename_aside) and a new one begins.
  enum class Existing : bool { resume, set_aside };
  /// Opens or makes the journal. What a journal of this subject has is in entries(). Errors: io;
  /// bad_input for a file that is no journal, for a journal that is damaged or of another search
  /// (to be resumed); unsupported where another process has it.
  static Expected<Journal> open(const std::filesystem::path& path, const Subject& subject,
                                const SearchSpace& space, Existing existing = Existing::resume);

  const std::vector<JournalEntry>& entries() const { return entries_; }
  Expected<void> add(const SearchSpace& space, ConfigurationId id, const Report& report);
  /// Says how the search has ended; it can be gone on with all the same.
  Expected<void> end(const SearchSpace& space, const SearchEnding& ending);

 private:
  Journal(std::filesystem::path path, FileDescriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}
  /// Seconds that the search has run.
  double now() const;
  std::filesystem::path path_;
  FileDescriptor file_;
  std::vector<JournalEntry> entries_;
  /// What earlier processes have searched, in seconds, and since when this one does.
  double before_ = 0;
  std::chrono::steady_clock::time_point opened_ = std::chrono::steady_clock::now();
};

}  // namespace kiln::tune
