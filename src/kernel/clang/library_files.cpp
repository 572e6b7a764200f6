#include "kernel/clang/library_files.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tuple>

namespace kiln::clang {

namespace fs = std::filesystem;

unsigned release_in_name(const std::string& file, const std::string& stem) {
  if (!file.starts_with(stem)) return 0;
  // "-18.so…" or ".so.18…"; "-cpp.so…" is another library.
  std::string_view rest = std::string_view(file).substr(stem.size());
  const bool before = rest.starts_with('-');
  const std::string_view lead = before ? "-" : ".so.";
  if (!rest.starts_with(lead)) return 0;
  rest.remove_prefix(lead.size());
  unsigned release = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), release);
  if (error != std::errc()) return 0;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return !before || rest.starts_with(".so") ? release : 0;
}

namespace {

/// Paths of the LLVMs that this process has loaded.
std::vector<fs::path> loaded_llvm_files() {
  std::vector<fs::path> files;
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* found) {
        const fs::path path = object->dlpi_name == nullptr ? "" : object->dlpi_name;
        if (release_in_name(path.filename().string(), "libLLVM") != 0)
          static_cast<std::vector<fs::path>*>(found)->push_back(path);
        return 0;
      },
      &files);
  return files;
}

/// The folder of the program or library that holds this code.
fs::path own_folder() {
  Dl_info info;
  if (::dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0) return {};
  std::error_code error;
  return fs::canonical(info.dli_fname, error).parent_path();
}

/// Where libclang may lie: where Debian keeps each release, next to Kiln, next to the LLVM of a
/// driver. Clang looks for headers of its own from where its library was opened, which Debian's
/// links outside the release's folder do not all lead to: they come last.
std::vector<fs::path> library_folders() {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/usr/lib", error))
    if (entry.path().filename().string().starts_with("llvm"))
      folders.push_back(entry.path() / "lib");
  // A program lies in bin/ or libexec/kiln/ of where Kiln was put.
  if (const auto own = own_folder(); !own.empty())
    folders.insert(folders.end(),
                   {own, own.parent_path() / "lib", own.parent_path().parent_path() / "lib"});
  for (const auto& file : loaded_llvm_files()) folders.push_back(file.parent_path());
  folders.insert(folders.end(), {"/usr/lib64", "/usr/lib", "/usr/local/lib"});
  return folders;
}

}  // namespace

std::set<unsigned> loaded_llvms() {
  std::set<unsigned> releases;
  for (const auto& file : loaded_llvm_files())
    releases.insert(release_in_name(file.filename().string(), "libLLVM"));
  return releases;
}

std::vector<fs::path> libclang_files(const std::vector<fs::path>& folders,
                                     const std::set<unsigned>& loaded) {
  struct Found {
    bool is_loaded;
    unsigned release;
    std::size_t folder;
    fs::path path;
  };
  std::vector<Found> found;
  std::set<fs::path> seen;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folders[i], error)) {
      const unsigned release = release_in_name(entry.path().filename().string(), "libclang");
      const auto file = fs::canonical(entry.path(), error);
      if (release == 0 || error || file.filename().string().find(".so") == std::string::npos ||
          !seen.insert(folders[i] / file.filename()).second)
        continue;
      found.push_back({loaded.contains(release), release, i, entry.path()});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::tuple(b.is_loaded, b.release, a.folder, a.path) <
           std::tuple(a.is_loaded, a.release, b.folder, b.path);
  });
  std::vector<fs::path> files;
  for (auto& one : found) files.push_back(std::move(one.path));
  return files;
}

std::vector<fs::path> libclang_files() { return libclang_files(library_folders(), loaded_llvms()); }

}  // namespace kiln::clang
