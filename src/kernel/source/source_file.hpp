#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernel/source/lexer.hpp"
#include "kiln/error.hpp"

namespace kiln {

/// One file as read: its text (newlines \n, no byte order mark) and what the expander asks of it.
struct SourceFile {
  std::string text, name;
  std::filesystem::path folder;  ///< where its own #include "…" look first; empty: nowhere
  Lexed lexed;                   ///< views into text
  std::uint32_t number = 0;      ///< in the order of reading
  bool pragma_once = false;
  bool has_guard = false;  ///< #ifndef X, #define X … #endif around all of it
};

/// Reads each file once and finds it again by its canonical path. Not thread-safe.
class SourceFiles {
 public:
  static constexpr std::uint64_t max_bytes = 16u << 20;

  /// `name` is the file's name for people. The file lives as long as this object.
  Expected<SourceFile*> open(const std::filesystem::path& path, std::string name);
  Expected<SourceFile*> hold(std::string text, std::string name);
  /// Canonical paths of all that were opened.
  std::vector<std::filesystem::path> paths() const;

 private:
  std::map<std::string, std::unique_ptr<SourceFile>> by_path_;
};

}  // namespace kiln
