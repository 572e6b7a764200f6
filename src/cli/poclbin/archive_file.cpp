// Program archives as files.
#include "cli/poclbin/archive_file.hpp"

#include <fmt/format.h>

#include "base/os/file.hpp"
#include "cli/command/interrupt.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::cli {
namespace {

/// The largest archive that is read; PoCL's own writer stops at 256 MiB.
constexpr std::uint64_t most_archive_bytes = std::uint64_t{1} << 30;

[[noreturn]] void refuse(const std::string& path, const Error& error) {
  throw Error(Errc::bad_input, fmt::format("{}: {}", path, error.message()));
}

}  // namespace

Bytes read_archive_bytes(const std::string& path) {
  return value_or_throw(read_input(path, most_archive_bytes));
}

ArchiveFile read_archive(const std::string& path) {
  const EndsAtOnce reading;
  ArchiveFile file{path, read_archive_bytes(path), {}};
  if (poclbin::form_of(file.bytes) == poclbin::Form::wiki) {
    auto archive = poclbin::wiki::parse(file.bytes);
    if (!archive) refuse(path, archive.error());
    file.model = std::move(*archive);
  } else {
    auto archive = poclbin::parse(file.bytes);
    if (!archive) refuse(path, archive.error());
    file.model = std::move(*archive);
  }
  return file;
}

ArchiveFile read_real_archive(const std::string& path, std::string_view why) {
  ArchiveFile file = read_archive(path);
  if (file.real() == nullptr)
    throw Error(Errc::bad_input, fmt::format("{}: found the wiki's layout, which {}", path, why));
  return file;
}

std::string layout_text(poclbin::Form form, std::uint32_t version) {
  return fmt::format("{} layout, version {}", poclbin::name_of(form), version);
}

std::string json_of(const ArchiveFile& file) {
  return file.real() != nullptr ? poclbin::to_json(*file.real()) : poclbin::to_json(*file.wiki());
}

}  // namespace kiln::cli
