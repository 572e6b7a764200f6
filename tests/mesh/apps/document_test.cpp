// The C++ in docs/meshes.md is that of examples which are built and run.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "base/os/file.hpp"
#include "test_paths.hpp"

namespace kiln::mesh {
namespace {

/// A text's lines without what indents them: documents show functions' bodies.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line.substr(std::min(line.find_first_not_of(' '), line.size())));
  return lines;
}

std::string file(const std::string& path) {
  return value_or_throw(kiln::read_text(KILN_SOURCE_DIR "/" + path));
}

std::vector<std::vector<std::string>> blocks_of(const std::string& document) {
  std::vector<std::vector<std::string>> blocks;
  bool is_inside = false;
  for (const std::string& line : lines_of(document)) {
    if (line == "```cpp") {
      is_inside = true;
      blocks.emplace_back();
    } else if (line == "```") {
      is_inside = false;
    } else if (is_inside) {
      blocks.back().push_back(line);
    }
  }
  return blocks;
}

TEST(MeshDocument, shows_code_of_examples_that_run) {
  const auto tour = lines_of(file("examples/mesh/tour/tour.cpp"));
  const auto first = lines_of(file("examples/mesh/tour/first_loop.cpp"));
  const auto files = lines_of(file("examples/mesh/tour/files.cpp"));
  const auto blocks = blocks_of(file("docs/meshes.md"));
  EXPECT_GE(blocks.size(), 10u);
  for (const auto& block : blocks) {
    const auto stands_in = [&](const std::vector<std::string>& lines) {
      return std::search(lines.begin(), lines.end(), block.begin(), block.end()) != lines.end();
    };
    ASSERT_FALSE(block.empty());
    EXPECT_TRUE(stands_in(tour) || stands_in(first) || stands_in(files))
        << "the block that begins: " << block.front();
  }
}

}  // namespace
}  // namespace kiln::mesh
