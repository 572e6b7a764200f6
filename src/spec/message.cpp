#include "kiln/spec.hpp"

namespace kiln::spec {

// The form of compilers, which editors and terminals turn into links.
std::string Message::render() const {
  std::string result = file;
  if (line != 0) result.append(result.empty() ? "line " : ":").append(std::to_string(line));
  if (column != 0) result.append(":").append(std::to_string(column));
  if (!result.empty()) result += ": ";
  if (severity == Severity::warning) result += "warning: ";
  if (!attribute.empty()) result += "attribute '" + attribute + "': ";
  return result + text;
}

Expected<SpecDialect> parse_dialect(std::string_view name) {
  for (const auto dialect : {SpecDialect::automatic, SpecDialect::base, SpecDialect::concurrent}) {
    if (name == name_of(dialect)) return dialect;
  }
  return fail(Errc::bad_input,
              "found the dialect \"" + std::string(name) + "\", expected auto, base or concurrent");
}

const char* name_of(SpecDialect dialect) noexcept {
  switch (dialect) {
    case SpecDialect::base:
      return "base";
    case SpecDialect::concurrent:
      return "concurrent";
    default:
      return "auto";
  }
}

}  // namespace kiln::spec
