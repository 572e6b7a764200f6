#include "format/poclbin/root.hpp"

#include "format/poclbin/layout.hpp"

namespace kiln::poclbin {
namespace {

constexpr std::string_view stand_in_path = "/no-program.bc";

}  // namespace

// One byte, since releases before 3.1 assert that a file is not empty.
File stand_in() { return {stand_in_path, as_bytes("\n")}; }

bool is_stand_in(const File& file) { return file.path == stand_in_path; }

bool is_initialiser(std::string_view path) { return path.starts_with("/pocl.gvar.init/"); }

void complete_root(Archive& archive) {
  for (auto& files : archive.root) std::erase_if(files, is_stand_in);
  std::erase_if(archive.root, [](const auto& files) { return files.empty(); });
  while (archive.root.size() < writing_layout(archive.version).fewest_roots)
    archive.root.push_back({stand_in()});
}

}  // namespace kiln::poclbin
