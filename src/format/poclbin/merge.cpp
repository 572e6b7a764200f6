#include <fmt/format.h>

#include <algorithm>

#include "format/poclbin.hpp"
#include "format/poclbin/layout.hpp"

namespace kiln::poclbin {
namespace {

Expected<Archive> parse_input(ByteView bytes, std::string_view which) {
  auto archive = parse(bytes);
  if (!archive)
    return fail(archive.error().code(), fmt::format("{} {}", which, archive.error().message()));
  return archive;
}

/// Which header field differs; null where the two may be of one program.
const char* header_difference(const Archive& first, const Archive& second) {
  if (first.device_id != second.device_id) return "device ids";
  if (first.version != second.version) return "format versions";
  if (first.flags != second.flags) return "flags";
  if (first.build_hash != second.build_hash) return "build hashes";
  if (first.program_scope_bytes != second.program_scope_bytes) return "program-scope bytes";
  return nullptr;
}

bool same_metadata(Kernel first, Kernel second) {
  first.files.clear();
  second.files.clear();
  return first == second;
}

Expected<void> add_files(std::vector<File>& to, const std::vector<File>& from) {
  for (const File& file : from) {
    const auto same = std::find_if(to.begin(), to.end(),
                                   [&](const File& each) { return each.path == file.path; });
    if (same == to.end())
      to.push_back(file);
    else if (!(*same == file) && file.path != "/program.bc")
      // program.bc holds the name of a temporary file, so it differs from build to build.
      return fail(Errc::refused, fmt::format("the archives differ in {} ({} and {} bytes)",
                                             file.path, same->content.size(), file.content.size()));
  }
  return {};
}

/// The root entry that another archive's entry belongs to: one with a path of it, or a new one
/// where the version takes more.
std::vector<File>& matching_root(Archive& archive, const std::vector<File>& files) {
  for (auto& root : archive.root)
    for (const File& file : root)
      for (const File& other : files)
        if (file.path == other.path) return root;
  if (archive.root.size() < writing_layout(archive.version).most_roots)
    return archive.root.emplace_back();
  return archive.root.back();
}

Expected<void> add_kernel(Archive& to, const Kernel& kernel) {
  const auto same = std::find_if(to.kernels.begin(), to.kernels.end(),
                                 [&](const Kernel& each) { return each.name == kernel.name; });
  if (same == to.kernels.end()) {
    to.kernels.push_back(kernel);
    return {};
  }
  if (!same_metadata(*same, kernel))
    return fail(Errc::refused,
                fmt::format("the archives describe kernel {} differently", kernel.name));
  return add_files(same->files, kernel.files);
}

}  // namespace

Expected<Bytes> merge(ByteView first, ByteView second) {
  auto merged = parse_input(first, "first");
  if (!merged) return tl::unexpected(merged.error());
  const auto other = parse_input(second, "second");
  if (!other) return tl::unexpected(other.error());
  if (const char* field = header_difference(*merged, *other))
    return fail(Errc::refused,
                fmt::format("the archives are not of one program: their {} differ", field));
  for (const auto& files : other->root)
    if (auto added = add_files(matching_root(*merged, files), files); !added)
      return tl::unexpected(added.error());
  for (const Kernel& kernel : other->kernels)
    if (auto added = add_kernel(*merged, kernel); !added) return tl::unexpected(added.error());
  Bytes bytes = write(*merged);
  // Each may be sound and their union not: a file of one where the other has a folder.
  if (auto sound = parse(bytes); !sound)
    return fail(Errc::refused, "the union is not sound: " + sound.error().message());
  return bytes;
}

}  // namespace kiln::poclbin
