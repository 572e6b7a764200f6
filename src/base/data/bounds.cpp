#include "base/data/bounds.hpp"

#include <string>

namespace kiln {
namespace {

tl::unexpected<Error> beyond(std::size_t at, const std::string& what, std::size_t most) {
  return fail(Errc::bad_input, "byte " + std::to_string(at) + ": found more than " +
                                   std::to_string(most) + " " + what + ", expected at most " +
                                   std::to_string(most));
}

/// Behind the text that begins at the quotation mark `at`.
std::size_t end_of_text(std::string_view json, std::size_t at) {
  for (++at; at < json.size(); ++at) {
    if (json[at] == '\\')
      ++at;
    else if (json[at] == '"')
      return at;
  }
  return json.size();
}

}  // namespace

Expected<void> check_json_bounds(std::string_view text, const JsonBounds& bounds) {
  std::size_t values = 1, depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '"':
        at = end_of_text(text, at);
        break;
      case '[':
      case '{':
        if (++depth > bounds.depth) return beyond(at, "levels of nested values", bounds.depth);
        // The first value of a container has no comma before it.
        if (++values > bounds.values) return beyond(at, "values", bounds.values);
        break;
      case ']':
      case '}':
        if (depth > 0) --depth;
        break;
      case ',':
        if (++values > bounds.values) return beyond(at, "values", bounds.values);
        break;
      default:
        break;
    }
  }
  return {};
}

}  // namespace kiln
