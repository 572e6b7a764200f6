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
  /// Calls `call` with each file in the archive's order and its kernel's name: "" for the root's.
  template <class Call>
  void each_file(const Call& call) const {
    const auto all = [&](const std::string& kernel, const std::vector<poclbin::File>& files) {
      for (const auto& file : files) call(kernel, file);
    };
    if (wiki() != nullptr) return all("", wiki()->files);
    for (const auto& root : real()->root) all("", root);
    for (const auto& kernel : real()->kernels) all(std::string(kernel.name), kernel.files);
  }
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
inline constexpr Positional one_archive =
    Positional::file("FILE", "A program archive; - is standard input.");
inline constexpr Positional some_archives =
    Positional::files("FILE", "Program archives; - is standard input.");

/// The file written next to extracted ones that holds everything else: header, kernels, the order
/// of the files.
inline constexpr std::string_view description_name = "poclbin.json";

/// An archive's description (poclbin::to_json()).
std::string json_of(const ArchiveFile& file);

}  // namespace kiln::cli
