#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/bytes.hpp"
#include "kernel/request/stored_record.hpp"
#include "tune/search/journal.hpp"

/// A search as plain data, read from its journal, and what is made of it: exports for other
/// programs, and how much the parameters matter.
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

// ---- Searches and records for other programs. docs/formats/tuning.md describes each format.

/// A search as a results file of the autotuning community (T4, version 1.0.0): what
/// read_measured_space() reads. Repeated measurements of a configuration are left out, but the
/// last.
std::string t4_of(const TuningRun& run);

/// A line for each evaluation, with a heading; RFC 4180. Parameters are columns: the runs must have
/// the same, else bad_input.
Expected<std::string> csv_of(const std::vector<TuningRun>& runs);

/// One object with all that the journals say.
std::string json_of(const std::vector<TuningRun>& runs);

/// The bytes of a SQLite database. Errors: io.
Expected<Bytes> sqlite_of(const std::vector<TuningRun>& runs);

// The same of what a store has on record.
std::string csv_of(const std::vector<StoredRecord>& records);
Expected<Bytes> sqlite_of(const std::vector<StoredRecord>& records);

/// One object; read_records() reads it.
std::string json_of(const std::vector<StoredRecord>& records);
/// One record as an object on one line.
std::string json_line_of(const StoredRecord& record);

/// What json_of() wrote, here or on another machine: subjects and what was measured, nothing else.
/// Errors are one line: "NAME: record 2: measurement 1: …".
Expected<std::vector<StoredRecord>> read_records(ByteView json, std::string_view name);

// ---- Which parameters matter

/// How much the parameters of a search matter, as far as its measurements tell.
///
/// Functional analysis of variance (Hutter, Hoos, Leyton-Brown: An efficient approach for assessing
/// hyperparameter importance, ICML 2014): a forest is fitted to the logarithms of the times, and
/// the variance of what it says, over the product of the values that were measured, is split
/// among the parameters. Estimated by sampling (Saltelli et al., Computer Physics Communications
/// 181, 2010). The share of a parameter alone, and with all its interactions; the former sum up to
/// 1 at most, the latter to 1 at least.
struct Importance {
  struct Share {
    std::size_t parameter;
    double alone = 0, with_others = 0;
  };
  std::vector<Share> shares;  ///< the largest with_others first
  std::size_t measured = 0;   ///< times that it was fitted to
  /// Of the variance of logarithms of times that a forest has not seen (five-fold), the part that
  /// it explains: 1 all, 0 or less nothing. What is said of parameters is worth no more than this.
  double explained = 0;
};

/// Fewer times than this say nothing.
inline constexpr std::size_t kLeastForImportance = 20;

/// Nothing where fewer than kLeastForImportance configurations have a time, or all have the same.
/// The same run gives the same answer.
std::optional<Importance> importance_of(const TuningRun& run);

}  // namespace kiln::tune
