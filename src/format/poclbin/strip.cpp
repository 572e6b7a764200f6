// An archive without its bitcode.
#include <fmt/format.h>

#include <algorithm>

#include "base/data/digest.hpp"
#include "format/poclbin/layout.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::poclbin {
namespace {

bool any_is_bitcode(const std::vector<File>& files) {
  return std::any_of(files.begin(), files.end(),
                     [](const File& file) { return is_bitcode(file.path); });
}

bool has_object(const Kernel& kernel, std::string_view folder) {
  return std::any_of(kernel.files.begin(), kernel.files.end(), [&](const File& file) {
    return file.path.ends_with(".so") && file.path.find(folder) != file.path.npos;
  });
}

}  // namespace

bool has_bitcode(const Archive& archive) {
  return std::any_of(archive.root.begin(), archive.root.end(), any_is_bitcode);
}

bool has_bitcode(const wiki::Archive& archive) { return any_is_bitcode(archive.files); }

Expected<Stripped> strip(const Archive& archive) {
  Stripped stripped;
  for (const Kernel& kernel : archive.kernels) {
    if (!has_object(kernel, "/"))
      return fail(
          Errc::refused,
          fmt::format("kernel {} has no object: without program.bc PoCL would abort", kernel.name));
    if (!has_object(kernel, "/0-0-0/"))
      stripped.notes.push_back(fmt::format(
          "kernel {} has no generic function (0-0-0): PoCL aborts at any other local size",
          kernel.name));
  }
  // Under the old hash PoCL would use a program.bc that is in its cache.
  const std::string what = std::string(archive.build_hash) + " without program.bc";
  stripped.bytes = rewrite(archive, build_hash(blake2b(as_bytes(what)).bytes), is_bitcode);
  return stripped;
}

Bytes strip(const wiki::Archive& archive) {
  auto model = archive;
  std::erase_if(model.files, [](const File& file) { return is_bitcode(file.path); });
  return wiki::write(model);
}

}  // namespace kiln::poclbin
