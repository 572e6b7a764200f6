#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/os/file.hpp"
#include "kernel/source/source.hpp"

namespace kiln::testing {

/// A folder of small files for one test.
class SourceFolder {
 public:
  SourceFolder() : folder_(value_or_throw(TemporaryFolder::create())) {}
  void write(const std::string& name, std::string_view text) {
    std::filesystem::create_directories((path() / name).parent_path());
    ASSERT_TRUE(write_file(path() / name, as_bytes(text)));
  }
  const std::filesystem::path& path() const { return folder_.path(); }

  /// The expanded text of a file, or "error: …" with the folder's own path taken out.
  std::string expand(const std::string& name,
                     std::vector<std::filesystem::path> folders = {}) const {
    const auto source = load_source(path() / name, folders);
    if (source) return (*source)->text();
    std::string message = "error: " + source.error().message();
    for (std::size_t at; (at = message.find(path().string())) != message.npos;)
      message.replace(at, path().string().size(), "DIR");
    return message;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace kiln::testing
