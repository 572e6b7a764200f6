#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/file.hpp"
#include "tune/measure/stopping_rule.hpp"
#include "tune/measure/tunable.hpp"

/// The journal of a search: the lines as JSON, which its writer and its readers share, and the
/// file. docs/formats/tuning.md has the layout.
namespace kiln::tune {

/// The head's first member: what makes a file a journal, and its layout.
inline constexpr const char* kJournalMark = "kiln tuning journal";
inline constexpr int kJournalVersion = 1;
inline constexpr std::uint64_t most_journal_bytes = std::uint64_t{1} << 30;

/// The line of an evaluation, but for the configuration's values: what came of a configuration.
struct JournalEntry {
  ConfigurationId id = 0;
  Report report;
  /// Seconds that the search had run; older journals do not say.
  std::optional<double> at = std::nullopt;
};

const char* name_of(Decision decision);
/// The same for people, without a full stop: how many finalists met in the play-off, over how many
/// rounds, and why another one is on record.
std::string explanation_of(Decision decision, std::size_t finalists, std::size_t rounds);

/// The file of a search or a campaign, made where it is absent, which no other process may have as
/// well. Errors: `irregular` where it is not a regular file; unsupported, "another process TAKEN";
/// io.
Expected<FileDescriptor> open_alone(const std::filesystem::path& path, const Error& irregular,
                                    std::string_view taken);

/// How a search has ended: what the tuning record says, in the journal, too. A search that is gone
/// on with has several, and the last one counts.
struct SearchEnding {
  using Finalist = Sampling::Finalist;
  ConfigurationId winner = 0;
  double seconds = 0, standard = 0;  ///< as recorded; the built-in parameters', 0: not known
  Decision decision = Decision::play_off;
  std::size_t rounds = 0;
  std::vector<Finalist> finalists;  ///< the best first
};

/// Nothing where an object is not the line of an ending, or a damaged one.
std::optional<SearchEnding> ending_of(const nlohmann::ordered_json& json);
/// Without the winner's configuration and the time of the ending.
nlohmann::ordered_json json_of(const SearchEnding& ending);
/// The configuration's values as lines have them.
nlohmann::ordered_json json_of_configuration(const SearchSpace& space, ConfigurationId id);

/// Nothing where an object is not the line of an evaluation.
std::optional<JournalEntry> journal_line_of(const nlohmann::ordered_json& json);
/// What every line of a result begins with. `configuration` null: without.
nlohmann::ordered_json json_of_result(ConfigurationId id, nlohmann::ordered_json configuration,
                                      const Outcome& outcome, const std::string& message);

/// A parameter's value as the JSON of its type. No parameter has lists as values.
nlohmann::ordered_json json_of(const expr::Value& value);
/// Nothing for anything but a number that fits 64 bits, a Boolean or a text.
std::optional<expr::Value> value_of(const nlohmann::ordered_json& json);

/// A line parsed as JSON: `discarded` where it is not JSON, or holds more than any line of a
/// journal.
nlohmann::ordered_json parsed_line(std::string_view line);
/// JSON on one line; bytes that are no UTF-8 are replaced.
std::string dumped(const nlohmann::ordered_json& json);

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
  Journal(const std::filesystem::path& path, const Subject& subject, const SearchSpace& space,
          Existing existing);
  /// Seconds that the search has run, to a thousandth.
  double now() const;
  std::filesystem::path path_;
  FileDescriptor file_;
  std::vector<JournalEntry> entries_;
  /// What earlier processes have searched, in seconds, and since when this one does.
  double before_ = 0;
  std::chrono::steady_clock::time_point opened_ = std::chrono::steady_clock::now();
};

}  // namespace kiln::tune
