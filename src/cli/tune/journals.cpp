#include "cli/tune/journals.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/environment.hpp"
#include "kiln/error.hpp"

namespace kiln::cli {

std::filesystem::path journal_folder() {
  const auto folder = user_folder(UserFolder::state);
  if (folder.empty())
    throw Error(Errc::bad_input,
                "neither XDG_STATE_HOME nor HOME is an absolute path: --journal FILE is required");
  return folder / "tuning";
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
