#pragma once

#include <string>
#include <string_view>

namespace kiln {

/// A text from a file as it may stand in a message: control bytes become '?', since a terminal
/// obeys them and a log line ends at them.
inline std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return out;
}

}  // namespace kiln
