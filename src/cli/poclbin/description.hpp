#pragma once

#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>

#include "cli/poclbin/files.hpp"

namespace kiln::cli {

/// The file beside extracted ones that holds what is no file: header, kernels, the order of files.
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
