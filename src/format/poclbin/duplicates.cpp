#include <fmt/format.h>

#include <algorithm>

#include "format/poclbin/path.hpp"
#include "format/poclbin/read.hpp"

namespace kiln::poclbin {
namespace {

void refuse_same_kernels(Cursor& cursor, const Archive& archive) {
  std::vector<std::string_view> names;
  for (const Kernel& kernel : archive.kernels) names.push_back(kernel.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    cursor.refuse(cursor.offset_of(*std::next(twice)), "kernel name",
                  fmt::format("{} is there twice", *twice));
}

void refuse_same_paths(Cursor& cursor, const Archive& archive) {
  std::vector<std::string_view> paths;
  for (const auto& root : archive.root)
    for (const File& file : root) paths.push_back(file.path);
  for (const Kernel& kernel : archive.kernels)
    for (const File& file : kernel.files) paths.push_back(file.path);
  std::sort(paths.begin(), paths.end(), folder_order);
  // In this order whatever lies in a folder comes right after the folder's own name.
  for (std::size_t i = 1; i < paths.size(); ++i)
    if (is_at_or_below(paths[i], paths[i - 1]))
      cursor.refuse(cursor.offset_of(paths[i]), "file path",
                    paths[i] == paths[i - 1] ? fmt::format("{} is there twice", paths[i])
                                             : fmt::format("{} needs a folder where {} is a file",
                                                           paths[i], paths[i - 1]));
}

}  // namespace

void refuse_duplicates(Cursor& cursor, const Archive& archive) {
  refuse_same_kernels(cursor, archive);
  refuse_same_paths(cursor, archive);
}

}  // namespace kiln::poclbin
