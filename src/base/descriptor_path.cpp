#include "base/descriptor_path.hpp"

#include <unistd.h>

#include <charconv>
#include <string_view>

namespace kiln {

std::optional<int> descriptor_named_by(const std::filesystem::path& path) {
  const std::string name = path.lexically_normal();
  if (name == "/dev/stdin") return STDIN_FILENO;
  if (name == "/dev/stdout") return STDOUT_FILENO;
  if (name == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!name.starts_with(folder)) continue;
    int number = 0;
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + folder.size(), end, number);
    if (error == std::errc() && stop == end && number >= 0) return number;
  }
  return std::nullopt;
}

std::filesystem::path folder_of_input(const std::filesystem::path& path) {
  return descriptor_named_by(path) ? std::filesystem::path() : path.parent_path();
}

}  // namespace kiln
