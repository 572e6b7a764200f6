#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "tune/session/journal_line.hpp"

namespace kiln::tune {

/// One configuration of a finished or running search, and what came of it.
struct Evaluation {
  ConfigurationId id = 0;
  std::vector<std::size_t> positions;  ///< of the values, one a parameter of the run
  Outcome outcome;                     ///< a time is in seconds
  std::string message;                 ///< why it failed
  std::optional<double> at;            ///< seconds that the search had run
};

/// A search as its journal tells it: what reports and exports are made of. Plain data.
struct TuningRun {
  std::string identity, device, strategy, space;  ///< as Journal::Subject
  std::uint64_t seed = 0;
  /// The values are those that were measured: numbers in ascending order.
  std::vector<Parameter> parameters;
  std::vector<Evaluation> evaluations;  ///< in their order

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
  std::string text(const Evaluation& evaluation) const;
  /// The fastest first, each configuration once; those that failed are left out.
  std::vector<const Evaluation*> ranked() const;
  /// The most frequent first.
  std::vector<Reason> reasons() const;
  /// The device's name: the third part of its identity, or all of it where it has no parts.
  std::string device_name() const;
};

/// Reads a journal. `name` stands in errors, which are one line: "NAME: line 3: …". A last line
/// that was cut is left out, as the tuner does. A journal without an evaluation is an error.
Expected<TuningRun> read_run(ByteView journal, std::string_view name);

}  // namespace kiln::tune
