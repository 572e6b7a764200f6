#include "spec/trailing_commas.hpp"

#include <optional>

namespace kiln::spec {

// One pass beside the real parser: it only needs to know what is inside a string. Where the text is
// no JSON anyway it may blank a comma too many, which changes no answer: the parser still refuses.
std::string without_trailing_commas(std::string_view text, std::vector<JsonRemark>& remarks) {
  std::string result(text);
  bool in_string = false;
  // A comma counts only after a value: `[,]` and `[1,,]` stay the errors that they are.
  char last = '\0', before_comma = '\0';
  std::optional<std::size_t> comma;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') {
        ++at;
      } else if (c == '"') {
        in_string = false;
      }
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
    if ((c == ']' || c == '}') && comma && before_comma != '[' && before_comma != '{' &&
        before_comma != ',' && before_comma != ':') {
      result[*comma] = ' ';
      remarks.push_back({*comma, std::string("found a comma before '") + c +
                                     "', expected none: JSON has no trailing commas"});
    }
    comma.reset();
    if (c == ',') {
      comma = at;
      before_comma = last;
    }
    in_string = c == '"';
    last = c;
  }
  return result;
}

}  // namespace kiln::spec
