#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"
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
/// A last line that was cut is dropped; other damage is an error. docs/formats/tuning.md has the
/// layout.
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
  /// What the journal of a file says of that; nothing where it has no head.
  static std::optional<std::string> start_of(const std::filesystem::path& path);
  /// The parameters with all their values, and how many configurations are valid.
  static std::string text_of(const SearchSpace& space);

  /// Opens or makes the journal. `resume`: what a journal of this subject has stays, in entries();
  /// without, it begins anew. Errors: io; bad_input for a journal that is damaged or of something
  /// else (to be resumed); unsupported where another process has it.
  static Expected<Journal> open(const std::filesystem::path& path, const Subject& subject,
                                const SearchSpace& space, bool resume);

  const std::vector<JournalEntry>& entries() const { return entries_; }
  Expected<void> add(const SearchSpace& space, ConfigurationId id, const Report& report);

 private:
  Journal(std::filesystem::path path, FileDescriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}
  std::filesystem::path path_;
  FileDescriptor file_;
  std::vector<JournalEntry> entries_;
  /// What earlier processes have searched, in seconds, and since when this one does.
  double before_ = 0;
  std::chrono::steady_clock::time_point opened_ = std::chrono::steady_clock::now();
};

}  // namespace kiln::tune
