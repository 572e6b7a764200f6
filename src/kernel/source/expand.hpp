#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel/source/source_file.hpp"
#include "kiln/error.hpp"

namespace kiln {

/// Replaces #include directives by the files' text. One object expands one program.
/// Not thread-safe.
class IncludeExpander {
 public:
  static constexpr std::size_t max_depth = 64;

  explicit IncludeExpander(const std::vector<std::filesystem::path>& folders) : folders_(folders) {}
  SourceFiles& files() { return files_; }
  /// The whole text, beginning with a #line directive. Call once.
  Expected<std::string> expand(const SourceFile& main);

 private:
  struct Level {
    const SourceFile* file;
    std::string name;  ///< as written by whoever includes it
  };
  struct Place;

  Expected<void> expand_file(const SourceFile& file, const std::string& name, bool conditional);
  Expected<void> include(const Place& place);
  Expected<void> insert(const SourceFile& file, const std::string& name, const Place& place);
  std::optional<std::filesystem::path> find(const std::string& name, bool quoted,
                                            const std::filesystem::path& own) const;
  void copy(std::string_view text) { out_ += text; }
  void line_directive(std::size_t line, const std::string& name);
  void end_line();

  const std::vector<std::filesystem::path>& folders_;
  SourceFiles files_;
  std::vector<Level> stack_;
  std::set<const SourceFile*> done_once_;     ///< #pragma once, and included for certain
  std::set<const SourceFile*> guarded_once_;  ///< #pragma once, and included under a condition
  std::string out_;
};

}  // namespace kiln
