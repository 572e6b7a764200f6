#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/bytes.hpp"
#include "tune/search/journal.hpp"

/// A search as plain data, read from its journal: what reports, exports and records are made of.
namespace kiln::tune {

/// One configuration of a finished or running search, and what came of it.
struct Evaluation {
  ConfigurationId id = 0;
  std::vector<std::size_t> positions;  ///< of the values, one a parameter of the run
  Outcome outcome;                     ///< a time is in seconds
  std::string message;                 ///< why it failed
  std::optional<double> at;            ///< seconds that the search had run
};

/// What a search has ended with: the configuration that is on record, and how it was found.
struct RunWinner {
  SearchEnding ending;
  std::vector<std::size_t> positions;  ///< as Evaluation's
  std::size_t evaluations = 0;         ///< that there were then; there may be more since
};

/// A search as its journal tells it: what reports and exports are made of. Plain data.
struct TuningRun {
  std::string identity, device, strategy, space;  ///< as Journal::Subject
  std::uint64_t seed = 0;
  /// The values are those that were measured: numbers in ascending order.
  std::vector<Parameter> parameters;
  std::vector<Evaluation> evaluations;  ///< in their order
  /// None where the search goes on, was killed, or is of an older program.
  std::optional<RunWinner> winner;

  /// Why evaluations failed.
  struct Reason {
    Failure failure;
    std::size_t count = 0;
    std::string message;  ///< the first one's
  };

  const expr::Value& value(const Evaluation& evaluation, std::size_t parameter) const {
    return parameters[parameter].values[evaluation.positions[parameter]];
  }
  /// "TS=8 WPT=2".
  std::string text(const Evaluation& evaluation) const { return text(evaluation.positions); }
  std::string text(const std::vector<std::size_t>& positions) const;
  /// What the search came to: the winner and the time on record, or of a search without an end the
  /// fastest so far. Nothing where all failed.
  struct Best {
    std::string text;
    double seconds = 0;
    bool is_final = false;
  };
  std::optional<Best> best() const;
  /// What a configuration came to in the play-off; null where it was not in it.
  const SearchEnding::Finalist* finalist(ConfigurationId id) const;
  /// As ranked(), but behind the winner and the other finalists in the order of the play-off.
  std::vector<const Evaluation*> standing() const;
  /// The fastest first, each configuration once; those that failed are left out.
  std::vector<const Evaluation*> ranked() const;
  /// The most frequent first.
  std::vector<Reason> reasons() const;
};

/// Reads a journal. `name` is part of errors, which are one line: "NAME: line 3: …". A last line
/// that was cut is left out, as the tuner does. A journal without an evaluation is an error.
Expected<TuningRun> read_run(ByteView journal, std::string_view name);

}  // namespace kiln::tune
