#include "kernel/program/marked_assembly.hpp"

#include <algorithm>

namespace kiln {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The line ".target sm_NN, ..." for the architecture itself: ".target sm_NNa, ...".
std::string target_line(std::string_view line, std::size_t number) {
  const auto end =
      std::find_if_not(line.begin() + static_cast<std::ptrdiff_t>(number), line.end(), is_digit);
  const bool is_common = end != line.begin() + static_cast<std::ptrdiff_t>(number) &&
                         (end == line.end() || (*end != 'a' && *end != 'f'));
  std::string text(line);
  if (is_common) text.insert(static_cast<std::size_t>(end - line.begin()), 1, 'a');
  return text;
}

}  // namespace

std::optional<std::string> without_assembly_marks(std::string_view binary) {
  constexpr std::string_view target = ".target sm_";
  if (binary.find(assembly_mark) == binary.npos || binary.find(target) == binary.npos) return {};
  std::string text;
  text.reserve(binary.size() + 1);
  while (!binary.empty()) {
    const std::string_view line = binary.substr(0, binary.find('\n'));
    const std::size_t mark = line.find(assembly_mark);
    if (mark != line.npos)
      text.append(line.substr(0, mark)).append(line.substr(mark + assembly_mark.size()));
    else if (line.starts_with(target))
      text += target_line(line, target.size());
    else
      text += line;
    binary.remove_prefix(line.size());
    if (binary.empty()) break;
    text += '\n';
    binary.remove_prefix(1);
  }
  return text;
}

}  // namespace kiln
