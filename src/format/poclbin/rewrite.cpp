#include <algorithm>

#include "format/poclbin.hpp"
#include "format/poclbin/root.hpp"

namespace kiln::poclbin {
namespace {

void drop_files(Archive& archive, bool (*drop)(std::string_view path)) {
  const auto dropped = [drop](const File& file) { return drop(file.path); };
  for (auto& files : archive.root) std::erase_if(files, dropped);
  for (Kernel& kernel : archive.kernels) std::erase_if(kernel.files, dropped);
  complete_root(archive);
}

}  // namespace

Bytes rewrite(const Archive& archive, std::string_view new_build_hash,
              bool (*drop)(std::string_view path)) {
  Archive changed = archive;
  changed.build_hash = new_build_hash;
  if (drop != nullptr) drop_files(changed, drop);
  return write(changed);
}

Bytes with_file(const Archive& archive, std::string_view kernel, std::string_view path,
                ByteView content) {
  Archive changed = archive;
  const auto found = std::find_if(changed.kernels.begin(), changed.kernels.end(),
                                  [&](const Kernel& each) { return each.name == kernel; });
  if (found == changed.kernels.end()) return {};
  const auto same = std::find_if(found->files.begin(), found->files.end(),
                                 [&](const File& file) { return file.path == path; });
  if (same != found->files.end())
    same->content = content;
  else
    found->files.push_back({path, content});
  Bytes bytes = write(changed);
  // The one check of paths is parse's: a file that it would refuse must not leave this function.
  if (!parse(bytes)) return {};
  return bytes;
}

}  // namespace kiln::poclbin
