#pragma once

#include <cstdint>
#include <initializer_list>

namespace kiln {

// Kernel templates are plain OpenCL C files, templates/*.cl of a module, so that editors show them
// as what they are. The build embeds them (kiln_templates in cmake/modules.cmake); a module that
// has some declares
//
//     std::string_view template_text(std::string_view name);
//     std::uint64_t template_mark(std::string_view name);
//
// in its own namespace: a template's text, empty where there is none of this name, and a number
// that changes with the text, the beginning of its SHA-256.

/// The version of a generator that puts together the texts of these marks: a digest, so that it
/// need not be raised with them. `number` stands for the generator's own code.
constexpr std::int64_t version_of(std::int64_t number, std::initializer_list<std::uint64_t> marks) {
  // FNV-1a, a word at a time; versions are positive.
  auto mixed = static_cast<std::uint64_t>(number) ^ 0xcbf29ce484222325u;
  for (const auto mark : marks) mixed = (mixed ^ mark) * 0x100000001b3u;
  return static_cast<std::int64_t>(mixed >> 1);
}

}  // namespace kiln
