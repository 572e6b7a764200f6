#include <climits>
#include <system_error>

#include "base/streams.hpp"
#include "spec/source_place.hpp"

namespace kiln::spec {
namespace fs = std::filesystem;

// The two folders are the published layouts: specifications in info/, sources beside it. Paths are
// normalised so that messages, and what is stored about a program, do not hang on `info/..`.
Expected<fs::path> source_place(const Spec& spec, const std::vector<fs::path>& source_dirs) {
  if (spec.src.size() > PATH_MAX)
    return fail(Errc::bad_input, "found a path of " + std::to_string(spec.src.size()) +
                                     " characters, expected at most " + std::to_string(PATH_MAX));
  const fs::path folder = folder_of_input(spec.file);
  std::vector<fs::path> places = {folder, folder / ".." / "kernel_src", folder / ".." / "kernels"};
  places.insert(places.end(), source_dirs.begin(), source_dirs.end());
  std::string tried;
  for (const auto& place : places) {
    const fs::path candidate = (place / spec.src).lexically_normal();
    std::error_code ignored;  // a place that cannot be looked at does not hold the file
    if (fs::is_regular_file(candidate, ignored)) return candidate;
    tried += (tried.empty() ? "" : ", ") + candidate.string();
    if (fs::path(spec.src).is_absolute()) break;
  }
  return fail(Errc::not_found,
              "missing file \"" + spec.src + "\"; tried " + tried + "; --source-dir adds a folder");
}

Expected<fs::path> find_source(const Spec& spec, const std::vector<fs::path>& source_dirs) {
  auto found = source_place(spec, source_dirs);
  if (found) return found;
  return fail(found.error().code(), (spec.file.empty() ? "" : spec.file + ": ") +
                                        "attribute 'src': " + found.error().message());
}

}  // namespace kiln::spec
