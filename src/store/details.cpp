#include "store/details.hpp"

#include <cmath>

namespace kiln {
namespace {

constexpr std::string_view cut_mark = "\n[cut]";

bool belongs_to_path(char c) {
  constexpr std::string_view signs = "._-+~@%/,=";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80 || signs.find(c) != std::string_view::npos;
}

/// Whether a slash here can be the first of an absolute path: after nothing, after a sign that no
/// relative path ends in, or after an option's letter ("-I/usr/include").
bool may_begin(std::string_view text, std::size_t slash) {
  if (slash == 0) return true;
  const char before = text[slash - 1];
  if (before == '=' || before == ',' || !belongs_to_path(before)) return true;
  const bool option = slash >= 2 && text[slash - 2] == '-' && (before == 'I' || before == 'L');
  return option && (slash == 2 || !belongs_to_path(text[slash - 3]));
}

/// At most the bytes that are kept, not ending inside a character.
std::string bounded(std::string text) {
  if (text.size() <= Metadata::longest_detail) return text;
  std::size_t end = Metadata::longest_detail - cut_mark.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
  return text.append(cut_mark);
}

}  // namespace

std::string without_folders(std::string_view text) {
  std::string kept;
  kept.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '/' || !may_begin(text, at)) {
      kept += text[at++];
      continue;
    }
    std::size_t end = at, last = at, parts = 0;
    for (; end < text.size() && belongs_to_path(text[end]) && text[end] != ',' && text[end] != '=';
         ++end) {
      if (text[end] == '/') last = end;
      // A part begins at each slash that something other than a slash follows.
      parts += text[end] == '/' && end + 1 < text.size() && text[end + 1] != '/' &&
               belongs_to_path(text[end + 1]);
    }
    if (parts < 2) last = at - 1;  // "/ 2", "//", "/dev": no user's folder
    kept += text.substr(last + 1, end - last - 1);
    at = end;
  }
  return kept;
}

Metadata kept_metadata(const Metadata& given) {
  Metadata kept = given;
  // The database keeps no NaN, and no sign of a zero; a checksum over either would not hold.
  if (!std::isfinite(kept.cost_seconds) || kept.cost_seconds <= 0) kept.cost_seconds = 0;
  kept.options = bounded(without_folders(given.options));
  kept.build_log = bounded(without_folders(given.build_log));
  return kept;
}

}  // namespace kiln
