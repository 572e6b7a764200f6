#include "kiln/version.hpp"

#include <algorithm>
#include <sstream>

#include "cli/command_process.hpp"
#include "test_paths.hpp"

namespace {

class Version : public kiln::testing::CommandTest {};

TEST_F(Version, is_the_library_s) {
  const auto result = kiln({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output, "kiln " + std::string(kiln::version()) + "\n");
  EXPECT_EQ(result.errors, "");
}

TEST_F(Version, needs_no_readable_config_file) {
  write(".config/kiln/config", "no such line");
  EXPECT_EQ(kiln({"--version"}).exit_code, 0);
  EXPECT_EQ(kiln({"-V"}).output, kiln({"--version"}).output);
}

// Each further shared library costs the start of every run: a new one is a decision, not an
// accident. OpenCL's loader comes with the first call of OpenCL (src/cli/main.cpp).
TEST_F(Version, loads_only_the_libraries_listed_here) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer brings its own libraries";
#endif
  if (find_program("readelf").empty()) GTEST_SKIP() << "readelf is not installed";
  const auto result = program(find_program("readelf"), {"-d", KILN_COMMAND});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const std::vector<std::string> allowed{"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"};
  std::istringstream lines(result.output);
  std::size_t needed = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("(NEEDED)") == std::string::npos) continue;
    const auto start = line.find('[') + 1;
    const std::string library = line.substr(start, line.find(']') - start);
    EXPECT_EQ(std::count(allowed.begin(), allowed.end(), library), 1) << library;
    ++needed;
  }
  EXPECT_GT(needed, 0u) << result.output;
}

}  // namespace
