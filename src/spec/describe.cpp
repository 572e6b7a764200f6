#include <algorithm>
#include <cstdio>

#include "spec/json_tree.hpp"

namespace kiln::spec {

/// Messages are one line on a terminal: no control character of a file may reach it.
std::string quote(std::string_view text) {
  constexpr std::size_t shown = 60;
  std::string result = "\"";
  for (const char c : text.substr(0, shown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02x", byte);
      result += escape;
    } else {
      result += c;
    }
  }
  if (text.size() > shown) {
    // A cut inside a UTF-8 sequence would leave half a character on the terminal.
    while (!result.empty() && (static_cast<unsigned char>(result.back()) & 0xC0) == 0x80) {
      result.pop_back();
    }
    if (static_cast<unsigned char>(result.back()) >= 0xC0) result.pop_back();
    return result + "\" … (" + std::to_string(text.size()) + " characters)";
  }
  return result + '"';
}

std::string describe(const Json& value) {
  switch (value.kind) {
    case Json::Kind::null:
      return "null";
    case Json::Kind::boolean:
      return value.boolean ? "true" : "false";
    case Json::Kind::integer:
      return std::to_string(value.integer);
    case Json::Kind::real:
      return value.text.substr(0, 40);
    case Json::Kind::string:
      return "the string " + quote(value.text);
    case Json::Kind::list:
      return "a list of " + std::to_string(value.items.size());
    case Json::Kind::object:
      return "an object";
  }
  return {};
}

LineTable::LineTable(std::string_view text) : starts_{0} {
  for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) {
    starts_.push_back(at + 1);
  }
}

std::uint32_t LineTable::line(std::size_t at) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), at);
  return static_cast<std::uint32_t>(after - starts_.begin());
}

// In bytes, as compilers count: editors agree on every file without other characters.
std::uint32_t LineTable::column(std::size_t at) const {
  return static_cast<std::uint32_t>(at - starts_[line(at) - 1] + 1);
}

}  // namespace kiln::spec
