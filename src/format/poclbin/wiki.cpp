#include <fmt/format.h>

#include <cstring>

#include "base/data/bytes.hpp"
#include "format/poclbin/path.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::poclbin::wiki {
namespace {

constexpr std::string_view magic = "poclbin";
constexpr std::uint32_t known_version = 1;

/// The text up to a NUL, which is passed over.
std::string_view read_text(Cursor& cursor, ByteView bytes, std::string_view field) {
  const ByteView rest = bytes.subspan(bytes.size() - cursor.left());
  // A path is short: no search through all that is left for an end that it must not have.
  const std::size_t most = std::min(rest.size(), longest_path + 1);
  const auto end = most == 0 ? nullptr : std::memchr(rest.data(), 0, most);
  if (end == nullptr) {
    cursor.refuse(cursor.at(), field,
                  fmt::format("missing NUL: a path ends within {} bytes", most));
    return {};
  }
  const auto size = static_cast<std::size_t>(static_cast<const std::byte*>(end) - rest.data());
  return as_text(cursor.take(size + 1, field)).substr(0, size);
}

std::string_view read_path(Cursor& cursor, ByteView bytes, std::string_view field) {
  const std::size_t offset = cursor.at();
  const std::string_view path = read_text(cursor, bytes, field);
  if (!cursor.ok()) return {};
  if (const char* problem = relative_path_problem(path))
    cursor.refuse(offset, field, fmt::format("found {}", problem));
  return path;
}

/// Reads up to the first file; the header's values go into `into`.
void read_header(Cursor& cursor, ByteView bytes, Archive& into) {
  if (as_text(cursor.take(magic.size(), "magic")) != magic)
    cursor.refuse(0, "magic", "expected \"poclbin\"");
  const std::size_t offset = cursor.at();
  into.version = cursor.number<std::uint32_t>("version");
  if (into.version != known_version)
    cursor.refuse(offset, "version",
                  fmt::format("found {:#x}: neither a NUL, as in PoCL's archives, nor version 1 of "
                              "the wiki's layout",
                              into.version),
                  Errc::unsupported);
  if (!cursor.ok()) return;
  // An empty base means that paths are relative to the folder that the reader chooses.
  if (cursor.left() > 0 && bytes[cursor.at()] == std::byte{0})
    cursor.take(1, "base path");
  else
    into.base = read_path(cursor, bytes, "base path");
}

/// Hands every file to `found`, and refuses those that exclude one another.
template <class Found>
void read_files(Cursor& cursor, ByteView bytes, const Found& found) {
  Names paths;
  while (cursor.left() > 0) {
    File file;
    file.path = read_path(cursor, bytes, "file path");
    file.content = cursor.block("file content");
    if (!cursor.ok()) return;
    paths.add(file.path);
    found(file);
  }
  if (cursor.ok()) paths.refuse_conflicts(cursor, "file path");
}

template <class Found>
Expected<Archive> read(ByteView bytes, const Found& found) {
  Cursor cursor(bytes, "program archive");
  Archive archive;
  read_header(cursor, bytes, archive);
  read_files(cursor, bytes, [&](const File& file) { found(archive, file); });
  if (!cursor.ok()) return tl::unexpected(cursor.error());
  return archive;
}

}  // namespace

Expected<Archive> parse(ByteView bytes) {
  return read(bytes, [](Archive& archive, const File& file) { archive.files.push_back(file); });
}

Expected<Verified> verify(ByteView bytes) {
  Verified verified;
  verified.form = Form::wiki;
  const auto read_all = read(bytes, [&](Archive&, const File& file) {
    ++verified.files;
    verified.content_bytes += file.content.size();
  });
  if (!read_all) return tl::unexpected(read_all.error());
  verified.version = read_all->version;
  return verified;
}

Bytes write(const Archive& archive) {
  constexpr std::string_view end("\0", 1);
  Bytes bytes;
  append(bytes, magic);
  append_le(bytes, archive.version);
  append(bytes, archive.base);
  append(bytes, end);
  for (const File& file : archive.files) {
    append(bytes, file.path);
    append(bytes, end);
    append_le(bytes, static_cast<std::uint32_t>(file.content.size()));
    append(bytes, file.content);
  }
  return bytes;
}

}  // namespace kiln::poclbin::wiki
