#include "layer/program/build_options.hpp"

#include <utility>

namespace kiln::layer {

BuildOptions parse_build_options(std::string_view options) {
  constexpr std::string_view blanks = " \t\n";
  BuildOptions parsed;
  bool is_folder = false;
  while (true) {
    const std::size_t begin = options.find_first_not_of(blanks);
    if (begin == options.npos) break;
    options.remove_prefix(begin);
    const std::string_view word = options.substr(0, options.find_first_of(blanks));
    options.remove_prefix(word.size());
    if (std::exchange(is_folder, false)) {
      parsed.include_folders.emplace_back(word);
    } else if (word == "-I") {
      is_folder = true;
    } else if (word.starts_with("-I")) {
      parsed.include_folders.emplace_back(word.substr(2));
    } else {
      parsed.others += (parsed.others.empty() ? "" : " ") + std::string(word);
    }
  }
  // The driver is to say what it thinks of it.
  if (is_folder) parsed.others += (parsed.others.empty() ? "" : " ") + std::string("-I");
  return parsed;
}

}  // namespace kiln::layer
