#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

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

/// Nothing where an object is no line of an evaluation.
std::optional<JournalLine> journal_line_of(const nlohmann::ordered_json& json);
/// `at`: seconds that the search has run.
nlohmann::ordered_json json_of_line(const SearchSpace& space, ConfigurationId id,
                                    const Report& report, double at);

/// A parameter's value as the JSON of its type. Lists are none.
nlohmann::ordered_json json_of(const expr::Value& value);
/// Nothing for what is no number, truth value or text, or does not fit 64 bits.
std::optional<expr::Value> value_of(const nlohmann::ordered_json& json);

/// JSON on one line; bytes that are no UTF-8 are replaced.
std::string dumped(const nlohmann::ordered_json& json);

}  // namespace kiln::tune
