#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/spec/file.hpp"

namespace kiln::spec::testing {

/// A right specification that uses every attribute; tests change it at one place.
inline const std::string full = R"~({
  "name": "scale",
  "src": "scale.cl",
  "partition": 8,
  "workDimension": 2,
  "globalWorkSize": "[n1, m1]",
  "localWorkSize": "[TS, TS / wpt]",
  "inputBuffers": [
    {"pos": 0, "type": "float", "size": "m1*n1", "break": 1, "chunk": "n1",
     "from": {"kernel": 3, "pos": 2}, "create": true, "enq_write": false, "enq_read": true}
  ],
  "outputBuffers": [{"pos": 1, "type": "float4", "size": "m1*n1/4", "break": 0}],
  "ioBuffers": [{"pos": 2, "type": "unsigned int", "size": 7, "break": 0}],
  "varArguments": [
    {"pos": 3, "type": "int", "value": "partition_round(m1, size_percent)"},
    {"pos": 4, "type": "float2", "value": [0.5, -1]},
    {"pos": 5, "type": "uchar", "value": "half_of(9)"}
  ],
  "localArguments": [{"pos": 6, "type": "double", "size": "TS*TS"}],
  "id": 12,
  "eco": 1.5,
  "ecos": {"1024": 2, "2048": 3.5},
  "symbolicVariables": {"m1": 64, "n1": "2*m1", "TS": 16, "wpt": 2},
  "macros_values": {"TS": "TS", "WIDTH": 4, "REAL": "float", "AREA": "(m1 * n1)"},
  "localChunkFactor": [2],
  "globalChunkFactor": [1, 1],
  "depends": [3, "other"],
  "task": 1,
  "dataset": 1024,
  "functions": {"half_of(x)": "x / 2"}
})~";

/// A small right one: 1-D, in and out, one scalar.
inline const std::string small = R"~({
  "name": "add",
  "src": "add.cl",
  "partition": 10,
  "workDimension": 1,
  "globalWorkSize": "[dataset]",
  "inputBuffers": [{"pos": 0, "type": "float", "size": "dataset", "break": 1}],
  "outputBuffers": [{"pos": 1, "type": "float", "size": "dataset", "break": 1}],
  "varArguments": [{"pos": 2, "type": "int", "value": "partition_round(dataset, size_percent)"}]
})~";

/// The text with its only occurrence of `what` replaced.
inline std::string with(std::string text, std::string_view what, std::string_view by) {
  const auto at = text.find(what);
  if (at == text.npos || text.find(what, at + 1) != text.npos) {
    throw std::logic_error("the text must hold this once: " + std::string(what));
  }
  return text.replace(at, what.size(), by);
}

inline std::vector<std::string> errors_of(const std::vector<Message>& messages) {
  std::vector<std::string> result;
  for (const auto& message : messages) {
    if (message.severity == Message::Severity::error) result.push_back(message.render());
  }
  return result;
}
inline std::vector<std::string> warnings_of(const std::vector<Message>& messages) {
  std::vector<std::string> result;
  for (const auto& message : messages) {
    if (message.severity == Message::Severity::warning) result.push_back(message.render());
  }
  return result;
}

inline std::vector<std::string> errors_in(const std::string& text) {
  return errors_of(check_text(text, "a.json"));
}
inline std::vector<std::string> warnings_in(const std::string& text) {
  return warnings_of(check_text(text, "a.json"));
}

/// The spec of a right text; throws its error otherwise.
inline Spec spec_of(const std::string& text, SpecDialect dialect = SpecDialect::automatic) {
  return value_or_throw(parse_spec(text, "a.json", dialect));
}
inline BoundSpec bound_of(const std::string& text, const Symbols& symbols = {},
                          SpecDialect dialect = SpecDialect::automatic) {
  return value_or_throw(bind(spec_of(text, dialect), symbols));
}
inline Symbols set(std::string name, expr::Value value) { return {{{std::move(name), value}}, {}}; }

/// `small` with another number of elements in every formula.
inline std::string small_at(std::int64_t n) {
  std::string text = small;
  for (auto at = text.find("dataset"); at != text.npos; at = text.find("dataset", at)) {
    text.replace(at, 7, std::to_string(n));
  }
  return text;
}

}  // namespace kiln::spec::testing
