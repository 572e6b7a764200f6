#pragma once

#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>

#include "cli/command/context.hpp"
#include "format/poclbin.hpp"
#include "format/poclbin/wiki.hpp"

/// Program archives as files, and their description in JSON.
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

/// An archive without contents, as JSON: all of the model, so that `create` can make the same
/// bytes again. Texts that are not UTF-8 stand as {"hex": "…"}.
nlohmann::ordered_json describe(const ArchiveFile& file);

/// What a description says. Owns the texts that the model views; not to be copied.
struct Description {
  std::variant<poclbin::Archive, poclbin::wiki::Archive> model;  ///< files without contents
  std::string content;  ///< hexadecimal content_id of what was described; empty: not known
  std::deque<std::string> texts;
};

/// Reads a description. Throws Error (bad input) with `path`, the field, what was found and what
/// was expected.
Description read_description(std::string_view json, const std::string& path);

}  // namespace kiln::cli
