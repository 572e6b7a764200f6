#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/data/digest.hpp"
#include "kiln/error.hpp"
#include "kiln/formats/spirv.hpp"

namespace kiln {

/// A program's text after include expansion, or its SPIR-V module, with its digest. Immutable, so
/// threads share it.
class ExpandedSource {
 public:
  /// `text` must be expanded already; users call load_source or from_text.
  ExpandedSource(std::string text, std::string name, std::vector<std::filesystem::path> files = {});
  /// A module in little-endian order, and what it says of itself; users call load_source or
  /// from_module.
  ExpandedSource(ByteView bytes, spirv::Module module, std::string name,
                 std::vector<std::filesystem::path> files);

  /// What the driver compiles. Begins with `#line 1 "name"`; its newlines are \n. Of a SPIR-V
  /// module its bytes.
  const std::string& text() const { return text_; }
  /// What a SPIR-V module says of itself; null where the program is OpenCL C.
  const spirv::Module* module() const { return module_.get(); }
  /// BLAKE2b-256 of text(), computed once.
  const Digest& digest() const { return digest_; }
  /// File name for people: never an absolute path.
  const std::string& name() const { return name_; }
  /// The files that it was read from, by their canonical paths: the program's and its includes.
  const std::vector<std::filesystem::path>& files() const { return files_; }

 private:
  std::string text_, name_;
  std::vector<std::filesystem::path> files_;
  Digest digest_;
  std::shared_ptr<const spirv::Module> module_;
};

using SourcePtr = std::shared_ptr<const ExpandedSource>;

/// Whether a file is meant to be a SPIR-V module: by its first bytes, or by its name, which ends in
/// .spv. False for another name whose file cannot be read.
bool is_module_file(const std::filesystem::path& file);

/// Reads a file. What is_module_file() is checked as a module (spirv::parse). Of OpenCL C
/// it expands its #include directives as text, so that what is compiled is known by content and the
/// driver opens no file. `#line` directives make the driver's log show the user's files and lines.
/// A name in quotes is looked for next to the including file first. Then, like one in angle
/// brackets, it is looked for in `include_folders`, in order.
///
/// An #include within a conditional is expanded in place, too: the compiler decides. One that is
/// not found is kept there, and an error elsewhere. `#pragma once` and include guards end
/// recursion.
///
/// Errors: not_found (the file, an include: names the line and the folders searched), bad_input (a
/// NUL byte, recursion without guard, more than 64 levels or 16 MiB, an #include that names a
/// macro), io; for a module those of spirv::parse, with the file's name.
Expected<SourcePtr> load_source(const std::filesystem::path& path,
                                const std::vector<std::filesystem::path>& include_folders = {});

/// The same for a text that comes from no file; `name` is what logs show.
Expected<SourcePtr> from_text(std::string text, std::string name,
                              const std::vector<std::filesystem::path>& include_folders = {});

/// A SPIR-V module that comes from no file. Errors: those of spirv::parse, with the name.
Expected<SourcePtr> from_module(ByteView bytes, const std::string& name,
                                std::vector<std::filesystem::path> files = {});

}  // namespace kiln
