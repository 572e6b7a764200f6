#include "cli/tune/journals.hpp"

#include <algorithm>
#include <cstdlib>

#include "kiln/error.hpp"

namespace kiln::cli {

std::filesystem::path journal_folder() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/')
    return std::filesystem::path(state) / "kiln" / "tuning";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/')
    throw Error(Errc::bad_input, "neither XDG_STATE_HOME nor HOME is set: expected --journal FILE");
  return std::filesystem::path(home) / ".local" / "state" / "kiln" / "tuning";
}

std::vector<std::filesystem::path> all_journals() {
  std::vector<std::filesystem::path> journals;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(journal_folder(), absent))
    if (entry.path().extension() == ".jsonl") journals.push_back(entry.path());
  std::sort(journals.begin(), journals.end());
  return journals;
}

}  // namespace kiln::cli
