#pragma once

#include <string>
#include <variant>

#include "cli/command/context.hpp"
#include "kiln/formats/poclbin.hpp"

/// Program archives as files.
namespace kiln::cli {

/// An archive of either layout and the bytes that its model views.
struct ArchiveFile {
  std::string path;
  Bytes bytes;
  std::variant<poclbin::Archive, poclbin::wiki::Archive> model;

  const poclbin::Archive* real() const { return std::get_if<poclbin::Archive>(&model); }
  const poclbin::wiki::Archive* wiki() const { return std::get_if<poclbin::wiki::Archive>(&model); }
};

/// The bytes of an input: a file or a pipe; `-` is standard input. Throws Error.
Bytes read_archive_bytes(const std::string& path);

/// Reads and verifies. Throws Error with the path in front; anything but an archive is bad input.
ArchiveFile read_archive(const std::string& path);

/// The same where only a real archive will do; `why` says what the wiki's layout lacks for it.
ArchiveFile read_real_archive(const std::string& path, std::string_view why);

/// "PoCL's layout, version 9" or "the wiki's layout, version 1".
std::string layout_text(poclbin::Form form, std::uint32_t version);

/// One archive, or several, as positional arguments.
inline constexpr Positional one_archive{.value_name = "FILE",
                                        .help = "A program archive; - is standard input.",
                                        .least = 1,
                                        .most = 1,
                                        .kind = Kind::file};
inline constexpr Positional some_archives{.value_name = "FILE",
                                          .help = "Program archives; - is standard input.",
                                          .least = 1,
                                          .most = 1'000'000,
                                          .kind = Kind::file};

/// The file written next to extracted ones that holds everything else: header, kernels, the order
/// of the files.
inline constexpr std::string_view description_name = "poclbin.json";

/// An archive's description (poclbin::to_json()).
std::string json_of(const ArchiveFile& file);

}  // namespace kiln::cli
