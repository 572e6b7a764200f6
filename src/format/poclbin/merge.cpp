// Archives made from others: with another build hash, with fewer files or one more, and the union
// of two. What is made is parsed again where it could be unsound.
#include <fmt/format.h>

#include <algorithm>

#include "format/poclbin/layout.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::poclbin {
namespace {

/// The file of that path, or null.
File* find_file(std::vector<File>& files, std::string_view path) {
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const File& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

Kernel* find_kernel(Archive& archive, std::string_view name) {
  return const_cast<Kernel*>(archive.find(name));
}

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
  Kernel* found = find_kernel(changed, kernel);
  if (found == nullptr) return {};
  if (File* same = find_file(found->files, path))
    same->content = content;
  else
    found->files.push_back({path, content});
  Bytes bytes = write(changed);
  // The one check of paths is parse's: a file that it would refuse must not leave this function.
  if (!parse(bytes)) return {};
  return bytes;
}

namespace {

constexpr std::size_t most_named = 8;

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

/// Why the two are not of one program; empty where they may be.
std::string program_difference(const Archive& first, const Archive& second) {
  if (const char* field = header_difference(first, second))
    return fmt::format("the archives are not of one program: their {} differ", field);
  for (const Kernel& kernel : second.kernels) {
    const Kernel* same = first.find(kernel.name);
    if (same != nullptr && !same_metadata(*same, kernel))
      return fmt::format("the archives describe kernel {} differently", kernel.name);
  }
  return {};
}

/// Adds what is not there yet; paths with other bytes go into `conflicts`.
void add_files(std::vector<File>& to, const std::vector<File>& from,
               std::vector<std::string>& conflicts) {
  for (const File& file : from) {
    const File* same = find_file(to, file.path);
    if (same == nullptr)
      to.push_back(file);
    else if (!(*same == file) && file.path != bitcode_path && !is_bitcode_replacement(file))
      // program.bc holds the name of a temporary file, so it differs from build to build.
      conflicts.push_back(fmt::format("{} ({} and {} bytes)", file.path, same->content.size(),
                                      file.content.size()));
  }
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

void add_kernel(Archive& to, const Kernel& kernel, std::vector<std::string>& conflicts) {
  if (Kernel* same = find_kernel(to, kernel.name))
    add_files(same->files, kernel.files, conflicts);
  else
    to.kernels.push_back(kernel);
}

/// Adds the other's root files. A replacement of the bitcode goes as soon as there is a root file.
void add_root(Archive& to, const Archive& from, std::vector<std::string>& conflicts) {
  const auto before = to.root;
  for (const auto& files : from.root) add_files(matching_root(to, files), files, conflicts);
  if (to.root != before) complete_root(to);
}

std::string conflict_text(const std::vector<std::string>& conflicts) {
  const std::size_t named = std::min(conflicts.size(), most_named);
  std::string text = fmt::format(
      "the archives differ in {}",
      fmt::join(conflicts.begin(), conflicts.begin() + static_cast<std::ptrdiff_t>(named), ", "));
  if (named < conflicts.size()) text += fmt::format(" and {} more files", conflicts.size() - named);
  return text;
}

}  // namespace

Expected<Bytes> merge(ByteView first, ByteView second, Conflict conflict) {
  auto merged = parse_input(first, "first");
  if (!merged) return tl::unexpected(merged.error());
  const auto other = parse_input(second, "second");
  if (!other) return tl::unexpected(other.error());
  if (auto reason = program_difference(*merged, *other); !reason.empty())
    return fail(Errc::refused, std::move(reason));
  std::vector<std::string> conflicts;
  add_root(*merged, *other, conflicts);
  for (const Kernel& kernel : other->kernels) add_kernel(*merged, kernel, conflicts);
  if (!conflicts.empty() && conflict == Conflict::refuse)
    return fail(Errc::refused, conflict_text(conflicts));
  std::string hash;
  // PoCL may have unpacked the other files under this hash already, and overwrites none.
  if (!conflicts.empty()) merged->build_hash = hash = build_hash(code_id(*merged).bytes);
  Bytes bytes = write(*merged);
  // Each may be sound and their union not: a file of one where the other has a folder.
  if (auto sound = parse(bytes); !sound)
    return fail(Errc::refused, "the union is not sound: " + sound.error().message());
  return bytes;
}

}  // namespace kiln::poclbin
