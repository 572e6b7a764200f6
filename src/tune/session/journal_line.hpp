#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tune/tunable.hpp"

/// The lines of a journal as JSON: what its writer and its readers share. docs/formats/tuning.md
/// has the layout.
namespace kiln::tune {

/// The head's first member: what makes a file a journal, and its layout.
inline constexpr const char* kJournalMark = "kiln tuning journal";
inline constexpr int kJournalVersion = 1;

/// What the line of an evaluation says, but for the configuration's values.
struct JournalLine {
  ConfigurationId id = 0;
  Report report;
  std::optional<double> at;  ///< seconds that the search had run; older journals do not say
};

/// What made the winner of a search.
enum class Decision : std::uint8_t {
  play_off,        ///< the fastest of the finalists, and surely faster than the built-in parameters
  built_in,        ///< no candidate was surely faster than the built-in parameters
  earlier_record,  ///< what an earlier search had put on record was faster
  interrupted,     ///< the best so far of a search that was told to end: there was no play-off
};
const char* name_of(Decision decision);
/// The same for people, without a full stop: how many finalists met in the play-off, over how many
/// rounds, and why another one is on record.
std::string explanation_of(Decision decision, std::size_t finalists, std::size_t rounds);

/// How a search has ended: what the tuning record says, in the journal, too. A search that is gone
/// on with has several, and the last one counts.
struct SearchEnding {
  struct Finalist {
    ConfigurationId id = 0;
    double relative = 1;     ///< its time by that of the play-off's best
    std::size_t rounds = 0;  ///< that it was in
  };
  ConfigurationId winner = 0;
  double seconds = 0, standard = 0;  ///< as recorded; the built-in parameters', 0: not known
  Decision decision = Decision::play_off;
  std::size_t rounds = 0;
  std::vector<Finalist> finalists;  ///< the best first
};

/// Nothing where an object is no line of an ending, or a damaged one.
std::optional<SearchEnding> ending_of(const nlohmann::ordered_json& json);
/// Without the winner's configuration and the time of the ending.
nlohmann::ordered_json json_of(const SearchEnding& ending);
/// The configuration's values as lines have them.
nlohmann::ordered_json json_of_configuration(const SearchSpace& space, ConfigurationId id);

/// Nothing where an object is no line of an evaluation.
std::optional<JournalLine> journal_line_of(const nlohmann::ordered_json& json);
/// `at`: seconds that the search has run.
nlohmann::ordered_json json_of_line(const SearchSpace& space, ConfigurationId id,
                                    const Report& report, double at);

/// A parameter's value as the JSON of its type. Lists are none.
nlohmann::ordered_json json_of(const expr::Value& value);
/// Nothing for what is no number, truth value or text, or does not fit 64 bits.
std::optional<expr::Value> value_of(const nlohmann::ordered_json& json);

/// A line read as JSON: discarded where it is none, or holds more than any line of ours.
nlohmann::ordered_json parsed_line(std::string_view line);
/// JSON on one line; bytes that are no UTF-8 are replaced.
std::string dumped(const nlohmann::ordered_json& json);

}  // namespace kiln::tune
