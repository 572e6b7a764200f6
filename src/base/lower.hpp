#pragma once

#include <string>
#include <string_view>

namespace kiln {

/// The text with A to Z in lower case. Not <cctype>: what that does hangs on the locale, which is
/// the application's.
inline std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

}  // namespace kiln
